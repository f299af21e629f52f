// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sim/serving/request.hpp"

namespace vacancy::verify {

/// Whose keys and values a row holds: equal for two tokens exactly if a prefix cache may put one in
/// the place of the other.
using RowId = std::uint64_t;

/// A token of a sequence without a request, or behind what its request's keys describe.
RowId own_row(SequenceId sequence, std::uint32_t position);
/// A token of a request: its trace's where a key describes it, else its own.
RowId request_row(const Request& request, SequenceId sequence, std::uint32_t position);

enum class RowKind { key, value };
/// The row's BF16 elements in one plane: finite, of magnitudes in [0.5, 2). A function of all
/// arguments, so that a row in a wrong place shows.
void fill_row(RowId id, std::uint32_t layer, std::uint32_t head, RowKind kind,
              std::span<std::uint16_t> row);

}  // namespace vacancy::verify
