// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/eviction/number_lines.hpp"
#include "sim/units/error.hpp"
#include "tests/support/made_calibration.hpp"
#include "tests/support/policy_cases.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::vector<char> chars(const std::string& text) {
  return {text.begin(), text.end()};
}

PolicyContext context_of(std::uint32_t layers, std::uint32_t kv_heads) {
  PolicyContext context;
  context.layers = layers;
  context.kv_heads = context.query_heads = kv_heads;
  return context;
}

std::string fault_of(const std::string& text, std::uint32_t layers, std::uint32_t kv_heads) {
  const TemporaryFile file("gates.tsv", chars(text));
  try {
    read_number_lines(file.path(), {layers, kv_heads, "layer", "gate"}, {}, "here");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

Tokens ends(std::uint32_t sinks, std::uint32_t recent, std::uint32_t length) {
  Tokens tokens = first_tokens(std::min(sinks, length));
  for (std::uint32_t token = std::max(sinks, length - recent); token < length; ++token)
    tokens.push_back(token);
  return tokens;
}

/// Attention of which a given part, by layer, goes to the first and the last token.
class EndedLayers final : public SequenceAttention {
 public:
  explicit EndedLayers(std::vector<double> parts)
      : parts_(std::move(parts)), shape_{static_cast<std::uint32_t>(parts_.size()), 2, 1, 0} {}
  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return 64; }
  void weights(std::uint32_t layer, std::uint32_t, std::uint32_t query,
               std::span<float> row) const override {
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = static_cast<float>(j == 0 || j == query ? parts_[layer] / 2
                                                       : (1 - parts_[layer]) / (query - 1.0));
  }

 private:
  std::vector<double> parts_;
  AttentionShape shape_;
};

}  // namespace

TEST_CASE(
    "head_pruning: heads below the threshold keep sinks and recent tokens, others everything") {
  const TemporaryFile file("some_gates.tsv", chars("0.49\t0.5\n0 1\n"));
  const auto policy =
      make_policy("head_pruning", {{"gates", file.path().string()}}, context_of(2, 2));
  Case c;
  c.shape = {2, 2, 2, 0};
  c.length = 1000;
  c.scope = Scope::per_layer_per_head;
  const Tokens all = first_tokens(1000), pruned = ends(128, 256, 1000);
  CHECK(c.keep(*policy) == std::vector<Tokens>{pruned, all, pruned, all});
  // A set that joins heads is pruned if all of them are.
  c.scope = Scope::per_head;
  CHECK(c.keep(*policy) == std::vector<Tokens>{pruned, all});
  c.scope = Scope::per_layer;
  CHECK(c.keep(*policy) == std::vector<Tokens>{all, all});
  // What the evictor guards stays as well.
  c.scope = Scope::per_head;
  c.options.protect = {200, 0};
  CHECK(c.keep(*policy)[0] == ends(200, 256, 1000));
}

TEST_CASE("head_pruning: lazy layers look at the first and the last tokens") {
  const EndedLayers attention({0.95, 0.85, 0.91});
  Case c;
  c.shape = attention.shape();
  c.length = 64;
  c.scope = Scope::per_layer;
  c.attention = &attention;
  const auto lazy = [&](double threshold, std::int64_t recent) {
    return make_policy("head_pruning", {{"by", std::string("lazy_layers")},
                                        {"threshold", threshold},
                                        {"sinks", std::int64_t{1}},
                                        {"recent", recent}});
  };
  const Tokens all = first_tokens(64), pruned = ends(1, 1, 64);
  CHECK(c.keep(*lazy(0.9, 1)) == std::vector<Tokens>{pruned, all, pruned});
  CHECK(c.keep(*lazy(0.8, 1)) == std::vector<Tokens>{pruned, pruned, pruned});
  CHECK(c.keep(*lazy(1.0, 1)) == std::vector<Tokens>{all, all, all});  // the public default is off
  c.scope = Scope::model;                                              // the mean, 0.903
  CHECK(c.keep(*lazy(0.89, 1)) == std::vector<Tokens>{pruned});
  CHECK(c.keep(*lazy(0.91, 1)) == std::vector<Tokens>{all});
  // Their own defaults: 4 sinks and 1,024 recent tokens cover a short cache.
  CHECK(c.keep(*make_policy("head_pruning", {{"by", std::string("lazy_layers")}})) ==
        std::vector<Tokens>{all});
}

TEST_CASE("head_pruning: gates have to be named where they decide") {
  CHECK_THROWS_WITH(make_policy("head_pruning"),
                    Catch::Contains("eviction.head_pruning.gates is missing"));
}

TEST_CASE("head_pruning: a file of gates that does not fit is the user's error") {
  CHECK(fault_of("0.5 1\n\n0 0.25\r\n", 2, 2).empty());
  CHECK_THAT(fault_of("0.5 1\n0\n", 2, 2), Catch::Contains("here: line 2 of") &&
                                               Catch::Contains("has 1 gate,") &&
                                               Catch::Contains("a layer of the model has 2;"));
  CHECK_THAT(fault_of("0.5 1\n", 2, 2),
             Catch::Contains("gates of 1 layer,") && Catch::Contains("the model has 2"));
  CHECK_THAT(fault_of("0.5 one\n", 1, 2), Catch::Contains("\"one\" where a gate should be"));
  CHECK_THAT(fault_of("0.5 nan\n", 1, 2), Catch::Contains("\"nan\""));
  CHECK_THAT(fault_of("", 1, 2), Catch::Contains("gates of 0 layers"));
}

// Spec formats §7: 234 of the 256 gates of Llama 3.1 8B exceed 0.5.
TEST_CASE("head_pruning: the published gates of Llama 3.1 8B") {
  const auto path =
      shared_file("data/duo-attention/Meta-Llama-3.1-8B-Instruct__full_attention_heads.tsv");
  if (!path) return;
  const auto gates = read_number_lines(*path, {32, 8, "layer", "gate"}, {}, "here");
  REQUIRE(gates.size() == 256);
  CHECK(gates[0] == 0.60546875);
  CHECK(gates[8 + 3] == 1.0);
  CHECK(std::count_if(gates.begin(), gates.end(), [](double gate) { return gate > 0.5; }) == 234);
}
