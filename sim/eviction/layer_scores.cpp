// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/layer_scores.hpp"

#include <algorithm>

namespace vacancy {

LayerScores::LayerScores(const AttentionShape& shape, std::uint32_t prompt_tokens,
                         const LayerScoreOptions& options)
    : options_(options),
      prompt_(prompt_tokens),
      first_query_(options.prompt_window == 0
                       ? 0
                       : prompt_tokens - std::min(prompt_tokens, options.prompt_window)),
      layers_(shape.layers) {
  for (Layer& layer : layers_)
    layer.remembered.resize(options.memory);
}

void LayerScores::advance(const SequenceAttention& attention, std::uint32_t length) {
  if (length <= length_) return;
  // [first, last): the observations that this brings, of which a memory needs the newest only.
  const std::uint32_t none = prompt_ > 0 ? 0 : 1;
  std::uint32_t first = length_ < prompt_ || length_ == 0 ? none : length_ - prompt_ + 1;
  const std::uint32_t last = length < prompt_ ? none : length - prompt_ + 1;
  const std::uint32_t oldest = last - std::min(last - none, options_.memory);
  if (options_.memory > 0) first = std::max(first, oldest);
  for (std::uint32_t layer = 0; layer < layers_.size(); ++layer) {
    layers_[layer].score.resize(length, 0.0);
    for (std::uint32_t number = first; number < last; ++number)
      observe(attention, layer, number);
    if (options_.memory > 0) average(layers_[layer], oldest, last);
  }
  length_ = length;
}

void LayerScores::observe(const SequenceAttention& attention, std::uint32_t layer,
                          std::uint32_t number) {
  const std::uint32_t first = number == 0 ? first_query_ : prompt_ + number - 1;
  const std::uint32_t last = prompt_ + number;
  observed_.assign(last, 0.0);
  for (std::uint32_t head = 0; head < attention.shape().kv_heads; ++head)
    attention.add_column_sums(layer, head, first, last, observed_);
  if (options_.memory > 0)
    observed_.swap(layers_[layer].remembered[number % options_.memory]);
  else
    add_pooled_ahead(observed_, layers_[layer].score);
}

void LayerScores::average(Layer& layer, std::uint32_t first, std::uint32_t last) {
  observed_.assign(layer.score.size(), 0.0);
  for (std::uint32_t number = first; number < last; ++number) {
    const std::vector<double>& one = layer.remembered[number % options_.memory];
    for (std::size_t j = 0; j < one.size(); ++j)
      observed_[j] += one[j] / (last - first);
  }
  std::fill(layer.score.begin(), layer.score.end(), 0.0);
  add_pooled_ahead(observed_, layer.score);
}

void LayerScores::add_pooled_ahead(std::span<const double> values, std::span<double> sums) const {
  for (std::size_t j = 0; j < values.size(); ++j) {
    const auto ahead =
        values.subspan(j, std::min<std::size_t>(options_.pooling, values.size() - j));
    sums[j] += *std::max_element(ahead.begin(), ahead.end());
  }
}

}  // namespace vacancy
