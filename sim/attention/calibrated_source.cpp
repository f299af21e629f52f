// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/calibrated_source.hpp"

#include <algorithm>
#include <cmath>

#include "sim/attention/byte_reader.hpp"
#include "sim/attention/registry.hpp"
#include "sim/attention/rope.hpp"
#include "sim/attention/vector_math.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr AttentionFeatures all_features{
    .weights = true, .keys = true, .queries = true, .values = true, .half_rotary = true};

}  // namespace

class CalibratedSequence final : public SequenceAttention {
 public:
  CalibratedSequence(const CalibratedSource& source, SequenceId id)
      : source_(source),
        draws_(source.seed_, id),
        rotary_(source.shape_.head_dim, source.rope_theta_, RopePairing::half) {}

  const AttentionShape& shape() const override { return source_.shape_; }
  void advance(std::uint32_t length) override { rotary_.grow(length); }
  std::uint32_t length() const override { return rotary_.length(); }

  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override {
    VACANCY_ASSERT(query < length() && row.size() == query + 1, "a row of an available query");
    const std::size_t d = shape().head_dim;
    std::vector<float> q(d);
    queries(layer, query_head, query, q);
    const auto& head_keys = cached_keys(layer, query_head / shape().group(), query + 1);
    attention_row(q, std::span(head_keys).first(row.size() * d), row);
  }

  void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
               std::span<float> out) const override {
    const std::uint32_t set = layer * shape().query_heads + query_head;
    for_each_row(first, out, [&](std::uint32_t token, std::span<float> row) {
      source_.queries_[set].draw(draws_, set, token, row);
      rotary_.rotate(row, token);
    });
  }

  void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
            std::span<float> out) const override {
    const std::uint32_t set = layer * shape().kv_heads + kv_head;
    const auto& law = source_.keys_[set];
    for_each_row(first, out, [&](std::uint32_t token, std::span<float> row) {
      draws_.normals(DrawPurpose::key, set, token, row);
      for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = row[i] * law.noise + law.local[i];
      if (const float logit = slow_logit(set, token); logit != 0.0f)
        for (std::size_t i = 0; i < row.size(); ++i)
          row[i] += law.slow[i] * logit;
      rotary_.rotate(row, token);
    });
  }

  void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override {
    const std::uint32_t set = layer * shape().kv_heads + kv_head;
    const auto& mean = source_.keys_[set].value_mean;
    const double share = source_.options_.value_concentration;
    const auto of_mean = static_cast<float>(share);
    const auto of_token = static_cast<float>(std::sqrt(1.0 - share * share));
    for_each_row(first, out, [&](std::uint32_t token, std::span<float> row) {
      draws_.normals(DrawPurpose::value, set, token, row);
      for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = row[i] * of_token + mean[i] * of_mean;
    });
  }

 private:
  template <class Fill>
  void for_each_row(std::uint32_t first, std::span<float> out, Fill fill) const {
    const std::size_t d = shape().head_dim;
    VACANCY_ASSERT(out.size() % d == 0 && first + out.size() / d <= length(),
                   "whole rows of available tokens");
    for (std::size_t at = 0; at < out.size(); at += d)
      fill(first++, out.subspan(at, d));
  }

  /// What the mean query pays to the slow part of a key.
  float slow_logit(std::uint32_t set, std::uint32_t token) const {
    const auto& options = source_.options_;
    if (token < options.sink_tokens) return static_cast<float>(options.sink_logit);
    constexpr std::uint32_t common = 0;
    const auto own = draws_(DrawPurpose::heavy_token, 1 + set, 0, token);
    const bool shares = unit_interval(own[0]) < options.heavy_sharing;
    const auto coin = shares ? draws_(DrawPurpose::heavy_token, common, 0, token)[1] : own[1];
    const bool heavy = unit_interval(coin) < options.heavy_fraction;
    return heavy ? static_cast<float>(options.heavy_logit) : 0.0f;
  }

  /// Keys of one KV head, at least `count` rows. Callers that go through queries head by head would
  /// else make each key once for every query; one head of one sequence is little to hold.
  const std::vector<float>& cached_keys(std::uint32_t layer, std::uint32_t kv_head,
                                        std::uint32_t count) const {
    const std::uint32_t set = layer * shape().kv_heads + kv_head;
    if (set != cached_set_) cache_.clear();
    cached_set_ = set;
    const std::size_t d = shape().head_dim, done = cache_.size() / d;
    if (done < count) {
      cache_.resize(count * d);
      keys(layer, kv_head, static_cast<std::uint32_t>(done), std::span(cache_).subspan(done * d));
    }
    return cache_;
  }

  const CalibratedSource& source_;
  AttentionDraws draws_;
  RotaryTable rotary_;
  mutable std::uint32_t cached_set_ = 0;
  mutable std::vector<float> cache_;
};

