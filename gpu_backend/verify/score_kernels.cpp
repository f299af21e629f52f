// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/score_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu_backend/verify/attention_rows.hpp"

namespace vacancy::verify {

namespace {

/// Rounding of a score's terms, in shares of the sum of their magnitudes: that of the kernels
/// (docs/gpu.md), and as much for whoever computed the other score in float.
constexpr double term_error = 2e-6, both_errors = 2 * term_error;
constexpr double float_error = 0x1.0p-24;
/// Weights below it are what exponentials leave where they underflow.
constexpr double least_weight = 1e-30;

std::size_t layers_of(const HeadRange& heads) {
  return heads.last_layer - heads.first_layer;
}
std::size_t kv_heads_of(const HeadRange& heads) {
  return heads.last_head - heads.first_head;
}

/// Of sums of softmax weights over `queries` queries whose logits have terms of `largest_logit` in
/// all: a logit's error d scales its weight, and the sum of all weights, by e^d.
double weight_error(double largest_logit, double queries) {
  return 2 * both_errors * largest_logit + both_errors + queries * float_error;
}

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

/// Of a row that is scaled to mean 0 and deviation 1 over [begin, end), where each value is off by
/// `error`: mean and deviation are off by as much at most.
double scaled_error(std::span<const float> row, double error, std::size_t begin, std::size_t end) {
  if (end <= begin) return error;
  const double count = static_cast<double>(end - begin);
  double mean = 0, squares = 0, farthest = 0;
  for (std::size_t i = begin; i < end; ++i)
    mean += double{row[i]} / count;
  for (std::size_t i = begin; i < end; ++i) {
    const double apart = std::abs(double{row[i]} - mean);
    squares += apart * apart;
    farthest = std::max(farthest, apart);
  }
  const double deviation = std::max(std::sqrt(squares / count), 1e-6);
  return (error * (2 + farthest / deviation) + both_errors * farthest) / deviation;
}

/// A query head's weights for bands of padded keys, and what their terms sum to at most for a key
/// of length 1.
double pad_weights(std::span<const double> weights, std::size_t bands, std::span<float> padded,
                   std::size_t padded_bands) {
  const std::size_t rows = weights.size() / bands;  // re, im of each distance, then w
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t f = 0; f < bands; ++f)
      padded[row * padded_bands + f] = static_cast<float>(weights[row * bands + f]);
  double squares = 0;
  for (std::size_t f = 0; f < bands; ++f) {
    double most = 0;
    for (std::size_t row = 0; row + 1 < rows; row += 2)
      most = std::max(most, std::hypot(weights[row * bands + f], weights[(row + 1) * bands + f]));
    most += std::abs(weights[(rows - 1) * bands + f]);
    squares += most * most;
  }
  return std::sqrt(squares);
}

/// How many others of its partition may rank on the other side of each token, their shares being
/// off by `errors`.
void add_doubts(std::span<const float> keys, std::span<const float> values,
                const gpu::reference::Vector& errors, std::size_t begin, std::size_t lag,
                std::span<double> doubts) {
  const auto share = [&](std::size_t i) { return double{keys[i]} + double{values[i]}; };
  const auto error = [&](std::size_t i) { return errors[static_cast<Eigen::Index>(i)]; };
  for (std::size_t first = begin; first + 2 * lag <= doubts.size(); first += lag)
    for (std::size_t i = first; i < first + lag; ++i)
      for (std::size_t j = first; j < first + lag; ++j)
        if (i != j && std::abs(share(i) - share(j)) <= error(i) + error(j)) ++doubts[i];
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
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const gpu::Buffer<float> rows(device_, layers_of(heads) * kv_heads_of(heads) * tokens.size());
  for (std::size_t layer = 0; layer < layers_of(heads); ++layer) {
    const KeyBlocks keys(device_, attention, heads.first_layer + static_cast<std::uint32_t>(layer),
                         heads, tokens);
    device_.run(
        gpu::RowStatistics{.rows = keys.rows(),
                           .scores = rows.data() + layer * kv_heads_of(heads) * tokens.size(),
                           .stride = static_cast<std::int64_t>(tokens.size())});
  }
  work_ += rows.size();
  return {join(rows, heads, 1, tokens.size(), gpu::Join::sum, gpu::Join::sum, gpu::Join::sum), 0,
          both_errors};
}

KernelScores ScoreKernels::score(const KeyDifferenceScores&, const SequenceAttention& attention,
                                 SequenceId, const SetChoice& choice, std::uint32_t) {
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const auto dim = static_cast<std::size_t>(padded_head_dim(attention.shape().head_dim).value());
  const gpu::Buffer<float> rows(device_, layers_of(heads) * kv_heads_of(heads) * tokens.size()),
      anchors(device_, kv_heads_of(heads) * dim);
  double error = 0;
  for (std::size_t layer = 0; layer < layers_of(heads); ++layer) {
    const KeyBlocks keys(device_, attention, heads.first_layer + static_cast<std::uint32_t>(layer),
                         heads, tokens);
    device_.run(
        gpu::KeyDifference{.rows = keys.rows(),
                           .scores = rows.data() + layer * kv_heads_of(heads) * tokens.size(),
                           .anchors = anchors.data(),
                           .stride = static_cast<std::int64_t>(tokens.size())});
    const std::vector<float> sums = anchors.download();
    for (std::size_t head = 0; head < kv_heads_of(heads); ++head) {
      const double length = longest(std::span(sums).subspan(head * dim, dim), dim);
      error += both_errors * (1 + static_cast<double>(tokens.size()) / length);
    }
  }
  work_ += rows.size();
  return {join(rows, heads, 1, tokens.size(), gpu::Join::sum, gpu::Join::sum, gpu::Join::sum),
          error, 0};
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
  std::vector<double> doubts(count);
  for (std::size_t layer = 0; layer < layers_of(heads); ++layer) {
    const std::uint32_t number = heads.first_layer + static_cast<std::uint32_t>(layer);
    const KeyBlocks keys(device_, attention, number, heads, tokens, true);
    device_.run(gpu::LagRanks{.rows = keys.rows(),
                              .begin = begin.data(),
                              .lag = lag,
                              .channels = static_cast<int>(attention.shape().head_dim),
                              .scores = rows.data() + layer * kv_heads * count,
                              .shares = shares.data(),
                              .stride = static_cast<std::int64_t>(count)});
    const std::vector<float> of_rows = shares.download();
    for (std::size_t head = 0; head < kv_heads; ++head) {
      const auto terms = [&](RowKind kind) {
        return gpu::reference::lag_shares(
                   rows_in_double(attention, kind, number,
                                  heads.first_head + static_cast<std::uint32_t>(head), tokens),
                   sinks, lag)
            .magnitude;
      };
      const gpu::reference::Vector errors =
          both_errors * (terms(RowKind::key) + terms(RowKind::value));
      add_doubts(std::span(of_rows).subspan(head * count, count),
                 std::span(of_rows).subspan((kv_heads + head) * count, count), errors,
                 static_cast<std::size_t>(sinks), definition.lag, doubts);
    }
  }
  work_ += rows.size();
  // The simulator sums ranks / lag: exactly, but for several of them by another divisor.
  const bool exact = layers_of(heads) * kv_heads == 1 || std::has_single_bit(definition.lag);
  return {join(rows, heads, 1, count, gpu::Join::sum, gpu::Join::sum, gpu::Join::sum),
          exact ? 0 : 1e-9, 0, std::move(doubts)};
}

void ScoreKernels::attend(const gpu::CachedRows& keys, const gpu::SlotPositions& slots,
                          const float* queries, std::uint32_t first_query, std::uint32_t count,
                          int query_heads, double scale, bool accumulate, std::size_t tokens,
                          float* column_sums) {
  const std::size_t rows = static_cast<std::size_t>(query_heads) * count;
  const gpu::Buffer first(device_, std::vector{static_cast<std::int32_t>(first_query)});
  const gpu::Buffer<float> logits(device_, rows * tokens), statistics(device_, 2 * rows);
  device_.run(gpu::QueryAttention{.rows = keys,
                                  .slots = slots,
                                  .query = queries,
                                  .first_position = first.data(),
                                  .query_heads = query_heads,
                                  .window = static_cast<int>(count),
                                  .scale = static_cast<float>(scale),
                                  .accumulate = accumulate,
                                  .factor = 1,
                                  .column_sums = column_sums,
                                  .logits = logits.data(),
                                  .statistics = statistics.data(),
                                  .stride = static_cast<std::int64_t>(tokens)});
  work_ += rows * tokens;
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
    attend(keys.rows(), slots, queries.data.data(), first_query, window, query_heads, scale, false,
           tokens.size(), rows.data() + layer * layer_rows);
  }
  gpu::Buffer<float> weights =
      join(rows, heads, group, tokens.size(),
           definition.group == GroupRule::mean ? gpu::Join::sum : gpu::Join::max, gpu::Join::none,
           gpu::Join::none);
  if (definition.options.kernel > 1) {
    const auto pooled_to = definition.scores_window
                               ? tokens.end()
                               : std::lower_bound(tokens.begin(), tokens.end(), first_query);
    const gpu::Buffer end(device_,
                          std::vector{static_cast<std::int32_t>(pooled_to - tokens.begin())});
    gpu::Buffer<float> pooled(device_, std::vector<float>(weights.size()));
    device_.run(gpu::PoolNeighbours{
        .rows = {.data = weights.data(),
                 .stride = stride,
                 .requests = 1,
                 .per_request = static_cast<int>(layers_of(heads) * kv_heads_of(heads)),
                 .end = end.data()},
        .target = pooled.data(),
        .kernel = static_cast<int>(definition.options.kernel),
        .maximum = definition.options.pooling == Pooling::max});
    weights = std::move(pooled);
  }
  return {join(weights, heads, 1, tokens.size(), gpu::Join::sum, gpu::Join::sum, gpu::Join::sum),
          absolute, weight_error(largest_logit, window)};
}

