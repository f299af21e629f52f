// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "gpu_backend/launch/triattention_rotations.hpp"
#include "gpu_backend/verify/attention_rows.hpp"
#include "gpu_backend/verify/score_kernels.hpp"
#include "gpu_backend/verify/score_terms.hpp"

namespace vacancy::verify {

namespace {

/// What does not change from round to round, with zeros for the bands that padded keys have more.
class Turns {
 public:
  Turns(gpu::Device& device, const TriAttentionScores& definition, std::size_t padded_bands) {
    std::vector<double> frequencies(definition.frequencies.begin(), definition.frequencies.end());
    frequencies.resize(padded_bands);
    const TriAttentionTerms& terms = definition.terms;
    if (!terms.disable_trig) {
      const auto rotations = gpu::triattention_rotations(frequencies, terms.offset_max,
                                                         terms.offsets == OffsetAggregation::mean,
                                                         terms.rotary_scaling);
      distances_ = static_cast<int>(rotations.size() / (2 * padded_bands));
      rotations_ = gpu::Buffer<double>(device, rotations);
    }
    frequencies_ = gpu::Buffer<double>(device, frequencies);
  }

  int distances() const { return distances_; }
  const double* frequencies() const { return frequencies_.data(); }
  const double* rotations() const { return rotations_.data(); }

 private:
  int distances_ = 0;
  gpu::Buffer<double> frequencies_, rotations_;
};

/// A query head's statistics in double, with no line of sim/eviction (spec policies §4.1).
struct QueryInDouble {
  Eigen::VectorXcd mean;  // E[q_f]
  Vector norm_weights;    // what |k_f| counts

