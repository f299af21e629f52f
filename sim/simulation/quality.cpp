// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace vacancy {

namespace {

/// kept[token]: 1 for the tokens that a set still holds and for all newer ones.
void mark_kept(const CachedSequence& sequence, const CacheLayout& layout, std::uint32_t set,
               std::vector<std::uint8_t>& kept) {
  std::fill(kept.begin(), kept.begin() + sequence.next_position, std::uint8_t{0});
  std::fill(kept.begin() + sequence.next_position, kept.end(), std::uint8_t{1});
  const auto place = layout.first_place(set);
  sequence.tables[place.table].for_each_live(
      place.set, [&](std::uint32_t, std::uint32_t token) { kept[token] = 1; });
}

/// Ascending, the tokens that are marked.
void list_marked(std::span<const std::uint8_t> marks, std::vector<std::uint32_t>& tokens) {
  tokens.clear();
  for (std::uint32_t token = 0; token < marks.size(); ++token)
    if (marks[token]) tokens.push_back(token);
}

double retained_mass(std::span<const float> row, std::span<const std::uint32_t> read) {
  double mass = 0;
  for (const std::uint32_t token : read) {
    if (token >= row.size()) break;
    mass += static_cast<double>(row[token]);
  }
  return mass;
}

/// sums[i] += weight · value[i], for whole rows at once.
void add_scaled(double weight, const float* value, std::size_t dim, double* sums) {
  for (std::size_t i = 0; i < dim; ++i)
    sums[i] += weight * static_cast<double>(value[i]);
}

/// ‖full − kept‖ / ‖full‖ for one query; `values` holds rows of `dim` floats.
double output_error(std::span<const float> row, std::span<const std::uint8_t> kept, double mass,
                    std::span<const float> values, std::size_t dim, std::vector<double>& full,
                    std::vector<double>& part) {
  full.assign(dim, 0);
  part.assign(dim, 0);
  for (std::size_t token = 0; token < row.size(); ++token) {
    const auto weight = static_cast<double>(row[token]);
    add_scaled(weight, &values[token * dim], dim, full.data());
    if (kept[token]) add_scaled(weight, &values[token * dim], dim, part.data());
  }
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    const double d = full[i] - (mass > 0 ? part[i] / mass : 0);
    difference += d * d;
    norm += full[i] * full[i];
  }
  return norm > 0 ? std::sqrt(difference / norm) : 0;
}

}  // namespace

Quality measure_quality(const SequenceAttention& attention, const AttentionFeatures& features,
                        const CachedSequence& sequence, const CacheLayout& layout,
                        std::uint32_t first, std::uint32_t last, const ReaderOf& reader_of) {
  const AttentionShape& shape = attention.shape();
  const std::size_t dim = shape.head_dim;
  std::vector<std::uint8_t> kept(std::max(last, sequence.next_position)), passed;
  std::vector<std::uint32_t> tokens;
  std::vector<float> row(last), values(features.values ? last * dim : 0);
  std::vector<double> full, part;
  double mass = 0, error = 0;
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
    for (std::uint32_t head = 0; head < shape.kv_heads; ++head) {
      mark_kept(sequence, layout, layout.policy_set_of(layer, head), kept);
      list_marked(kept, tokens);
      if (features.values) attention.values(layer, head, 0, values);
      const auto reader = reader_of ? reader_of(layer, head) : nullptr;
      for (std::uint32_t q = head * shape.group(); q < (head + 1) * shape.group(); ++q) {
        for (std::uint32_t query = first; query < last; ++query) {
          const std::span<float> weights = std::span(row).first(query + 1);
          attention.weights_over_all(layer, q, query, weights);
          std::span<const std::uint8_t> read = kept;
          if (reader) {
            passed = kept;
            reader->pass_over(q, query, passed);
            list_marked(passed, tokens);
            read = passed;
          }
          const double retained = retained_mass(weights, tokens);
          mass += retained;
          if (features.values)
            error += output_error(weights, read, retained, values, dim, full, part);
        }
      }
    }
  }
  const double rows = double(shape.layers) * shape.query_heads * (last - first);
  return {mass / rows, features.values ? error / rows : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace vacancy