namespace {

void check_cover(const Calibration& calibration, const AttentionShape& shape) {
  const auto refuse = [&](const std::string& fault) {
    throw UserError(calibration.source + ": " + fault +
                    "; give the calibration that was made for this model");
  };
  const auto compare = [&](const char* what, std::uint32_t of_file, std::uint32_t of_model) {
    if (of_file != of_model)
      refuse("the calibrated model has " + std::to_string(of_file) + " " + what +
             ", the scenario's " + std::to_string(of_model));
  };
  compare("layers", calibration.layers(), shape.layers);
  compare("query heads", calibration.query_heads(), shape.query_heads);
  if (calibration.kv_heads != 0) compare("KV heads", calibration.kv_heads, shape.kv_heads);
  compare("components of a head", calibration.head_dim(), shape.head_dim);
  if (!calibration.rope_style.empty() && calibration.rope_style != "half")
    refuse("its statistics are of the rotary pairing '" + printable(calibration.rope_style) +
           "', not 'half'");
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
    for (std::uint32_t head = 0; head < shape.query_heads; ++head)
      if (!calibration.present(layer, head))
        refuse("it has no statistics of layer " + std::to_string(layer) + ", query head " +
               std::to_string(head) + ", and this source needs all heads");
}

}  // namespace

CalibratedSource::CalibratedSource(const Calibration& calibration, AttentionShape shape,
                                   double rope_theta, const CalibratedSourceOptions& options,
                                   std::uint64_t seed)
    : shape_(shape), rope_theta_(rope_theta), options_(options), seed_(seed) {
  check_shape(shape_);
  if (rope_theta_ <= 0.0)
    throw UserError(
        "the calibrated attention source rotates queries and keys, but the model has no rotary "
        "base; set model.rope_theta or choose another attention.source");
  check_cover(calibration, shape_);
  for (std::uint32_t layer = 0; layer < shape_.layers; ++layer)
    for (std::uint32_t head = 0; head < shape_.query_heads; ++head)
      queries_.emplace_back(calibration.head(layer, head), options_.modulus_spread);
  const RotaryTable rotary(shape_.head_dim, rope_theta_, RopePairing::half);
  for (std::uint32_t layer = 0; layer < shape_.layers; ++layer)
    for (std::uint32_t head = 0; head < shape_.kv_heads; ++head)
      keys_.push_back(make_key_law(calibration, layer, head, rotary.frequencies()));
}

