// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/triattention_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/eviction/live_vectors.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {

TriAttentionRows::TriAttentionRows(const EvictionRound& round, const Calibration& calibration,
                                   const RotaryBands& rotary, const TriAttentionPhases& phases,
                                   RowScale scale, SelectionScratch& scratch)
    : round_(round),
      calibration_(calibration),
      rotary_(rotary),
      phases_(phases),
      scale_(scale),
      group_(round.attention->shape().group()),
      tokens_(round.live.size()),
      vectors_(scratch.vectors) {
  const std::size_t bands = phases.bands();
  scratch.parts.resize((group_ + 1) * tokens_ + group_ * phases.weights() + 3 * bands);
  std::span<double> rest = scratch.parts;
  const auto take = [&rest](std::size_t size) {
    const auto part = rest.first(size);
    rest = rest.subspan(size);
    return part;
  };
  spare_ = take(tokens_);
  rows_ = take(group_ * tokens_);
  weights_ = take(group_ * phases.weights());
  key_ = take(2 * bands);
  moduli_ = take(bands);
}

std::uint32_t TriAttentionRows::compute(std::uint32_t layer, std::uint32_t kv_head) {
  const std::size_t width = phases_.weights(), bands = phases_.bands();
  std::uint32_t rows = 0;
  for (std::uint32_t q = kv_head * group_; q < (kv_head + 1) * group_; ++q)
    if (calibration_.present(layer, q))
      phases_.make_weights(calibration_.head(layer, q), weights_.subspan(rows++ * width, width));
  if (rows == 0) return 0;

  for_each_live_key(round_, layer, kv_head, vectors_, [&](std::size_t i, auto key) {
    for (std::size_t f = 0; f < bands; ++f) {
      key_[f] = double{key[rotary_.real(f)]};
      key_[f + bands] = double{key[rotary_.imaginary(f)]};
      moduli_[f] = std::sqrt(key_[f] * key_[f] + key_[f + bands] * key_[f + bands]);
    }
    for (std::uint32_t r = 0; r < rows; ++r)
      rows_[r * tokens_ + i] = phases_.score(weights_.subspan(r * width, width), key_, moduli_);
  });
  for (std::uint32_t r = 0; scale_ != RowScale::none && r < rows; ++r) {
    const auto row = rows_.subspan(r * tokens_, tokens_);
    if (scale_ == RowScale::over_cached)
      normalize_row(row, [](std::size_t) { return true; });
    else
      normalize_row(row, [&](std::size_t i) { return !bits::test(round_.guarded, i); });
  }
  return rows;
}

void join_rows(TriAttentionRows& rows, const HeadRange& heads, RowJoin join,
               std::span<double> scores) {
  constexpr double lowest = std::numeric_limits<double>::lowest();
  const bool by_max = join == RowJoin::max_of_all || join == RowJoin::mean_of_layer_maxima;
  const std::span<double> values = rows.spare();  // of one layer
  std::fill(scores.begin(), scores.end(), join == RowJoin::max_of_all ? lowest : 0.0);
  double weights = 0;
  for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer) {
    std::fill(values.begin(), values.end(), by_max ? lowest : 0.0);
    std::uint32_t joined = 0;
    for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head) {
      const std::uint32_t count = rows.compute(layer, head);
      for (std::uint32_t r = 0; r < count; ++r)
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = by_max ? std::max(values[i], rows.row(r)[i]) : values[i] + rows.row(r)[i];
      joined += count;
    }
    if (joined == 0) continue;
    const double divisor = join == RowJoin::mean_of_layer_means ? joined : 1;
    weights += join == RowJoin::mean_of_all ? joined : 1;
    for (std::size_t i = 0; i < values.size(); ++i)
      scores[i] = join == RowJoin::max_of_all ? std::max(scores[i], values[i])
                                              : scores[i] + values[i] / divisor;
  }
  if (join == RowJoin::max_of_all) return;
  for (double& score : scores)
    score /= weights;
}

}  // namespace vacancy
