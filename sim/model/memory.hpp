// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/model/geometry.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

// Memory arithmetic of a KV cache. Every size is an exact integer; a size beyond 2^64 - 1 bytes is
// a UserError.

/// What one block table, and so one slot, spans: all layers and heads, one layer, or one KV head of
/// one layer.
enum class TableSpan { model, layer, head };

/// Bytes of one token slot, and of one block of `block_size` slots. State layers have no slots; in
/// a hybrid model the slot of a `model` table spans the layers that cache tokens.
Bytes bytes_per_token(const ModelGeometry& model, TableSpan span = TableSpan::model);
Bytes bytes_per_block(const ModelGeometry& model, std::uint32_t block_size,
                      TableSpan span = TableSpan::model);

/// Block tables of one sequence when each has this span.
std::uint64_t tables_per_sequence(const ModelGeometry& model, TableSpan span);

/// Blocks that `tokens` tokens of one table take.
constexpr std::uint64_t blocks_for_tokens(std::uint64_t tokens, std::uint32_t block_size) {
  return tokens / block_size + (tokens % block_size != 0);
}

/// Whole blocks that fit into `memory`.
std::uint64_t blocks_in_memory(const ModelGeometry& model, Bytes memory, std::uint32_t block_size,
                               TableSpan span = TableSpan::model);

/// The longest sequence that a paged pool of this size holds alone: each of its tables takes whole
/// blocks of the pool. Counts full attention in every layer that caches tokens, as an allocator
/// without window support does.
std::uint64_t tokens_in_blocks(const ModelGeometry& model, std::uint64_t blocks,
                               std::uint32_t block_size, TableSpan span = TableSpan::model);

/// Bytes that one sequence of `tokens` tokens needs: full layers hold all, sliding layers at most
/// their window, state layers their constant.
Bytes sequence_bytes(const ModelGeometry& model, std::uint64_t tokens);

/// The longest sequence whose sequence_bytes() fit; nothing if any length fits (no full layer).
std::optional<std::uint64_t> tokens_in_memory(const ModelGeometry& model, Bytes memory);

/// Tokens whose K (or V) of one layer share a page of device memory when the KV heads are split
/// over `gpus` (vAttention, arXiv 2405.04437).
std::uint64_t tokens_per_page(const ModelGeometry& model, Bytes page, std::uint32_t gpus = 1);

/// Time to move `bytes` at `bytes_per_second`, rounded up to a nanosecond.
SimTime transfer_time(Bytes bytes, Bytes bytes_per_second);

}  // namespace vacancy
