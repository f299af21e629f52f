// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "sim/units/strong_type.hpp"

namespace vacancy {

/// A physical block of the pool.
using BlockId = StrongType<struct BlockIdTag, std::uint32_t>;
/// A request's sequence; also the first word of every random counter.
using SequenceId = StrongType<struct SequenceIdTag, std::uint32_t>;
/// A token's absolute position in its sequence, evicted tokens counted: never reused, never
/// lowered.
using TokenPos = StrongType<struct TokenPosTag, std::uint32_t>;
/// A slot of one table: logical block × block size + offset.
using SlotIndex = StrongType<struct SlotIndexTag, std::uint32_t>;
using Bytes = Quantity<struct BytesTag, std::uint64_t>;
/// Nanoseconds of virtual time since the start of the run.
using SimTime = Quantity<struct SimTimeTag, std::int64_t>;

/// The entry of a block table that no longer holds a block.
inline constexpr BlockId null_block{std::numeric_limits<std::uint32_t>::max()};

inline constexpr SimTime millisecond{1'000'000};

}  // namespace vacancy