CalibratedSource::KeyLaw CalibratedSource::make_key_law(
    const Calibration& calibration, std::uint32_t layer, std::uint32_t kv_head,
    const std::vector<double>& frequencies) const {
  const std::uint32_t group = shape_.group(), bands = calibration.bands();
  std::vector<double> real(bands), imag(bands), modulus(bands);
  double query_mean_square = 0.0;
  for (std::uint32_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
    const auto statistics = calibration.head(layer, head);
    query_mean_square += queries_[layer * shape_.query_heads + head].mean_square() / group;
    for (std::uint32_t f = 0; f < bands; ++f) {
      real[f] += double{statistics.mean_real[f]} / group;
      imag[f] += double{statistics.mean_imag[f]} / group;
    }
  }
  double square_sum = 0.0, slow_sum = 0.0;
  const auto is_slow = [&](std::uint32_t f) {
    return frequencies[f] * options_.slow_horizon <= 1.0 || f + 1 == bands;
  };
  for (std::uint32_t f = 0; f < bands; ++f) {
    modulus[f] = std::sqrt(real[f] * real[f] + imag[f] * imag[f]);
    square_sum += modulus[f] * modulus[f];
    if (is_slow(f)) slow_sum += modulus[f];
  }

  // A logit is q·k / sqrt(d).
  const double root_d = std::sqrt(static_cast<double>(shape_.head_dim));
  KeyLaw law;
  law.local.resize(shape_.head_dim);
  law.slow.resize(shape_.head_dim);
  for (std::uint32_t f = 0; f < bands; ++f) {
    if (modulus[f] == 0.0) continue;
    const double local = options_.local_logit * root_d / square_sum;
    const double slow = is_slow(f) ? root_d / (slow_sum * modulus[f]) : 0.0;
    law.local[f] = static_cast<float>(local * real[f]);
    law.local[f + bands] = static_cast<float>(local * imag[f]);
    law.slow[f] = static_cast<float>(slow * real[f]);
    law.slow[f + bands] = static_cast<float>(slow * imag[f]);
  }
  if (query_mean_square > 0.0)
    law.noise = static_cast<float>(options_.noise_logit * root_d / std::sqrt(query_mean_square));
  law.value_mean.resize(shape_.head_dim);
  // Fixed for the head, whatever the sequence.
  AttentionDraws(seed_, SequenceId{0})
      .normals(DrawPurpose::head_direction, layer * shape_.kv_heads + kv_head, 0, law.value_mean);
  return law;
}

AttentionFeatures CalibratedSource::features() const {
  return all_features;
}

std::unique_ptr<SequenceAttention> CalibratedSource::open(SequenceId id) const {
  return std::make_unique<CalibratedSequence>(*this, id);
}

const OptionTable<CalibratedSourceOptions>& CalibratedSource::option_table() {
  using Options = CalibratedSourceOptions;
  static const auto table =
      OptionTable<Options>()
          .add("file", &Options::file, "", {},
               "TriAttention calibration of the scenario's model, TRIA binary or .pt.")
          .add("modulus_spread", &Options::modulus_spread, "share", {0.0, 1.0},
               "A query band's modulus is uniform within its mean times 1 plus or minus this.")
          .add("local_logit", &Options::local_logit, "logits", {0.0, 100.0},
               "What the mean query pays every key at distance 0; falls with distance by the "
               "head's own frequencies.")
          .add("noise_logit", &Options::noise_logit, "logits", {0.0, 100.0},
               "Standard deviation of what a query pays to the random part of a key.")
          .add("heavy_logit", &Options::heavy_logit, "logits", {0.0, 100.0},
               "What the mean query pays a heavy token beside, at any distance below the horizon.")
          .add("heavy_fraction", &Options::heavy_fraction, "probability", {0.0, 1.0},
               "Probability that a token is heavy for a (layer, KV head).")
          .add("heavy_sharing", &Options::heavy_sharing, "probability", {0.0, 1.0},
               "Probability that this is decided by one coin for all heads: 0 = independent heads, "
               "1 = the same heavy tokens everywhere.")
          .add("sink_logit", &Options::sink_logit, "logits", {0.0, 100.0},
               "What the mean query pays the first tokens beside, at any distance below the "
               "horizon.")
          .add("sink_tokens", &Options::sink_tokens, "tokens", {0, 1024},
               "Number of first tokens that are sinks.")
          .add("slow_horizon", &Options::slow_horizon, "tokens", {1.0, 1e9},
               "Heavy tokens and sinks use the bands that turn by at most a radian over this "
               "distance.")
          .add("value_concentration", &Options::value_concentration, "", {0.0, 1.0},
               "Weight of the head's fixed vector in a value, the rest being the token's own.");
  return table;
}

AttentionSourceEntry calibrated_source_entry() {
  return {{"calibrated",
           "Queries that follow a TriAttention calibration at a real model's size; keys and values "
           "by a documented process of our own.",
           "arXiv 2604.04921 (statistics); ours (keys and values)",
           CalibratedSource::option_table().parameters()},
          all_features,
          [](const ParameterValues& values,
             const AttentionContext& context) -> std::unique_ptr<AttentionSource> {
            const auto options = CalibratedSource::option_table().read(values);
            const auto calibration = read_calibration(context.resolve_path(options.file.string()));
            return std::make_unique<CalibratedSource>(calibration, context.model,
                                                      context.rope_theta, options, context.seed);
          }};
}

}  // namespace vacancy