void ScoreKernels::accumulate(Accumulated& sums, const SequenceAttention& attention,
                              std::uint32_t length) {
  constexpr std::uint32_t chunk = 32;  // queries that read the keys together
  const AttentionShape& shape = attention.shape();
  const HeadRange heads{0, shape.layers, 0, shape.kv_heads};
  const double scale = 1 / std::sqrt(static_cast<double>(shape.head_dim));
  const auto query_heads = static_cast<int>(shape.query_heads);
  std::vector<std::uint32_t> tokens(length);
  for (std::uint32_t i = 0; i < length; ++i)
    tokens[i] = i;
  sums.sums.resize(std::size_t{shape.layers} * shape.kv_heads);
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
    const KeyBlocks keys(device_, attention, layer, heads, tokens);
    const gpu::Buffer<float> columns(device_,
                                     std::vector<float>(std::size_t{shape.query_heads} * length));
    for (std::uint32_t first = sums.queries; first < length; first += chunk) {
      const std::uint32_t count = std::min(chunk, length - first);
      const QueryRows queries(device_, attention, layer, heads, first, count);
      sums.largest_logit =
          std::max(sums.largest_logit, keys.longest_key() * queries.longest_query * scale);
      attend(keys.rows(), {}, queries.data.data(), first, count, query_heads, scale, true, length,
             columns.data());
    }
    const std::vector<float> added =
        join(columns, {layer, layer + 1, 0, shape.kv_heads}, static_cast<int>(shape.group()),
             length, gpu::Join::sum, gpu::Join::none, gpu::Join::none)
            .download();
    for (std::size_t head = 0; head < shape.kv_heads; ++head) {
      std::vector<double>& plane = sums.sums[layer * shape.kv_heads + head];
      plane.resize(length);
      for (std::size_t i = 0; i < length; ++i)
        plane[i] += double{added[head * length + i]};
    }
  }
  sums.queries = length;
}

