// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// Where tokens, queries, keys and values come from: the uncompressed run, or decoding that goes on
/// over the evicted cache.
enum class Trajectory { full, own };

template <>
struct EnumNames<Trajectory> {
  static constexpr EnumName<Trajectory> table[] = {{Trajectory::full, "full"},
                                                   {Trajectory::own, "own"}};
};

}  // namespace vacancy
