// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/random_source.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/attention/draws.hpp"
#include "sim/attention/registry.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr AttentionFeatures all_features{.weights = true,
                                         .keys = true,
                                         .queries = true,
                                         .values = true,
                                         .output_norms = true,
                                         .half_rotary = true};

class RandomSequence final : public SequenceAttention {
 public:
  RandomSequence(const AttentionShape& shape, std::uint64_t seed, SequenceId id)
      : shape_(shape), draws_(seed, id) {}

  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t length) override { length_ = std::max(length_, length); }
  std::uint32_t length() const override { return length_; }

  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override {
    VACANCY_ASSERT(query < length_ && row.size() == query + 1, "a row of an available query");
    const std::uint32_t set = layer * shape_.query_heads + query_head;
    double sum = 0.0;
    for (std::uint32_t j = 0; j < row.size(); j += 4) {
      const auto words = draws_(DrawPurpose::weight, set, query, j / 4);
      for (std::uint32_t k = j; k < std::min<std::size_t>(j + 4, row.size()); ++k) {
        row[k] = static_cast<float>(unit_interval_above_zero(words[k - j]));
        sum += double{row[k]};
      }
    }
    const auto scale = static_cast<float>(1.0 / sum);
    for (float& weight : row)
      weight *= scale;
  }
  void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
            std::span<float> out) const override {
    normal_rows(DrawPurpose::key, layer * shape_.kv_heads + kv_head, first, out);
  }
  void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
               std::span<float> out) const override {
    normal_rows(DrawPurpose::query, layer * shape_.query_heads + query_head, first, out);
  }
  void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override {
    normal_rows(DrawPurpose::value, layer * shape_.kv_heads + kv_head, first, out);
  }
  void output_norms(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                    std::span<double> norms) const override {
    std::vector<float> value(shape_.head_dim);
    for (double& norm : norms) {
      values(layer, query_head / shape_.group(), first++, value);
      norm = 0;
      for (const float x : value)
        norm += double{std::abs(x)};
    }
  }

 private:
  void normal_rows(DrawPurpose purpose, std::uint32_t set, std::uint32_t first,
                   std::span<float> out) const {
    const std::size_t d = shape_.head_dim;
    VACANCY_ASSERT(out.size() % d == 0 && first + out.size() / d <= length_,
                   "whole rows of available tokens");
    for (std::size_t at = 0; at < out.size(); at += d)
      draws_.normals(purpose, set, first++, out.subspan(at, d));
  }

  AttentionShape shape_;
  AttentionDraws draws_;
  std::uint32_t length_ = 0;
};

}  // namespace

RandomSource::RandomSource(AttentionShape shape, std::uint64_t seed) : shape_(shape), seed_(seed) {
  check_shape(shape_);
  VACANCY_ASSERT(shape_.head_dim > 0, "vectors have components");
}

AttentionFeatures RandomSource::features() const {
  return all_features;
}

std::uint32_t RandomSource::max_length() const {
  return made_up_max_length;
}

std::unique_ptr<SequenceAttention> RandomSource::open(SequenceId id) const {
  return std::make_unique<RandomSequence>(shape_, seed_, id);
}

const OptionTable<RandomSourceOptions>& RandomSource::option_table() {
  static const auto table = OptionTable<RandomSourceOptions>().add(
      "head_dim", &RandomSourceOptions::head_dim, "components", {1, 4096},
      "Length of a query, key or value vector; null = the model's head dimension.");
  return table;
}

AttentionSourceEntry random_source_entry() {
  return {{"random",
           "Uniform random attention weights and normal queries, keys and values: input without "
           "structure.",
           "ours", RandomSource::option_table().parameters()},
          all_features,
          [](const ParameterValues& values,
             const AttentionContext& context) -> std::unique_ptr<AttentionSource> {
            const auto options = RandomSource::option_table().read(values);
            AttentionShape shape = context.model;
            shape.head_dim = options.head_dim.value_or(shape.head_dim);
            return std::make_unique<RandomSource>(shape, context.seed);
          }};
}

}  // namespace vacancy
