// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/attention/attention.hpp"
#include "sim/pool/kv_cache.hpp"

namespace vacancy {

struct Quality {
  /// Share of the attention that goes to kept or newer tokens.
  double retained_attention_mass = 0;
  /// ‖full − kept‖ / ‖full‖ of the attention output, where the kept row is renormalised; NaN where
  /// the source has no values.
  double attention_output_error = 0;
};

/// Measures a sequence's survivors by queries [first, last) of the uncompressed run, which the
/// attention has available; tokens at or beyond the sequence's next position count as kept. Both
/// figures are means over layers, query heads and queries (contract §3).
Quality measure_quality(const SequenceAttention& attention, const AttentionFeatures& features,
                        const CachedSequence& sequence, const CacheLayout& layout,
                        std::uint32_t first, std::uint32_t last);

}  // namespace vacancy