KernelScores ScoreKernels::score(const AccumulatedScores&, const SequenceAttention& attention,
                                 SequenceId id, const SetChoice& choice,
                                 std::uint32_t next_position) {
  Accumulated& sums = accumulated_[id];
  if (sums.queries < next_position) accumulate(sums, attention, next_position);
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  std::vector<float> rows;
  for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
    for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head)
      for (const std::uint32_t token : tokens)
        rows.push_back(
            static_cast<float>(sums.sums[layer * attention.shape().kv_heads + head][token]));
  return {join(gpu::Buffer<float>(device_, rows), heads, 1, tokens.size(), gpu::Join::sum,
               gpu::Join::sum, gpu::Join::sum),
          least_weight, weight_error(sums.largest_logit, sums.queries)};
}

KernelScores ScoreKernels::score(const TriAttentionScores& definition,
                                 const SequenceAttention& attention, SequenceId,
                                 const SetChoice& choice, std::uint32_t next_position) {
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const std::uint32_t group = attention.shape().group();
  const std::size_t query_heads = kv_heads_of(heads) * group;
  const TriAttentionPhases phases(definition.frequencies, definition.terms, next_position);
  const std::size_t bands = phases.bands(), weight_rows = phases.weights() / bands;
  const auto padded_bands =
      static_cast<std::size_t>(padded_head_dim(attention.shape().head_dim).value() / 2);

  const std::size_t layer_rows = query_heads * tokens.size();
  const gpu::Buffer<float> rows(device_, layers_of(heads) * layer_rows);
  std::vector<double> errors;  // of each row's scores
  std::vector<double> weights(phases.weights());
  for (std::size_t layer = 0; layer < layers_of(heads); ++layer) {
    const std::uint32_t number = heads.first_layer + static_cast<std::uint32_t>(layer);
    const KeyBlocks keys(device_, attention, number, heads, tokens);
    const std::size_t row = weight_rows * padded_bands;
    std::vector<float> padded(query_heads * row);
    for (std::size_t q = 0; q < query_heads; ++q) {
      phases.make_weights(definition.calibration->head(
                              number, heads.first_head * group + static_cast<std::uint32_t>(q)),
                          weights);
      const double terms =
          pad_weights(weights, bands, std::span(padded).subspan(q * row, row), padded_bands);
      errors.push_back(both_errors * terms * keys.longest_key());
    }
    const gpu::Buffer<float> device_weights(device_, padded);
    device_.run(gpu::TriAttentionScores{.rows = keys.rows(),
                                        .weights = device_weights.data(),
                                        .query_heads = static_cast<int>(query_heads),
                                        .distances = static_cast<int>(weight_rows / 2),
                                        .scores = rows.data() + layer * layer_rows,
                                        .stride = static_cast<std::int64_t>(tokens.size())});
  }
  work_ += rows.size();

  if (definition.scale != RowScale::none) {
    const bool all = definition.scale == RowScale::over_cached;
    const std::size_t first = all ? 0 : choice.begin, last = all ? tokens.size() : choice.end;
    const std::vector<float> values = rows.download();
    for (std::size_t i = 0; i < errors.size(); ++i)
      errors[i] = scaled_error(std::span(values).subspan(i * tokens.size(), tokens.size()),
                               errors[i], first, last);
    const gpu::Buffer begin(device_, std::vector{static_cast<std::int32_t>(first)}),
        end(device_, std::vector{static_cast<std::int32_t>(last)});
    device_.run(gpu::NormalizeRows{.rows = {.data = rows.data(),
                                            .stride = static_cast<std::int64_t>(tokens.size()),
                                            .requests = 1,
                                            .per_request = static_cast<int>(errors.size()),
                                            .begin = begin.data(),
                                            .end = end.data()}});
  }
  const bool maxima =
      definition.join == RowJoin::max_of_all || definition.join == RowJoin::mean_of_layer_maxima;
  const gpu::Join within = maxima ? gpu::Join::max : gpu::Join::mean;
  const gpu::Join over_layers =
      definition.join == RowJoin::max_of_all ? gpu::Join::max : gpu::Join::mean;
  return {join(rows, heads, static_cast<int>(group), tokens.size(), within, within, over_layers),
          *std::max_element(errors.begin(), errors.end()), both_errors};
}

}  // namespace vacancy::verify
