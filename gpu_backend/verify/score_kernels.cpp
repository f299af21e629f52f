// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/score_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu_backend/verify/attention_rows.hpp"
#include "gpu_backend/verify/score_terms.hpp"

namespace vacancy::verify {

namespace {

/// How many others of its partition may rank on the other side of each token, their shares being
/// off by `errors`.
void add_doubts(const Vector& shares, const Vector& errors, Eigen::Index begin, Eigen::Index lag,
                Vector& doubts) {
  for (Eigen::Index first = begin; first + 2 * lag <= doubts.size(); first += lag)
    for (Eigen::Index i = first; i < first + lag; ++i)
      for (Eigen::Index j = first; j < first + lag; ++j)
        if (i != j && std::abs(shares[i] - shares[j]) <= errors[i] + errors[j]) ++doubts[i];
}

}  // namespace

KernelScores ScoreKernels::score(const SequenceAttention& attention, SequenceId id,
                                 const SetChoice& choice, std::uint32_t next_position) {
  return std::visit(
      [&](const auto& definition) {
        return score(definition, attention, id, choice, next_position);
      },
      definition_);
}

gpu::Buffer<float> ScoreKernels::join(const gpu::Buffer<float>& rows, const HeadRange& heads,
                                      int members, std::size_t tokens, gpu::Join over_members,
                                      gpu::Join over_heads, gpu::Join over_layers) {
  const auto layers = static_cast<int>(layers_of(heads));
  const auto kv_heads = static_cast<int>(kv_heads_of(heads));
  const gpu::Buffer end(device_, std::vector{static_cast<std::int32_t>(tokens)});
  const std::size_t rows_left = (over_layers == gpu::Join::none ? layers_of(heads) : 1) *
                                (over_heads == gpu::Join::none ? kv_heads_of(heads) : 1);
  gpu::Buffer<float> joined(device_, rows_left * tokens);
  device_.run(gpu::JoinRows{.rows = {.data = rows.data(),
                                     .stride = static_cast<std::int64_t>(tokens),
                                     .requests = 1,
                                     .per_request = layers * kv_heads * members,
                                     .end = end.data()},
                            .layers = layers,
                            .heads = kv_heads,
                            .members = members,
                            .over_members = over_members,
                            .over_heads = over_heads,
                            .over_layers = over_layers,
                            .target = joined.data()});
  return joined;
}

KernelScores ScoreKernels::score(const KeyNormScores&, const SequenceAttention& attention,
                                 SequenceId, const SetChoice& choice, std::uint32_t) {
  return score_rows(gpu::RowStatistic::negative_key_norm, attention, choice);
}
KernelScores ScoreKernels::score(const NormRatioScores&, const SequenceAttention& attention,
                                 SequenceId, const SetChoice& choice, std::uint32_t) {
  return score_rows(gpu::RowStatistic::value_over_key_norm, attention, choice);
}

KernelScores ScoreKernels::score_rows(gpu::RowStatistic statistic,
                                      const SequenceAttention& attention, const SetChoice& choice) {
  const bool of_values = statistic == gpu::RowStatistic::value_over_key_norm;
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const gpu::Buffer<float> rows(device_, layers_of(heads) * kv_heads_of(heads) * tokens.size());
  for (std::size_t layer = 0; layer < layers_of(heads); ++layer) {
    const KeyBlocks keys(device_, attention, heads.first_layer + static_cast<std::uint32_t>(layer),
                         heads, tokens, of_values);
    device_.run(
        gpu::RowStatistics{.rows = keys.rows(),
                           .statistic = statistic,
                           .scores = rows.data() + layer * kv_heads_of(heads) * tokens.size(),
                           .stride = static_cast<std::int64_t>(tokens.size())});
  }
  work_ += rows.size();
  const auto row = [&](RowKind kind, std::uint32_t layer, std::uint32_t head) {
    return rows_in_double(attention, kind, layer, head, tokens);
  };
  const Vector in_double =
      sum_over_heads(heads, tokens.size(), [&](std::uint32_t layer, std::uint32_t head) {
        const gpu::reference::Matrix keys = row(RowKind::key, layer, head);
        return of_values ? gpu::reference::norm_ratios(keys, row(RowKind::value, layer, head))
                         : gpu::reference::key_norms(keys);
      });
  return {join(rows, heads, 1, tokens.size(), gpu::Join::sum, gpu::Join::sum, gpu::Join::sum),
          0,
          both_errors,
          {},
          numbers(in_double)};
}

KernelScores ScoreKernels::score(const KeyDifferenceScores&, const SequenceAttention& attention,
                                 SequenceId, const SetChoice& choice, std::uint32_t) {
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const auto dim = static_cast<std::size_t>(padded_head_dim(attention.shape().head_dim).value());
  const gpu::Buffer<float> rows(device_, layers_of(heads) * kv_heads_of(heads) * tokens.size()),
      anchors(device_, kv_heads_of(heads) * dim);
  for (std::size_t layer = 0; layer < layers_of(heads); ++layer) {
    const KeyBlocks keys(device_, attention, heads.first_layer + static_cast<std::uint32_t>(layer),
                         heads, tokens);
    device_.run(
        gpu::KeyDifference{.rows = keys.rows(),
                           .scores = rows.data() + layer * kv_heads_of(heads) * tokens.size(),
                           .anchors = anchors.data(),
                           .stride = static_cast<std::int64_t>(tokens.size())});
  }
  work_ += rows.size();
  double error = 0;
  const Vector in_double =
      sum_over_heads(heads, tokens.size(), [&](std::uint32_t layer, std::uint32_t head) {
        const gpu::reference::Weighed scores = gpu::reference::key_difference(
            rows_in_double(attention, RowKind::key, layer, head, tokens));
        error += both_errors * scores.magnitude.maxCoeff();
        return scores.value;
      });
  return {join(rows, heads, 1, tokens.size(), gpu::Join::sum, gpu::Join::sum, gpu::Join::sum),
          error,
          0,
          {},
          numbers(in_double)};
}

KernelScores ScoreKernels::score(const LagRankScores& definition,
                                 const SequenceAttention& attention, SequenceId,
                                 const SetChoice& choice, std::uint32_t) {
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const std::size_t count = tokens.size(), kv_heads = kv_heads_of(heads);
  const auto sinks = static_cast<int>(
      std::lower_bound(tokens.begin(), tokens.end(), definition.sinks) - tokens.begin());
  const auto lag = static_cast<int>(definition.lag);
  const gpu::Buffer begin(device_, std::vector{static_cast<std::int32_t>(sinks)});
  const gpu::Buffer<float> rows(device_, layers_of(heads) * kv_heads * count),
      shares(device_, 2 * kv_heads * count);
  for (std::size_t layer = 0; layer < layers_of(heads); ++layer) {
    const KeyBlocks keys(device_, attention, heads.first_layer + static_cast<std::uint32_t>(layer),
                         heads, tokens, true);
    device_.run(gpu::LagRanks{.rows = keys.rows(),
                              .begin = begin.data(),
                              .lag = lag,
                              .channels = static_cast<int>(attention.shape().head_dim),
                              .scores = rows.data() + layer * kv_heads * count,
                              .shares = shares.data(),
                              .stride = static_cast<std::int64_t>(count)});
  }
  work_ += rows.size();
  Vector doubts = Vector::Zero(static_cast<Eigen::Index>(count));
  const Vector in_double =
      sum_over_heads(heads, count, [&](std::uint32_t layer, std::uint32_t head) {
        const auto of = [&](RowKind kind) {
          return gpu::reference::lag_shares(rows_in_double(attention, kind, layer, head, tokens),
                                            sinks, lag);
        };
        const gpu::reference::Weighed keys = of(RowKind::key), values = of(RowKind::value);
        const Vector sum = keys.value + values.value;
        add_doubts(sum, both_errors * (keys.magnitude + values.magnitude), sinks, lag, doubts);
        return gpu::reference::lag_ranks(sum, sinks, lag);
      });
  // The simulator sums ranks / lag: exactly, but for several of them by another divisor.
  const bool exact = layers_of(heads) * kv_heads == 1 || std::has_single_bit(definition.lag);
  return {join(rows, heads, 1, count, gpu::Join::sum, gpu::Join::sum, gpu::Join::sum),
          exact ? 0 : 1e-9, 0, numbers(doubts), numbers(in_double)};
}

}  // namespace vacancy::verify
