// SPDX-License-Identifier: Apache-2.0
// Keep sets of policies that score, chosen a second time by kernels from the same keys and queries.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu_backend/verify/verify_scenario.hpp"
#include "sim/units/bit_mask.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/verify_faults.hpp"
#include "tests/support/made_calibration.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scaled.hpp"
#include "tests/support/temporary_file.hpp"

namespace vacancy {
namespace {

using nlohmann::json;

/// One of the methods whose scores kernels compute, and option values to draw from.
struct Method {
  std::string policy;
  std::vector<json> options;
};

std::vector<Method> methods() {
  return {{"knorm", {json::object()}},
          {"keydiff", {{{"step", 0}}, {{"step", 2}}, {{"step", 5}}, json::object()}},
          {"lagkv",
           {{{"sinks", 0}, {"lag", 5}}, {{"sinks", 2}, {"lag", 8}}, {{"sinks", 4}, {"lag", 64}}}},
          {"tova", {json::object(), {{"keep_newest", true}}}},
          {"h2o", {{{"recent_share", 0.25}}, {{"recent_share", 0.0}}}},
          {"snapkv",
           {{{"window", 4}, {"kernel", 5}},
            {{"window", 7}, {"kernel", 1}},
            {{"window", 4}, {"kernel", 3}, {"pooling", "max"}}}},
          {"pyramidkv", {{{"window", 4}, {"kernel", 3}}}},
          {"ada_kv", {{{"window", 4}, {"group", "mean"}}, {{"window", 5}, {"group", "max"}}}},
          {"zipage", {{{"window", 4}}}},
          {"triattention",
           {json::object(),
            {{"offsets", "max"}, {"offset_max", 64}},
            {{"heads", "mean"}, {"normalize_over", "cached"}},
            {{"disable_trig", true}, {"normalize", false}}}}};
}

const std::filesystem::path& calibration() {
  constexpr std::uint32_t layers = 2, query_heads = 4, kv_heads = 2, head_dim = 24;
  static const test::TemporaryFile file(
      "verify_scores", test::made_calibration(layers, query_heads, kv_heads, head_dim));
  return file.path();
}

/// A scenario on a small model whose attention follows made statistics.
std::string scenario_of(const Method& method, std::uint32_t seed) {
  test::Random random(seed);
  json all;
  all["seed"] = seed;
  all["model"] = {{"name", "small"}, {"layers", 2},    {"query_heads", 4},
                  {"kv_heads", 2},   {"head_dim", 24}, {"rope_theta", 10000.0}};
  // Mild sinks: strong ones leave later tokens less than float holds beside them.
  all["attention"] = {
      {"source", "calibrated"},
      {"calibrated", {{"file", calibration().string()}, {"sink_logit", 1}, {"heavy_logit", 1}}}};
  all["cache"] = {{"block_size", 8}};
  json& eviction = all["eviction"];
  eviction["policy"] = method.policy;
  const bool ragged = method.policy == "pyramidkv" || method.policy == "ada_kv";
  const char* const scope = random.of({"model", "per_layer", "per_head", "per_layer_per_head"});
  eviction["scope"] = ragged ? "per_layer_per_head" : scope;
  eviction["budget"] = 16 + 8 * random.below(3);
  eviction["interval"] = 1 + random.below(8);
  eviction["trigger"] = "slack";
  eviction["prompt"] = random.of({"evictable", "pinned_outside"});
  eviction["protect"] = {{"sinks", random.below(3)}};
  eviction[method.policy] =
      method.options[random.below(static_cast<std::uint32_t>(method.options.size()))];
  if (method.policy == "triattention")
    eviction["triattention"]["calibration"] = calibration().string();
  all["reclaim"] = {{"kind", random.of({"none", "slide", "fill_holes"})}};
  all["quality"] = {{"queries", 0}};
  all["workload"] = {{"sequences", 1},
                     {"prompt_tokens", 1 + random.below(20)},
                     {"output_tokens", 60 + random.below(60)}};
  return all.dump();
}

verify::VerifyResult verified(const std::string& text, gpu::Device& device,
                              const verify::VerifyOptions& options = {}) {
  return verify::verify_scenario(load_scenario_text(text, "scores", "."), device, options,
                                 [](auto, auto) { return true; });
}

}  // namespace

TEST_CASE("verify: keep sets by score are the kernels' too, but for tokens at the threshold") {
  VACANCY_ON_DEVICE(device);
  verify::VerifyOptions options;
  options.verifier.layers = options.verifier.heads = 1;  // contents are tested elsewhere
  for (const Method& method : methods()) {
    std::uint64_t sets = 0, open_tokens = 0, differing = 0;
    std::uint32_t seed = 1;
    // Close calls are rare: a tolerance that allows much would not say much. A shortened run that
    // meets some early goes on, up to the whole one's length.
    const auto often = [&] { return differing * 1000 > open_tokens; };
    for (; (sets < test::scaled(1000) || (often() && sets < 1000)) && seed <= 1000; ++seed) {
      const std::string text = scenario_of(method, seed);
      INFO(text);
      const verify::VerifyResult result = verified(text, device, options);
      INFO((result.difference ? sentence(*result.difference) : ""));
      REQUIRE_FALSE(result.difference);
      REQUIRE(result.selections.scored == result.selections.sets);
      REQUIRE(result.selections.passed_over == 0);
      REQUIRE(result.selections.farthest <= 1);
      sets += result.selections.scored;
      differing += result.selections.differing;
      open_tokens += 16 * result.selections.scored;
    }
    INFO(method.policy << ": " << seed - 1 << " runs");
    CHECK(sets >= test::scaled(1000));
    CHECK_FALSE(often());
  }
}

TEST_CASE("verify: a token in another's place is found by its score") {
  VACANCY_ON_DEVICE(device);
  // The first token that stays for its score and the first that goes change places.
  const auto swaps = [](const Event& event, Observer& verifier) {
    const auto* const evicted = std::get_if<TokensEvicted>(&event);
    if (evicted == nullptr || evicted->round == 0) return false;
    KeepSets keep = evicted->keep;
    const std::span<std::uint64_t> mask = keep.mask(0);
    std::size_t stays = 0, goes = 0;
    while (stays < keep.live(0) && !bits::test(mask, stays))
      ++stays;
    while (goes < keep.live(0) && bits::test(mask, goes))
      ++goes;
    if (stays >= keep.live(0) || goes >= keep.live(0)) return false;
    bits::clear(mask, stays);
    bits::set(mask, goes);
    verifier.on_event(TokensEvicted{evicted->sequence, evicted->round, keep,
                                    evicted->evicted_set_tokens, evicted->sets_per_table,
                                    evicted->vacated_tokens});
    return true;
  };
  for (const Method& method : methods()) {
    bool planted = false;
    verify::VerifyOptions options;
    options.between = [&](Observer& verifier) -> std::unique_ptr<Observer> {
      return std::make_unique<test::FaultyStream>(swaps, verifier, planted);
    };
    INFO(method.policy);
    Method first = method;
    first.options.resize(1);
    json scenario = json::parse(scenario_of(first, 3));
    scenario["eviction"]["prompt"] = "evictable";
    scenario["eviction"]["protect"] = {{"sinks", 0}};
    const verify::VerifyResult result = verified(scenario.dump(), device, options);
    CHECK(planted);
    REQUIRE(result.difference);
    CHECK(result.difference->operation == "tokens_evicted");
    INFO(sentence(*result.difference));
    CHECK(result.difference->expected.find("scores (its own") != std::string::npos);
  }
}

TEST_CASE("verify: where the kernels cannot score, the moves alone are verified, and it is said") {
  VACANCY_ON_DEVICE(device);
  const auto note_of = [&](const std::string& policy, const std::string& source) {
    json all = json::parse(scenario_of({policy, {json::object()}}, 1));
    all["attention"] = {{"source", source}};
    const verify::VerifyResult result = verified(all.dump(), device);
    CHECK_FALSE(result.difference);
    CHECK(result.selections.sets == 0);
    CHECK(result.counts.rounds > 0);
    return result.notes.empty() ? std::string() : result.notes.front();
  };
  CHECK(note_of("streaming_llm", "random") ==
        "Moves are verified, scores are not: keep sets of streaming_llm are taken from the events, "
        "since no kernel computes its scores.");
  CHECK(note_of("h2o", "random").find("makes no weights of keys and queries") != std::string::npos);
}

}  // namespace vacancy
