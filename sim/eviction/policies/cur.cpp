// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/philox.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {
namespace {

/// score = |k G|² · |v H|², what a CUR decomposition by random projections takes a token's leverage
/// to be.
class Cur final : public EvictionPolicy {
 public:
  struct Options {
    std::uint32_t sinks = 4;
    std::uint32_t width = 20;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("sinks", &Options::sinks, "tokens", {0, 1 << 24},
                 "First tokens of the sequence that always stay (ours).")
            .add("width", &Options::width, "", {0, 1024},
                 "Dimensions onto which keys and values are projected by a Gaussian matrix each, "
                 "the same for all heads (ours; the width is too). 0 takes their own lengths.");
    return table;
  }

  Cur(const Options& options, const PolicyContext& context)
      : options_(options), key_(philox_key(context.seed)) {}

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    needs.features.values = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {options_.sinks, 0}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const std::size_t entries = std::size_t{round.attention->shape().head_dim} * options_.width;
    scratch.parts.resize(2 * entries + options_.width + round.live.size());
    std::span<double> rest = scratch.parts;
    const auto take = [&rest](std::size_t size) {
      const auto part = rest.first(size);
      rest = rest.subspan(size);
      return part;
    };
    const auto of_keys = take(entries), of_values = take(entries), image = take(options_.width);
    draw(0, of_keys);
    draw(1, of_values);
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t i, auto key) {
        rest[i] = squared_length(key, of_keys, image);
      });
      for_each_live_value(round, layer, head, scratch.vectors, [&](std::size_t i, auto value) {
        sums[i] += rest[i] * squared_length(value, of_values, image);
      });
    });
  }

 private:
  /// Standard normal numbers by Box–Muller, two a counter.
  void draw(std::uint32_t matrix, std::span<double> entries) const {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto words = philox4x32_10({0, matrix, 0, static_cast<std::uint32_t>(i / 2)}, key_);
      const double radius = std::sqrt(-2 * portable_log((words[0] + 0.5) * 0x1.0p-32));
      const SinCos angle = portable_sincos(words[1] * 0x1.0p-32);
      entries[i] = radius * (i % 2 == 0 ? angle.cos : angle.sin);
    }
  }

  /// Of the vector, or of its image under the matrix (channel after channel).
  double squared_length(std::span<const float> vector, std::span<const double> matrix,
                        std::span<double> image) const {
    if (image.empty()) {
      const double length = l2_norm(vector);
      return length * length;
    }
    std::fill(image.begin(), image.end(), 0.0);
    for (std::size_t c = 0; c < vector.size(); ++c)
      for (std::size_t r = 0; r < image.size(); ++r)
        image[r] += double{vector[c]} * matrix[c * image.size() + r];
    double squares = 0;
    for (const double x : image)
      squares += x * x;
    return squares;
  }

  Options options_;
  PhiloxKey key_;
};

}  // namespace

PolicyEntry cur_entry() {
  return prompt_entry_of<Cur>(
      "cur", "CurDKV: keeps tokens whose keys and values are long under a random projection.",
      "arXiv 2509.15038; NVIDIA/kvpress cur_press");
}

}  // namespace vacancy
