// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// How a token's score is spread over its neighbours.
enum class Pooling { avg, max };

template <>
struct EnumNames<Pooling> {
  static constexpr EnumName<Pooling> table[] = {{Pooling::avg, "avg"}, {Pooling::max, "max"}};
};

/// Adds to sums[i] the average or the maximum of the `kernel` values around values[i]. Past the
/// ends an average sees zeros and still divides by the kernel's width, a maximum sees nothing (the
/// default padding of PyTorch, which the public codes use).
void add_pooled(std::span<const double> values, std::uint32_t kernel, Pooling pooling,
                std::span<double> sums);

/// Throws UserError if `kernel`, the value of `key`, has no centre.
void check_pooling_kernel(const std::string& key, std::uint32_t kernel);

}  // namespace vacancy
