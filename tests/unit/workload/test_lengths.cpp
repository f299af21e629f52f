// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "sim/units/error.hpp"
#include "sim/units/philox.hpp"
#include "sim/workload/lengths.hpp"
#include "sim/workload/sequences.hpp"

using namespace vacancy;

namespace {

constexpr std::uint32_t sample_size = 20'000;

std::unique_ptr<LengthDistribution> make(const std::string& name, const ParameterValues& given) {
  const auto* entry = find_length_distribution(name);
  REQUIRE(entry != nullptr);
  ParameterValues values;
  for (const Parameter& parameter : entry->info.parameters)
    values[parameter.name] = parameter.default_value;
  for (const auto& [key, value] : given) {
    REQUIRE(values.contains(key));
    values[key] = value;
  }
  return entry->make(values);
}

std::vector<std::uint32_t> sample(const LengthDistribution& lengths, std::uint64_t seed = 7) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < sample_size; ++i)
    all.push_back(lengths.draw(seed, i, LengthPurpose::output));
  return all;
}

double mean(const std::vector<std::uint32_t>& values) {
  double sum = 0;
  for (const std::uint32_t value : values)
    sum += value;
  return sum / static_cast<double>(values.size());
}

ParameterValue tokens(std::int64_t n) {
  return n;
}

}  // namespace

TEST_CASE("a fixed length is the same for all", "[workload]") {
  const auto lengths = make("fixed", {{"tokens", tokens(300)}});
  for (const std::uint32_t value : sample(*lengths))
    REQUIRE(value == 300);
  CHECK(lengths->longest() == 300);
}

TEST_CASE("uniform lengths cover their range evenly, ends included", "[workload]") {
  const auto values = sample(*make("uniform", {{"min", tokens(10)}, {"max", tokens(19)}}));
  std::vector<int> counts(10);
  for (const std::uint32_t value : values) {
    REQUIRE(value >= 10);
    REQUIRE(value <= 19);
    ++counts[value - 10];
  }
  // Each count is binomial(20,000, 1/10): mean 2,000, standard deviation 42.4.
  for (const int count : counts)
    CHECK(std::abs(count - 2000) < 5 * 42.4);
}

TEST_CASE("uniform lengths use the first random word of their counter", "[workload]") {
  const auto lengths = make("uniform", {{"min", tokens(100)}, {"max", tokens(1099)}});
  const std::uint64_t word = philox4x32_10({5, 0, 0, 0}, philox_key(42, Stream::workload))[0];
  CHECK(lengths->draw(42, 5, LengthPurpose::prompt) ==
        100 + word * 1000 / (std::uint64_t{1} << 32));
}

TEST_CASE("a range of one value has one result, and the full range does not overflow",
          "[workload]") {
  CHECK(make("uniform", {{"min", tokens(3)}, {"max", tokens(3)}})
            ->draw(1, 1, LengthPurpose::prompt) == 3);
  const auto full = make("uniform", {{"min", tokens(0)}, {"max", tokens(max_length_tokens)}});
  for (const std::uint32_t value : sample(*full))
    REQUIRE(value <= max_length_tokens);
}

TEST_CASE("log-normal lengths have the stated median and sigma", "[workload]") {
  auto values = sample(
      *make("lognormal", {{"median", 512.0}, {"sigma", 0.5}, {"max", tokens(max_length_tokens)}}));
  std::sort(values.begin(), values.end());
  // The median's standard error is 512 · 0.5 · sqrt(pi / 2 / n) = 2.3; the mean is
  // 512 · exp(0.125) = 580.2 with standard error 580.2 · sqrt((exp(0.25) - 1) / n) = 2.2.
  CHECK(std::abs(values[sample_size / 2] - 512.0) < 5 * 2.3);
  CHECK(std::abs(mean(values) - 580.2) < 5 * 2.2);
  // One standard deviation up, ln(x) = ln(512) + 0.5: the 84.13 % quantile is 844.1.
  CHECK(std::abs(values[sample_size * 8413 / 10000] - 844.1) < 25);
}

