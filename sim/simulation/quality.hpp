// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "sim/attention/attention.hpp"
#include "sim/eviction/token_reader.hpp"
#include "sim/pool/kv_cache.hpp"

namespace vacancy {

struct Quality {
  /// Share of the attention that goes to kept or newer tokens.
  double retained_attention_mass = 0;
  /// ‖full − kept‖ / ‖full‖ of the attention output, where the kept row is renormalised; NaN where
  /// the source has no values.
  double attention_output_error = 0;
};

/// What queries read for (layer, KV head); null where they read all that is kept.
using ReaderOf = std::function<std::unique_ptr<TokenReader>(std::uint32_t, std::uint32_t)>;

/// Measures a sequence's survivors by queries [first, last), which the attention has available:
/// those of the uncompressed run, or the sequence's own, which are held against all tokens that it
/// ever had, evicted ones included. Tokens at or beyond the sequence's next position count as kept.
/// Both figures are means over layers, query heads and queries (contract §3). Where a method reads
/// fewer tokens than it keeps, those that a query passes over count as lost to it.
Quality measure_quality(const SequenceAttention& attention, const AttentionFeatures& features,
                        const CachedSequence& sequence, const CacheLayout& layout,
                        std::uint32_t first, std::uint32_t last, const ReaderOf& reader_of = {});

}  // namespace vacancy
