// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/bench/eviction_round.hpp"

#include <cmath>

#include "gpu_backend/launch/triattention_rotations.hpp"

namespace vacancy::gpu {
namespace {

/// Of Qwen3's rotary embedding, radians a token.
std::vector<double> frequencies_of(int head_dim) {
  std::vector<double> frequencies;
  for (int band = 0; band < head_dim / 2; ++band)
    frequencies.push_back(std::pow(1e6, -2.0 * band / head_dim));
  return frequencies;
}

constexpr std::uint32_t largest_distance = 65536;

}  // namespace

EvictionRound::EvictionRound(Device& device, const CacheShape& shape, const RoundSize& size)
    : device_(device),
      shape_(shape),
      size_(size),
      sets_(shape.layers * shape.kv_heads),
      cache_(device, shape, size.tokens, size.requests),
      tables_(cache_.tables()) {
  const auto requests = static_cast<std::size_t>(size.requests);
  const std::size_t rows = requests * static_cast<std::size_t>(shape.layers * shape.query_heads);
  const std::size_t lists = requests * static_cast<std::size_t>(sets_);
  const auto tokens = static_cast<std::size_t>(size.tokens);
  const std::size_t weights_a_row = 3 * static_cast<std::size_t>(shape.head_dim / 2);
  const std::vector<double> frequencies = frequencies_of(shape.head_dim);
  calibration_ = Buffer<float>(device, std::vector<float>(rows / requests * weights_a_row, 0.5f));
  frequencies_ = Buffer<double>(device, frequencies);
  rotations_ =
      Buffer<double>(device, triattention_rotations(frequencies, largest_distance, true, 1.0));
  weights_ = Buffer<float>(device, rows * weights_a_row);
  scores_ = Buffer<float>(device, rows * tokens);
  joined_ = Buffer<float>(device, lists * tokens);
  ends_ = Buffer<std::int32_t>(device, std::vector<std::int32_t>(requests, size.tokens));
  std::vector<std::int32_t> bounds{0}, targets;
  targets.reserve(lists * static_cast<std::size_t>(size.kept));
  for (std::size_t list = 0; list < lists; ++list) {
    for (std::int32_t slot = 0; slot < size.kept; ++slot)
      targets.push_back(slot);
    bounds.push_back(static_cast<std::int32_t>(targets.size()));
  }
  kept_ = Buffer<std::int32_t>(device, targets.size());
  bounds_ = Buffer<std::int32_t>(device, bounds);
  targets_ = Buffer<std::int32_t>(device, targets);
}

void EvictionRound::run(RoundStage stage) {
  const int group = shape_.query_heads / shape_.kv_heads;
  switch (stage) {
    case RoundStage::weigh:
      return device_.run(TriAttentionWeights{.calibration = calibration_.data(),
                                             .frequencies = frequencies_.data(),
                                             .rotations = rotations_.data(),
                                             .positions = ends_.data(),
                                             .requests = size_.requests,
                                             .layers = shape_.layers,
                                             .query_heads = shape_.query_heads,
                                             .bands = shape_.head_dim / 2,
                                             .weights = weights_.data()});
    case RoundStage::score:
      return device_.run(TriAttentionScores{.rows = {.pool = cache_.pool().parts()[0],
                                                     .tables = tables_,
                                                     .head_dim = shape_.head_dim},
                                            .weights = weights_.data(),
                                            .query_heads = shape_.query_heads,
                                            .scores = scores_.data(),
                                            .stride = size_.tokens});
    case RoundStage::normalize:
      return device_.run(NormalizeRows{rows_of(scores_, shape_.layers * shape_.query_heads)});
    case RoundStage::join:
      return device_.run(JoinRows{.rows = rows_of(scores_, shape_.layers * shape_.query_heads),
                                  .layers = shape_.layers,
                                  .heads = shape_.kv_heads,
                                  .members = group,
                                  .over_members = Join::max,
                                  .target = joined_.data()});
    case RoundStage::select:
      return device_.run(
          TopK{.rows = rows_of(joined_, sets_), .keep = size_.kept, .kept = kept_.data()});
    case RoundStage::gather:
      return cache_.pool().run_to(
          cache_.fresh(),
          GatherRows{.from_tables = tables_, .to_tables = tables_, .moves = moves()});
    case RoundStage::pack:
      return cache_.pool().run(PackRows{.tables = tables_, .moves = moves()});
  }
}

ScoreRows EvictionRound::rows_of(const Buffer<float>& scores, int per_request) const {
  return {.data = scores.data(),
          .stride = size_.tokens,
          .requests = size_.requests,
          .per_request = per_request,
          .end = ends_.data()};
}

/// Survivor j goes to slot j.
MoveLists EvictionRound::moves() const {
  return {bounds_.data(),
          bounds_.data() + 1,
          kept_.data(),
          targets_.data(),
          Sharing::per_layer_and_head(shape_.layers, shape_.kv_heads),
          size_.kept};
}

std::vector<double> measured_round(Device& device, const CacheShape& shape, const RoundSize& size) {
  EvictionRound round(device, shape, size);
  std::vector<double> seconds;
  for (const RoundRow& row : round_rows())
    seconds.push_back(median_seconds(device, [&] {
      for (const RoundStage stage : row.stages)
        round.run(stage);
    }));
  return seconds;
}

}  // namespace vacancy::gpu
