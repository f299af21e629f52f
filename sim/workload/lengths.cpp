// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/lengths.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/units/philox.hpp"
#include "sim/units/portable_math.hpp"
#include "sim/workload/draws.hpp"

namespace vacancy {

namespace {

constexpr double longest_length = max_length_tokens;

PhiloxCounter random_words(std::uint64_t seed, std::uint32_t sequence, LengthPurpose purpose) {
  return philox4x32_10({sequence, 0, 0, static_cast<std::uint32_t>(purpose)},
                       philox_key(seed, Stream::workload));
}

void require_order(std::uint32_t minimum, std::uint32_t maximum) {
  if (minimum > maximum)
    throw UserError("min " + std::to_string(minimum) + " exceeds max " + std::to_string(maximum) +
                    "; exchange them.");
}

class Fixed final : public LengthDistribution {
 public:
  explicit Fixed(std::uint32_t tokens) : tokens_(tokens) {}
  std::uint32_t draw(std::uint64_t, std::uint32_t, LengthPurpose) const override { return tokens_; }
  std::uint32_t longest() const override { return tokens_; }

 private:
  std::uint32_t tokens_;
};

class Uniform final : public LengthDistribution {
 public:
  struct Options {
    std::uint32_t min = 1, max = 1024;
  };
  explicit Uniform(Options options) : options_(options) { require_order(options.min, options.max); }
  std::uint32_t draw(std::uint64_t seed, std::uint32_t sequence,
                     LengthPurpose purpose) const override {
    const std::uint64_t values = std::uint64_t{options_.max} - options_.min + 1;
    const std::uint64_t word = random_words(seed, sequence, purpose)[0];
    return options_.min + static_cast<std::uint32_t>(word * values >> 32);
  }
  std::uint32_t longest() const override { return options_.max; }

 private:
  Options options_;
};

/// exp(ln median + z) with z normal of deviation sigma.
class Lognormal final : public LengthDistribution {
 public:
  struct Options {
    double median = 512, sigma = 1;
    std::uint32_t min = 1, max = 131072;
  };
  explicit Lognormal(Options options) : options_(options) {
    require_order(options.min, options.max);
  }
  std::uint32_t draw(std::uint64_t seed, std::uint32_t sequence,
                     LengthPurpose purpose) const override {
    const double deviation = normal_draw(options_.sigma, random_words(seed, sequence, purpose));
    const double tokens = options_.median * portable_exp(deviation);
    return static_cast<std::uint32_t>(
        std::clamp(std::floor(tokens + 0.5), double(options_.min), double(options_.max)));
  }
  std::uint32_t longest() const override { return options_.max; }

 private:
  Options options_;
};

/// 1 + floor(ln u / ln(1 − 1/mean)): the number of trials up to the first success.
class Geometric final : public LengthDistribution {
 public:
  struct Options {
    double mean = 512;
    std::uint32_t min = 1, max = 131072;
  };
  explicit Geometric(Options options) : options_(options) {
    require_order(options.min, options.max);
  }
  std::uint32_t draw(std::uint64_t seed, std::uint32_t sequence,
                     LengthPurpose purpose) const override {
    const PhiloxCounter words = random_words(seed, sequence, purpose);
    const double failure = 1 - 1 / options_.mean;
    const double tokens =
        failure > 0 ? 1 + std::floor(portable_log(open_unit_interval(words[0], words[1])) /
                                     portable_log(failure))
                    : 1;
    return static_cast<std::uint32_t>(
        std::clamp(tokens, double(options_.min), double(options_.max)));
  }
  std::uint32_t longest() const override { return options_.max; }

 private:
  Options options_;
};

struct FixedOptions {
  std::uint32_t tokens = 1024;
};

template <class Options>
OptionTable<Options>& add_bounds(OptionTable<Options>& table) {
  return table
      .add("min", &Options::min, "tokens", {0, longest_length},
           "The shortest length; a shorter draw becomes this long.")
      .add("max", &Options::max, "tokens", {0, longest_length},
           "The longest length; a longer draw becomes this long.");
}

const OptionTable<FixedOptions>& fixed_table() {
  static const auto table = [] {
    OptionTable<FixedOptions> t;
    t.add("tokens", &FixedOptions::tokens, "tokens", {0, longest_length},
          "The length of every sequence.");
    return t;
  }();
  return table;
}

const OptionTable<Uniform::Options>& uniform_table() {
  static const auto table = [] {
    OptionTable<Uniform::Options> t;
    t.add("min", &Uniform::Options::min, "tokens", {0, longest_length}, "The shortest length.")
        .add("max", &Uniform::Options::max, "tokens", {0, longest_length},
             "The longest length, itself included.");
    return t;
  }();
  return table;
}

const OptionTable<Lognormal::Options>& lognormal_table() {
  static const auto table = [] {
    OptionTable<Lognormal::Options> t;
    t.add("median", &Lognormal::Options::median, "tokens", {1, longest_length},
          "Half of the lengths lie below.")
        .add("sigma", &Lognormal::Options::sigma, "", {0, 10},
             "Standard deviation of the natural logarithm of the length.");
    add_bounds(t);
    return t;
  }();
  return table;
}

const OptionTable<Geometric::Options>& geometric_table() {
  static const auto table = [] {
    OptionTable<Geometric::Options> t;
    t.add("mean", &Geometric::Options::mean, "tokens", {1, longest_length},
          "The mean length before min and max apply.");
    add_bounds(t);
    return t;
  }();
  return table;
}

}  // namespace

std::span<const LengthDistributionEntry> length_distributions() {
  static const LengthDistributionEntry entries[] = {
      {{"fixed", "Every sequence has the same length.", "", fixed_table().parameters()},
       [](const ParameterValues& values) {
         return fixed_length(fixed_table().read(values).tokens);
       }},
      {{"uniform", "Every length from min to max is equally likely.", "",
        uniform_table().parameters()},
       [](const ParameterValues& values) -> std::unique_ptr<LengthDistribution> {
         return std::make_unique<Uniform>(uniform_table().read(values));
       }},
      {{"lognormal",
        "The logarithm of the length is normal: many short sequences and a long tail, as served "
        "prompts have.",
        "", lognormal_table().parameters()},
       [](const ParameterValues& values) -> std::unique_ptr<LengthDistribution> {
         return std::make_unique<Lognormal>(lognormal_table().read(values));
       }},
      {{"geometric", "Each token is the last with the same chance: outputs without memory.", "",
        geometric_table().parameters()},
       [](const ParameterValues& values) -> std::unique_ptr<LengthDistribution> {
         return std::make_unique<Geometric>(geometric_table().read(values));
       }}};
  return entries;
}

const LengthDistributionEntry* find_length_distribution(std::string_view name) {
  for (const LengthDistributionEntry& entry : length_distributions())
    if (entry.info.name == name) return &entry;
  return nullptr;
}

std::unique_ptr<LengthDistribution> fixed_length(std::uint32_t tokens) {
  return std::make_unique<Fixed>(tokens);
}

}  // namespace vacancy