  QueryInDouble(const HeadStatistics& query, const TriAttentionTerms& terms)
      : mean(static_cast<Eigen::Index>(query.mean_abs.size())) {
    const auto in_double = [](std::span<const float> values) {
      return Eigen::Map<const Eigen::VectorXf>(values.data(),
                                               static_cast<Eigen::Index>(values.size()))
          .cast<double>();
    };
    mean.real() = in_double(query.mean_real);
    mean.imag() = in_double(query.mean_imag);
    norm_weights = terms.rotary_scaling * in_double(query.mean_abs);
    if (!terms.disable_mlr) norm_weights -= terms.rotary_scaling * mean.cwiseAbs();
  }
};

/// A query head's calibration as the kernel reads it: re, im, w, for bands of padded keys.
void pad_calibration(const HeadStatistics& query, const Vector& norm_weights,
                     std::span<float> padded) {
  const std::size_t bands = padded.size() / 3;
  std::ranges::copy(query.mean_real, padded.begin());
  std::ranges::copy(query.mean_imag, padded.subspan(bands).begin());
  std::ranges::transform(norm_weights, padded.subspan(2 * bands).begin(),
                         [](double w) { return static_cast<float>(w); });
}

gpu::reference::Weighed scores_in_double(const Matrix& keys, const QueryInDouble& query,
                                         const TriAttentionScores& definition,
                                         std::uint32_t next_position) {
  const TriAttentionTerms& terms = definition.terms;
  std::vector<double> distances;
  for (double distance = 1; distance <= terms.offset_max && !terms.disable_trig; distance *= 2)
    distances.push_back(distance);
  const Eigen::Map<const Vector> frequencies(
      definition.frequencies.data(), static_cast<Eigen::Index>(definition.frequencies.size()));
  Matrix re(0, keys.cols() / 2), im = re;
  if (!distances.empty()) {
    const Matrix rows = gpu::reference::triattention_weights(
        terms.rotary_scaling * query.mean, frequencies, distances,
        terms.offsets == OffsetAggregation::mean, next_position);
    const Eigen::Index pairs = rows.rows() / 2;
    re = rows(Eigen::seqN(0, pairs, 2), Eigen::all);
    im = rows(Eigen::seqN(1, pairs, 2), Eigen::all);
  }
  return gpu::reference::triattention(keys, re, im, query.norm_weights);
}

/// Of a row that is scaled to mean 0 and deviation 1 over [begin, end), where each value is off by
/// `error`: mean and deviation are off by as much at most.
double scaled_error(const Vector& row, double error, Eigen::Index begin, Eigen::Index end) {
  if (end <= begin) return error;
  const Vector apart =
      row.segment(begin, end - begin).array() - row.segment(begin, end - begin).mean();
  const double farthest = apart.cwiseAbs().maxCoeff();
  const double deviation =
      std::max(std::sqrt(apart.squaredNorm() / static_cast<double>(end - begin)), 1e-6);
  return (error * (2 + farthest / deviation) + both_errors * farthest) / deviation;
}

/// Each row's numbers as one.
Vector join_rows(const Matrix& rows, bool maximum) {
  return maximum ? Vector(rows.colwise().maxCoeff()) : Vector(rows.colwise().mean());
}

}  // namespace

KernelScores ScoreKernels::score(const TriAttentionScores& definition,
                                 const SequenceAttention& attention, SequenceId,
                                 const SetChoice& choice, std::uint32_t next_position) {
  const Tokens tokens = Tokens(choice.live).first(choice.computed);
  const HeadRange& heads = choice.heads;
  const std::uint32_t group = attention.shape().group();
  const std::size_t query_heads = kv_heads_of(heads) * group;
  const auto bands =
      static_cast<std::size_t>(padded_head_dim(attention.shape().head_dim).value() / 2);
  const Turns turns(device_, definition, bands);
  const gpu::Buffer position(device_, std::vector{static_cast<std::int32_t>(next_position)});
  const gpu::Buffer<float> device_weights(
      device_, query_heads * static_cast<std::size_t>(2 * turns.distances() + 1) * bands);
  const bool scaled = definition.scale != RowScale::none;
  const bool over_all = definition.scale == RowScale::over_cached;
  const std::size_t first = over_all ? 0 : choice.begin,
                    last = over_all ? tokens.size() : choice.end;
  const bool maxima =
      definition.join == RowJoin::max_of_all || definition.join == RowJoin::mean_of_layer_maxima;
  const bool maximum_of_layers = definition.join == RowJoin::max_of_all;

  const std::size_t layer_rows = query_heads * tokens.size();
  const gpu::Buffer<float> rows(device_, layers_of(heads) * layer_rows);
  double error = 0;
  Matrix layers_in_double(layers_of(heads), tokens.size());
  for (std::size_t layer = 0; layer < layers_of(heads); ++layer) {
    const std::uint32_t number = heads.first_layer + static_cast<std::uint32_t>(layer);
    const KeyBlocks keys(device_, attention, number, heads, tokens);
    std::vector<float> calibration(query_heads * 3 * bands);
    Matrix in_double(query_heads, tokens.size());
    for (std::size_t q = 0; q < query_heads; ++q) {
      const std::uint32_t head = heads.first_head + static_cast<std::uint32_t>(q) / group;
      const HeadStatistics query = definition.calibration->head(
          number, heads.first_head * group + static_cast<std::uint32_t>(q));
      const QueryInDouble exact_query(query, definition.terms);
      pad_calibration(query, exact_query.norm_weights,
                      std::span(calibration).subspan(q * 3 * bands, 3 * bands));
      auto [value, magnitude] =
          scores_in_double(rows_in_double(attention, RowKind::key, number, head, tokens),
                           exact_query, definition, next_position);
      const double off = both_errors * magnitude.maxCoeff();
      error = std::max(error, scaled ? scaled_error(value, off, static_cast<Eigen::Index>(first),
                                                    static_cast<Eigen::Index>(last))
                                     : off);
      if (scaled)
        value = gpu::reference::normalized(value, static_cast<Eigen::Index>(first),
                                           static_cast<Eigen::Index>(last));
      in_double.row(static_cast<Eigen::Index>(q)) = value;
    }
    layers_in_double.row(static_cast<Eigen::Index>(layer)) = join_rows(in_double, maxima);
    const gpu::Buffer<float> device_calibration(device_, calibration);
    device_.run(gpu::TriAttentionWeights{.calibration = device_calibration.data(),
                                         .frequencies = turns.frequencies(),
                                         .rotations = turns.rotations(),
                                         .positions = position.data(),
                                         .requests = 1,
                                         .layers = 1,
                                         .query_heads = static_cast<int>(query_heads),
                                         .bands = static_cast<int>(bands),
                                         .distances = turns.distances(),
                                         .weights = device_weights.data()});
    device_.run(gpu::TriAttentionScores{.rows = keys.rows(),
                                        .weights = device_weights.data(),
                                        .query_heads = static_cast<int>(query_heads),
                                        .distances = turns.distances(),
                                        .scores = rows.data() + layer * layer_rows,
                                        .stride = static_cast<std::int64_t>(tokens.size())});
  }
  work_ += rows.size();

  if (scaled) {
    const gpu::Buffer begin(device_, std::vector{static_cast<std::int32_t>(first)}),
        end(device_, std::vector{static_cast<std::int32_t>(last)});
    device_.run(
        gpu::NormalizeRows{.rows = {.data = rows.data(),
                                    .stride = static_cast<std::int64_t>(tokens.size()),
                                    .requests = 1,
                                    .per_request = static_cast<int>(layers_of(heads) * query_heads),
                                    .begin = begin.data(),
                                    .end = end.data()}});
  }
  const gpu::Join within = maxima ? gpu::Join::max : gpu::Join::mean;
  const gpu::Join over_layers = maximum_of_layers ? gpu::Join::max : gpu::Join::mean;
  return {join(rows, heads, static_cast<int>(group), tokens.size(), within, within, over_layers),
          error,
          both_errors,
          {},
          numbers(join_rows(layers_in_double, maximum_of_layers))};
}

}  // namespace vacancy::verify
