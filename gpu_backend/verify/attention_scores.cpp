// SPDX-License-Identifier: Apache-2.0
// Scores from the weights that queries give to keys.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu_backend/verify/attention_rows.hpp"
#include "gpu_backend/verify/score_kernels.hpp"
#include "gpu_backend/verify/score_terms.hpp"

namespace vacancy::verify {

namespace {

using Tokens = std::span<const std::uint32_t>;

/// What the rows that a policy reads leave open: sources cut exponents off at -87, and a row of the
/// uncompressed run is scaled by the mass of its live tokens, which may be as little.
double cut_off_error(const SequenceAttention& attention, std::uint32_t layer,
                     std::uint32_t query_head, std::uint32_t first_query, std::uint32_t count,
                     std::span<const std::uint32_t> live) {
  constexpr double cut_off = 1.7e-38;  // e^-87
  double error = 0;
  std::vector<float> row;
  for (std::uint32_t query = first_query; query < first_query + count; ++query) {
    row.resize(std::size_t{query} + 1);
    attention.weights(layer, query_head, query, row);
    double mass = 0;
    for (const std::uint32_t token : live)
      if (token <= query) mass += double{row[token]};
    if (mass > 0) error += 2 * cut_off / mass;
  }
  return error;
}

constexpr std::uint32_t queries_together = 32;  // which read the keys once for all

/// What `count` queries of a query head from `first` on pay to each token, added up.
Vector received_in_double(const SequenceAttention& attention, std::uint32_t layer,
                          std::uint32_t query_head, std::uint32_t first, std::uint32_t count,
                          Tokens tokens, const Matrix& keys) {
  const double scale = 1 / std::sqrt(static_cast<double>(keys.cols()));
  Vector received = Vector::Zero(keys.rows());
  for (const std::uint32_t end = first + count; first < end;
       first += std::min(queries_together, end - first)) {
    const Matrix queries = queries_in_double(attention, layer, query_head, first,
                                             std::min(queries_together, end - first));
    Eigen::Array<bool, -1, -1> visible(queries.rows(), keys.rows());
    for (Eigen::Index q = 0; q < visible.rows(); ++q)
      for (Eigen::Index i = 0; i < visible.cols(); ++i)
        visible(q, i) =
            tokens[static_cast<std::size_t>(i)] <= first + static_cast<std::uint32_t>(q);
    received += gpu::reference::attention_weights(queries * keys.transpose() * scale, visible)
                    .colwise()
                    .sum()
                    .transpose();
  }
  return received;
}

/// How many tokens, from the first on, are pooled with each other.
std::ptrdiff_t pooled_tokens(const WindowScores& definition, Tokens tokens,
                             std::uint32_t first_query) {
  const auto end = definition.scores_window
                       ? tokens.end()
                       : std::lower_bound(tokens.begin(), tokens.end(), first_query);
  return end - tokens.begin();
}

Vector window_in_double(const WindowScores& definition, const SequenceAttention& attention,
                        const HeadRange& heads, Tokens tokens, std::uint32_t first_query,
                        std::uint32_t window) {
  const std::uint32_t group = attention.shape().group();
  const Eigen::Index pooled = pooled_tokens(definition, tokens, first_query);
  return sum_over_heads(heads, tokens.size(), [&](std::uint32_t layer, std::uint32_t head) {
    const Matrix keys = rows_in_double(attention, RowKind::key, layer, head, tokens);
    Vector joined = Vector::Zero(keys.rows());
    for (std::uint32_t member = 0; member < group; ++member) {
      const Vector received = received_in_double(attention, layer, head * group + member,
                                                 first_query, window, tokens, keys);
      joined = definition.group == GroupRule::mean ? Vector(joined + received)
                                                   : joined.cwiseMax(received);
    }
    joined.head(pooled) =
        gpu::reference::pooled(joined.head(pooled), static_cast<int>(definition.options.kernel),
                               definition.options.pooling == Pooling::max);
    return joined;
  });
}

/// Tokens that came since count from nothing.
void grow(Vector& sums, Eigen::Index length) {
  const Eigen::Index before = sums.size();
  sums.conservativeResize(length);
  sums.tail(length - before).setZero();
}

}  // namespace

void ScoreKernels::attend(gpu::QueryAttention operation, std::uint32_t first_query) {
  const auto rows = static_cast<std::size_t>(operation.query_heads * operation.window);
  const auto tokens = static_cast<std::size_t>(operation.stride);
  const gpu::Buffer first(device_, std::vector{static_cast<std::int32_t>(first_query)});
  const gpu::Buffer<float> logits(device_, rows * tokens), statistics(device_, 2 * rows);
  operation.first_position = first.data();
  operation.logits = logits.data();
  operation.statistics = statistics.data();
  device_.run(operation);
  work_ += rows * tokens;
}

gpu::Buffer<float> ScoreKernels::pool(gpu::Buffer<float> rows, std::size_t tokens, std::size_t end,
                                      const WindowOptions& options) {
  if (options.kernel == 1) return rows;
  const gpu::Buffer ends(device_, std::vector{static_cast<std::int32_t>(end)});
  gpu::Buffer<float> pooled(device_, std::vector<float>(rows.size()));
  device_.run(gpu::PoolNeighbours{.rows = {.data = rows.data(),
                                           .stride = static_cast<std::int64_t>(tokens),
                                           .requests = 1,
                                           .per_request = static_cast<int>(rows.size() / tokens),
                                           .end = ends.data()},
                                  .target = pooled.data(),
                                  .kernel = static_cast<int>(options.kernel),
                                  .maximum = options.pooling == Pooling::max});
  return pooled;
}

KernelScores ScoreKernels::score(const WindowScores& definition, const SequenceAttention& attention,
                                 SequenceId, const SetChoice& choice, std::uint32_t next_position) {
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const auto group = static_cast<int>(attention.shape().group());
  const int query_heads = static_cast<int>(kv_heads_of(heads)) * group;
  const std::uint32_t window = std::min(next_position, definition.options.window);
  const std::uint32_t first_query = next_position - window;
  const double scale = 1 / std::sqrt(static_cast<double>(attention.shape().head_dim));
  const gpu::Buffer positions(device_, std::vector<std::int32_t>(tokens.begin(), tokens.end()));
  const auto stride = static_cast<std::int64_t>(tokens.size());
  const gpu::SlotPositions slots{positions.data(), stride, {}};

  const std::size_t layer_rows = static_cast<std::size_t>(query_heads) * tokens.size();
  const gpu::Buffer<float> rows(device_, layers_of(heads) * layer_rows);
  double largest_logit = 0, absolute = least_weight;
  for (std::size_t layer = 0; layer < layers_of(heads); ++layer) {
    const std::uint32_t number = heads.first_layer + static_cast<std::uint32_t>(layer);
    const KeyBlocks keys(device_, attention, number, heads, tokens);
    for (int head = 0; head < query_heads; ++head)
      absolute += cut_off_error(
          attention, number,
          heads.first_head * attention.shape().group() + static_cast<std::uint32_t>(head),
          first_query, window, tokens);
    const QueryRows queries(device_, attention, number, heads, first_query, window);
    largest_logit = std::max(largest_logit, keys.longest_key() * queries.longest_query * scale);
    attend({.rows = keys.rows(),
            .slots = slots,
            .query = queries.data.data(),
            .query_heads = query_heads,
            .window = static_cast<int>(window),
            .scale = static_cast<float>(scale),
            .column_sums = rows.data() + layer * layer_rows,
            .stride = stride},
           first_query);
  }
  const gpu::Buffer<float> weights =
      pool(join(rows, heads, group, tokens.size(),
                definition.group == GroupRule::mean ? gpu::Join::sum : gpu::Join::max,
                gpu::Join::none, gpu::Join::none),
           tokens.size(), static_cast<std::size_t>(pooled_tokens(definition, tokens, first_query)),
           definition.options);
  return {join(weights, heads, 1, tokens.size(), gpu::Join::sum, gpu::Join::sum, gpu::Join::sum),
          absolute,
          weight_error(largest_logit, window),
          {},
          numbers(window_in_double(definition, attention, heads, tokens, first_query, window))};
}

std::vector<float> ScoreKernels::received(const SequenceAttention& attention, const KeyBlocks& keys,
                                          const HeadRange& heads, std::uint32_t from,
                                          std::uint32_t to, std::size_t tokens,
                                          double& largest_logit) {
  const AttentionShape& shape = attention.shape();
  const double scale = 1 / std::sqrt(static_cast<double>(shape.head_dim));
  const auto query_heads = static_cast<int>(shape.query_heads);
  const gpu::Buffer<float> columns(device_, std::vector<float>(shape.query_heads * tokens));
  for (std::uint32_t first = from; first < to; first += queries_together) {
    const std::uint32_t count = std::min(queries_together, to - first);
    const QueryRows queries(device_, attention, heads.first_layer, heads, first, count);
    largest_logit = std::max(largest_logit, keys.longest_key() * queries.longest_query * scale);
    attend({.rows = keys.rows(),
            .query = queries.data.data(),
            .query_heads = query_heads,
            .window = static_cast<int>(count),
            .scale = static_cast<float>(scale),
            .accumulate = true,
            .column_sums = columns.data(),
            .stride = static_cast<std::int64_t>(tokens)},
           first);
  }
  return join(columns, heads, static_cast<int>(shape.group()), tokens, gpu::Join::sum,
              gpu::Join::none, gpu::Join::none)
      .download();
}

void ScoreKernels::accumulate(Accumulated& sums, const MemoryOptions& memory,
                              const SequenceAttention& attention, std::uint32_t length) {
  const AttentionShape& shape = attention.shape();
  std::vector<std::uint32_t> tokens(length);
  std::iota(tokens.begin(), tokens.end(), 0u);
  sums.planes.resize(std::size_t{shape.layers} * shape.kv_heads);
  std::uint32_t begin = sums.queries;
  if (memory.memory == MemoryKind::window) {
    begin = length - std::min(length, memory.memory_window);
    sums.planes.assign(sums.planes.size(), {});
  }
  const bool fades = memory.memory == MemoryKind::ema;
  const double stays = fades ? std::exp2(-1 / memory.half_life) : 1;  // of the sums, a query later
  const std::uint32_t stride = fades ? 1 : length;                    // queries that count alike
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
    const HeadRange heads{layer, layer + 1, 0, shape.kv_heads};
    const KeyBlocks keys(device_, attention, layer, heads, tokens);
    std::vector<Matrix> keys_in_double;
    for (std::uint32_t head = 0; head < shape.kv_heads; ++head)
      keys_in_double.push_back(rows_in_double(attention, RowKind::key, layer, head, tokens));
    for (std::uint32_t from = begin; from < length; from += std::min(stride, length - from)) {
      const std::uint32_t count = std::min(stride, length - from);
      const std::vector<float> added =
          received(attention, keys, heads, from, from + count, length, sums.largest_logit);
      for (std::uint32_t head = 0; head < shape.kv_heads; ++head) {
        Received& plane = sums.planes[layer * shape.kv_heads + head];
        grow(plane.by_kernels, length);
        grow(plane.in_double, length);
        plane.by_kernels =
            stays * plane.by_kernels +
            Eigen::Map<const Eigen::VectorXf>(&added[head * length], length).cast<double>();
        plane.in_double *= stays;
        for (std::uint32_t member = 0; member < shape.group(); ++member)
          plane.in_double += received_in_double(attention, layer, head * shape.group() + member,
                                                from, count, tokens, keys_in_double[head]);
      }
    }
  }
  sums.queries = length;
}

