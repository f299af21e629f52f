// SPDX-License-Identifier: Apache-2.0
// R-KV: what the last queries attend to, less what other keys repeat.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "gpu_backend/verify/attention_rows.hpp"
#include "gpu_backend/verify/score_kernels.hpp"
#include "gpu_backend/verify/score_terms.hpp"

namespace vacancy::verify {

namespace {

Vector softmax(const Vector& numbers) {
  const Vector powers = (numbers.array() - numbers.maxCoeff()).exp();
  return powers / powers.sum();
}

/// Rows that leave out another column if a cosine is off by `error`.
double doubtful_rows(const Matrix& keys, double threshold, double error) {
  const Matrix unit = keys.rowwise().normalized();
  double rows = 0;
  for (Eigen::Index row = 0; row < unit.rows(); ++row) {
    Vector apart = ((unit * unit.row(row).transpose()).array() - threshold).abs();
    apart[row] = 1;
    rows += apart.minCoeff() <= error ? 1 : 0;
  }
  return rows;
}

/// Mean over the queries of the softmax over the keys of the group's largest logits.
Vector attention_in_double(const SequenceAttention& attention, std::uint32_t layer,
                           std::uint32_t head, std::uint32_t first_query, std::uint32_t count,
                           const Matrix& keys) {
  const std::uint32_t group = attention.shape().group();
  const double scale = 1 / std::sqrt(static_cast<double>(keys.cols()));
  Matrix largest = Matrix::Constant(count, keys.rows(), -HUGE_VAL);
  for (std::uint32_t member = 0; member < group; ++member)
    largest = largest.cwiseMax(
        queries_in_double(attention, layer, head * group + member, first_query, count) *
        keys.transpose() * scale);
  const Eigen::Array<bool, -1, -1> all =
      Eigen::Array<bool, -1, -1>::Constant(largest.rows(), largest.cols(), true);
  return gpu::reference::attention_weights(largest, all).colwise().mean();
}

/// `lambda` of the attention that the first tokens get, less the rest of how much each repeats.
Vector mixed(double lambda, const Vector& attended, const Vector& repeats) {
  Vector mix = (lambda - 1) * softmax(repeats);
  mix.head(attended.size()) += lambda * attended;
  return mix;
}

/// A (layer, KV head)'s scores in double precision, and how far others may be from them, those of
/// attention by `weight_off`.
struct OwnScores {
  Vector scores, errors;
};
OwnScores own_scores(const RedundancyScores& definition, const SequenceAttention& attention,
                     std::uint32_t layer, std::uint32_t head, std::uint32_t first_query,
                     std::uint32_t window, std::span<const std::uint32_t> tokens,
                     Eigen::Index candidates, double weight_off) {
  const Matrix keys = rows_in_double(attention, RowKind::key, layer, head, tokens);
  const Vector attended = gpu::reference::pooled(
      attention_in_double(attention, layer, head, first_query, window, keys.topRows(candidates)),
      static_cast<int>(definition.options.kernel), definition.options.pooling == Pooling::max);
  const Vector repeats = gpu::reference::key_redundancy(keys, definition.threshold, false);
  const double repeats_off = both_errors + doubtful_rows(keys, definition.threshold, both_errors) /
                                               static_cast<double>(tokens.size());
  Vector errors = (1 - definition.lambda) * std::expm1(2 * repeats_off) * softmax(repeats);
  errors.head(candidates) += definition.lambda * weight_off * attended;
  return {mixed(definition.lambda, attended, repeats), errors};
}

Vector vector_of(std::span<const float> numbers) {
  return Eigen::Map<const Eigen::VectorXf>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()))
      .cast<double>();
}

}  // namespace

KernelScores ScoreKernels::score(const RedundancyScores& definition,
                                 const SequenceAttention& attention, SequenceId,
                                 const SetChoice& choice, std::uint32_t next_position) {
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const std::size_t kv_heads = kv_heads_of(heads),
                    dim = static_cast<std::size_t>(
                        padded_head_dim(attention.shape().head_dim).value());
  const std::uint32_t window = std::min(next_position, definition.options.window);
  const std::uint32_t first_query = next_position - window;
  // The tokens of these queries stay. Others may repeat them, nobody weighs them.
  const auto candidates = static_cast<std::size_t>(
      std::lower_bound(tokens.begin(), tokens.end(), first_query) - tokens.begin());
  const double scale = 1 / std::sqrt(static_cast<double>(attention.shape().head_dim));
  const auto stride = static_cast<std::int64_t>(tokens.size());
  const gpu::Buffer slot_end(device_, std::vector{static_cast<std::int32_t>(candidates)});

  std::vector<float> rows;
  Vector doubts = Vector::Zero(stride), in_double = Vector::Zero(stride);
  for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer) {
    const KeyBlocks keys(device_, attention, layer, heads, tokens);
    const QueryRows queries(device_, attention, layer, heads, first_query, window);
    gpu::Buffer<float> received(device_, kv_heads * tokens.size());
    const gpu::Buffer<float> redundancy(device_, kv_heads * tokens.size()),
        unit_keys(device_, kv_heads * tokens.size() * dim);
    const gpu::Buffer<std::int32_t> left_out(device_, kv_heads * tokens.size());
    attend({.rows = keys.rows(),
            .query = queries.data.data(),
            .slot_end = slot_end.data(),
            .query_heads = static_cast<int>(kv_heads * attention.shape().group()),
            .window = static_cast<int>(window),
            .scale = static_cast<float>(scale),
            .group_max = true,
            .factor = 1 / static_cast<float>(window),
            .column_sums = received.data(),
            .stride = stride},
           first_query);
    device_.run(gpu::KeyRedundancy{.rows = keys.rows(),
                                   .threshold = static_cast<float>(definition.threshold),
                                   .scores = redundancy.data(),
                                   .unit_keys = unit_keys.data(),
                                   .left_out = left_out.data(),
                                   .stride = stride});
    work_ += kv_heads * tokens.size() * tokens.size();
    const std::vector<float> pooled =
        pool(std::move(received), tokens.size(), candidates, definition.options).download();
    const std::vector<float> repeated = redundancy.download();
    const double weight_off =
        weight_error(keys.longest_key() * queries.longest_query * scale, window);
    for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head) {
      const OwnScores own = own_scores(definition, attention, layer, head, first_query, window,
                                       tokens, static_cast<Eigen::Index>(candidates), weight_off);
      in_double += own.scores;
      doubts += own.errors;
      const std::size_t first = (head - heads.first_head) * tokens.size();
      for (const double x :
           mixed(definition.lambda, vector_of(std::span(pooled).subspan(first, candidates)),
                 vector_of(std::span(repeated).subspan(first, tokens.size()))))
        rows.push_back(static_cast<float>(x));
    }
  }
  return {join(gpu::Buffer<float>(device_, rows), heads, 1, tokens.size(), gpu::Join::sum,
               gpu::Join::sum, gpu::Join::sum),
          least_weight, both_errors, numbers(doubts), numbers(in_double)};
}

}  // namespace vacancy::verify
