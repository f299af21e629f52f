// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "sim/attention/random_source.hpp"
#include "sim/attention/real_source.hpp"
#include "sim/attention/registry.hpp"
#include "sim/units/error.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;

namespace {

AttentionContext context() {
  return {.seed = 42,
          .model = {36, 32, 8, 128},
          .rope_theta = 1e6,
          .resolve_path = [](const std::string& path) {
            return path.starts_with("shared:") ? test::shared_dir() / path.substr(7)
                                               : std::filesystem::path(path);
          }};
}

ParameterValues defaults(const AttentionSourceEntry& entry) {
  ParameterValues values;
  for (const auto& parameter : entry.info.parameters)
    values[parameter.name] = parameter.default_value;
  return values;
}

/// What the interface promises, whatever the source.
void check_source(const AttentionSource& source, const AttentionSourceEntry& entry) {
  CHECK(source.features() == entry.features);
  const auto shape = source.shape();
  constexpr std::uint32_t length = 48;
  REQUIRE(source.max_length() >= length);
  const auto sequence = source.open(SequenceId{6}), same = source.open(SequenceId{6});
  sequence->advance(length);
  sequence->advance(3);
  CHECK(sequence->length() == length);
  CHECK(sequence->shape() == shape);
  same->advance(7);
  same->advance(length);

  const std::uint32_t layer = shape.layers - 1, head = shape.query_heads - 1;
  for (const std::uint32_t query : {0u, length - 1, 12u}) {
    std::vector<float> row(query + 1), again(query + 1);
    sequence->weights(layer, head, query, row);
    same->weights(layer, head, query, again);
    CHECK(row == again);
    CHECK(std::all_of(row.begin(), row.end(), [](float weight) { return weight >= 0.0f; }));
    CHECK(std::accumulate(row.begin(), row.end(), 0.0) == Approx(1.0).epsilon(1e-5));
  }
  using Vectors = void (SequenceAttention::*)(std::uint32_t, std::uint32_t, std::uint32_t,
                                              std::span<float>) const;
  const auto check_vectors = [&](Vectors vectors, std::uint32_t of_head) {
    const std::size_t d = shape.head_dim;
    std::vector<float> all(length * d), last(d);
    (sequence.get()->*vectors)(layer, of_head, 0, all);
    (same.get()->*vectors)(layer, of_head, length - 1, last);
    CHECK(std::equal(last.begin(), last.end(), all.end() - static_cast<std::ptrdiff_t>(d)));
  };
  if (source.features().keys) check_vectors(&SequenceAttention::keys, shape.kv_heads - 1);
  if (source.features().queries) check_vectors(&SequenceAttention::queries, head);
  if (source.features().values) check_vectors(&SequenceAttention::values, shape.kv_heads - 1);
  if (source.features().output_norms) {
    std::vector<double> norms(length), last(1);
    sequence->output_norms(layer, head, 0, norms);
    same->output_norms(layer, head, length - 1, last);
    CHECK(last[0] == norms.back());
    CHECK(last[0] > 0);
  }
}

}  // namespace

TEST_CASE("every registered attention source describes itself") {
  for (const auto& entry : attention_sources()) {
    INFO(entry.info.name);
    CHECK(find_attention_source(entry.info.name) == &entry);
    CHECK(entry.info.summary.ends_with('.'));
    for (const auto& parameter : entry.info.parameters) {
      INFO(parameter.name);
      CHECK(parameter.help.ends_with('.'));
    }
  }
  CHECK_FALSE(find_attention_source("none"));
}

TEST_CASE("sources that need no file keep the interface's promises") {
  for (const char* name : {"synthetic", "random"}) {
    const auto* entry = find_attention_source(name);
    REQUIRE(entry);
    check_source(*entry->make(defaults(*entry), context()), *entry);
  }
}

TEST_CASE("sources made from shared data keep the interface's promises") {
  if (!test::shared_file("data/stories260K/stories260K.bin") ||
      !test::shared_file("data/triattention-stats/qwen3-8b.bin"))
    return;
  for (const char* name : {"real", "calibrated"}) {
    const auto* entry = find_attention_source(name);
    REQUIRE(entry);
    check_source(*entry->make(defaults(*entry), context()), *entry);
  }
}

TEST_CASE("a prompt begins every sequence of the real source") {
  if (!test::shared_file("data/stories260K/stories260K.bin")) return;
  const auto* entry = find_attention_source("real");
  auto values = defaults(*entry);
  values["prompt"] = "Lily and Ben";
  CHECK_THROWS_WITH(entry->make(values, context()), Catch::Contains("attention.real.tokenizer"));
  values["tokenizer"] = "shared:data/stories260K/tok512.bin";
  const auto source = entry->make(values, context());
  const auto expected =
      read_tokenizer(test::shared_dir() / "data/stories260K/tok512.bin").encode("Lily and Ben");
  std::vector<std::vector<TokenId>> stories;
  for (const std::uint32_t id : {0u, 1u}) {
    const auto sequence = source->open(SequenceId{id});
    sequence->advance(40);
    const auto tokens = dynamic_cast<const RealSequence&>(*sequence).tokens();
    CHECK(std::equal(expected.begin(), expected.end(), tokens.begin()));
    stories.emplace_back(tokens.begin(), tokens.end());
  }
  CHECK(stories[0] != stories[1]);
  values["prompt"] = std::string(100'000, 'x');
  CHECK_THROWS_WITH(entry->make(values, context()), Catch::Contains("512 positions"));
}

TEST_CASE("a missing file is a sentence with its path") {
  for (const auto& [name, parameter] :
       {std::pair{"real", "checkpoint"}, std::pair{"calibrated", "file"}}) {
    const auto* entry = find_attention_source(name);
    auto values = defaults(*entry);
    values[parameter] = "nowhere/file.bin";
    CHECK_THROWS_WITH(entry->make(values, context()), Catch::Contains("nowhere/file.bin"));
  }
}

TEST_CASE("random weights are uniform before normalisation, vectors standard normal") {
  const RandomSource source({2, 4, 2, 16}, 5);
  const auto sequence = source.open(SequenceId{0});
  constexpr std::uint32_t length = 4000;
  sequence->advance(length);
  std::vector<float> row(length);
  sequence->weights(1, 2, length - 1, row);
  double square = 0.0;
  for (const float weight : row)
    square += std::pow(double{weight} * length, 2) / length;
  CHECK(square == Approx(4.0 / 3.0).epsilon(0.05));  // E u² / (E u)²
  std::vector<float> keys(length * 16);
  sequence->keys(1, 1, 0, keys);
  double mean = 0.0, second = 0.0, fourth = 0.0;
  for (const float key : keys) {
    const double k = double{key};
    mean += k / static_cast<double>(keys.size());
    second += k * k / static_cast<double>(keys.size());
    fourth += k * k * k * k / static_cast<double>(keys.size());
  }
  CHECK(mean == Approx(0.0).margin(0.02));
  CHECK(second == Approx(1.0).margin(0.03));
  CHECK(fourth == Approx(3.0).margin(0.2));
}