TEST_CASE("geometric lengths have the stated mean and no memory", "[workload]") {
  const auto values =
      sample(*make("geometric", {{"mean", 100.0}, {"max", tokens(max_length_tokens)}}));
  // Standard deviation sqrt(1 - p) / p = 99.5, standard error 0.70.
  CHECK(std::abs(mean(values) - 100) < 5 * 0.7);
  const auto ones = std::count(values.begin(), values.end(), 1u);
  CHECK(std::abs(static_cast<double>(ones) - 200) < 5 * 14.1);  // n · p, binomial
  // P(X > 100) = 0.99^100 = 0.3660.
  const auto longer =
      std::count_if(values.begin(), values.end(), [](std::uint32_t v) { return v > 100; });
  CHECK(std::abs(static_cast<double>(longer) - 7320) < 5 * 68.1);
}

TEST_CASE("a mean of one token gives one token", "[workload]") {
  for (const std::uint32_t value : sample(*make("geometric", {{"mean", 1.0}})))
    REQUIRE(value == 1);
}

TEST_CASE("bounds move a draw to the nearest end", "[workload]") {
  const auto values = sample(
      *make("lognormal",
            {{"median", 500.0}, {"sigma", 2.0}, {"min", tokens(400)}, {"max", tokens(600)}}));
  CHECK(*std::min_element(values.begin(), values.end()) == 400);
  CHECK(*std::max_element(values.begin(), values.end()) == 600);
  // P(ln x < ln 400) = Phi(ln(0.8) / 2) = Phi(-0.1116) = 0.4556.
  const auto at_minimum = std::count(values.begin(), values.end(), 400u);
  CHECK(std::abs(static_cast<double>(at_minimum) - 9112) < 5 * 71);
}

TEST_CASE("extreme parameters stay inside the bounds", "[workload]") {
  const auto wide = make("lognormal", {{"median", 1e9}, {"sigma", 10.0}});
  const auto rare = make("geometric", {{"mean", 1e9}});
  for (std::uint32_t i = 0; i < 1000; ++i) {
    REQUIRE(wide->draw(i, i, LengthPurpose::prompt) <= wide->longest());
    REQUIRE(rare->draw(i, i, LengthPurpose::prompt) <= rare->longest());
  }
}

TEST_CASE("a minimum above the maximum is the user's error", "[workload]") {
  for (const char* name : {"uniform", "lognormal", "geometric"})
    CHECK_THROWS_AS(make(name, {{"min", tokens(9)}, {"max", tokens(8)}}), UserError);
}

TEST_CASE("prompt and output, seeds and sequences draw independently", "[workload]") {
  const auto lengths = make("uniform", {{"min", tokens(0)}, {"max", tokens(1 << 29)}});
  const auto at = [&](std::uint64_t seed, std::uint32_t sequence, LengthPurpose purpose) {
    return lengths->draw(seed, sequence, purpose);
  };
  const auto here = at(1, 1, LengthPurpose::prompt);
  CHECK(here == at(1, 1, LengthPurpose::prompt));
  CHECK(here != at(1, 1, LengthPurpose::output));
  CHECK(here != at(1, 2, LengthPurpose::prompt));
  CHECK(here != at(2, 1, LengthPurpose::prompt));
  CHECK(here != at(1 + (std::uint64_t{1} << 32), 1, LengthPurpose::prompt));
}

TEST_CASE("a sequence keeps its lengths when others join", "[workload]") {
  const auto prompt = make("geometric", {{"mean", 200.0}});
  const auto output = make("lognormal", {});
  const auto few = draw_sequences(10, *prompt, *output, 3);
  const auto many = draw_sequences(100, *prompt, *output, 3);
  REQUIRE(few.size() == 10);
  REQUIRE(many.size() == 100);
  CHECK(std::equal(few.begin(), few.end(), many.begin()));
  for (std::uint32_t i = 0; i < 10; ++i) {
    CHECK(few[i].prompt_tokens == prompt->draw(3, i, LengthPurpose::prompt));
    CHECK(few[i].output_tokens == output->draw(3, i, LengthPurpose::output));
  }
}

TEST_CASE("every distribution describes itself", "[workload]") {
  for (const auto& entry : length_distributions()) {
    CHECK_FALSE(entry.info.summary.empty());
    for (const Parameter& parameter : entry.info.parameters) {
      INFO(entry.info.name << "." << parameter.name);
      CHECK_FALSE(parameter.help.empty());
      CHECK(parameter.minimum.has_value());
      CHECK(parameter.maximum.has_value());
    }
    CHECK(make(entry.info.name, {})->longest() > 0);
  }
}
