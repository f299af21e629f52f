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
  for (std::uint32_t layer = 0; layer < layers_.size(); ++layer) {
    layers_[layer].score.resize(length, 0.0);
    if (length_ < prompt_ && length >= prompt_) observe(attention, layer, first_query_, prompt_);
    for (std::uint32_t query = std::max(length_, prompt_); query < length; ++query)
      observe(attention, layer, query, query + 1);
    if (options_.memory > 0) average(layers_[layer]);
  }
  length_ = length;
}

void LayerScores::observe(const SequenceAttention& attention, std::uint32_t layer,
                          std::uint32_t first, std::uint32_t last) {
  observed_.assign(last, 0.0);
  for (std::uint32_t head = 0; head < attention.shape().kv_heads; ++head)
    attention.add_column_sums(layer, head, first, last, observed_);
  Layer& own = layers_[layer];
  if (options_.memory > 0)
    own.remembered[own.observations++ % options_.memory] = observed_;
  else
    add_pooled_ahead(observed_, own.score);
}

void LayerScores::average(Layer& layer) {
  const std::size_t count = std::min<std::size_t>(layer.observations, options_.memory);
  observed_.assign(layer.score.size(), 0.0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < layer.remembered[i].size(); ++j)
      observed_[j] += layer.remembered[i][j] / static_cast<double>(count);
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