KernelScores ScoreKernels::score(const AccumulatedScores& definition,
                                 const SequenceAttention& attention, SequenceId id,
                                 const SetChoice& choice, std::uint32_t next_position) {
  Accumulated& sums = accumulated_[id];
  if (sums.queries < next_position) accumulate(sums, definition.memory, attention, next_position);
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const bool per_age = definition.memory.memory == MemoryKind::per_age;
  const auto of_tokens = [&](const Vector& all) {
    Vector result(static_cast<Eigen::Index>(tokens.size()));
    for (std::size_t i = 0; i < tokens.size(); ++i)
      result[static_cast<Eigen::Index>(i)] =
          all[tokens[i]] / (per_age ? static_cast<double>(next_position - tokens[i]) : 1.0);
    return result;
  };
  std::vector<float> rows;
  const Vector in_double =
      sum_over_heads(heads, tokens.size(), [&](std::uint32_t layer, std::uint32_t head) {
        const Received& plane = sums.planes[layer * attention.shape().kv_heads + head];
        for (const double x : of_tokens(plane.by_kernels))
          rows.push_back(static_cast<float>(x));
        return of_tokens(plane.in_double);
      });
  return {join(gpu::Buffer<float>(device_, rows), heads, 1, tokens.size(), gpu::Join::sum,
               gpu::Join::sum, gpu::Join::sum),
          least_weight,
          weight_error(sums.largest_logit, sums.queries),
          {},
          numbers(in_double)};
}

}  // namespace vacancy::verify
