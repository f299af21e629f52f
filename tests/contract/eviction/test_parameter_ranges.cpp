// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

#include "sim/eviction/registry.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulation/simulation.hpp"
#include "sim/units/error.hpp"
#include "tests/support/made_calibration.hpp"
#include "tests/support/made_filters.hpp"

// Every numeric parameter of every policy at both ends of its range: a run, or a refusal that
// helps.

using namespace vacancy;

namespace {

using Changes = std::vector<std::string>;

constexpr const char* base_text = R"({
  "model": {"name": "small", "layers": 2, "query_heads": 4, "kv_heads": 2, "head_dim": 8,
            "rope_theta": 10000},
  "attention": {"source": "random"},
  "cache": {"block_size": 16},
  "eviction": {"budget": 96, "interval": 16},
  "workload": {"sequences": 1, "prompt_tokens": 100, "output_tokens": 60}
})";

/// What a policy cannot do without, and modes in which its parameters count.
Changes needed_by(const std::string& policy) {
  static const test::TemporaryFile calibration("ranges", test::made_calibration(2, 4, 2, 8));
  const auto option = [&](const std::string& text) { return "eviction." + policy + "." + text; };
  if (policy == "triattention") return {option("calibration=" + calibration.path().string())};
  static const test::TemporaryFile filters("ranges_filters", test::made_filters(2 * 2, 8));
  if (policy == "q_filter") return {option("filters=" + filters.path().string())};
  if (policy == "head_pruning") return {option("by=lazy_layers")};
  if (policy == "lazy_eviction") return {option("window=16")};
  if (policy == "openvino") return {option("start=16"), option("recent=16")};
  if (policy == "fastv") return {option("image_tokens=50"), option("layer=1")};
  if (policy == "keep_list") return {option("pattern=chunks")};
  if (policy == "scissorhands") return {option("choice=sample")};
  if (policy == "rocketkv") return {option("max_length=120"), option("second_stage=true")};
  return {};
}

bool numeric(const Parameter& parameter) {
  return parameter.type == ParameterType::integer || parameter.type == ParameterType::number;
}

std::string text_of(const Parameter& parameter, double value) {
  if (parameter.type == ParameterType::integer)
    return std::to_string(static_cast<std::int64_t>(value));
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

/// A count of one before a plural.
bool miscounts(const std::string& text) {
  static const std::regex one(R"((^|[^0-9.,])1 (KV |query |recent |block )?)"
                              R"((token|layer|block|head|sink|slot|channel|table|gate)s\b)");
  return std::regex_search(text, one);
}

/// What the user is told if the scenario is refused; else it ran, and the text is empty.
std::string refusal(const std::string& policy, const Changes& changes) {
  Changes all{"eviction.policy=" + policy};
  for (const Changes& more : {needed_by(policy), changes})
    all.insert(all.end(), more.begin(), more.end());
  try {
    const Scenario scenario = load_scenario_text(base_text, "ranges", ".", {all, 1});
    for (const std::string& note : scenario.notes)
      CHECK_FALSE(miscounts(note));
    Simulation simulation(build_config(scenario), {});
    while (simulation.step() == RunStatus::running)
      simulation.cache().check_invariants();
    return {};
  } catch (const UserError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("every parameter runs at both ends of its range, or is refused with what helps") {
  for (const PolicyEntry& entry : policies()) {
    const std::string& policy = entry.info.name;
    if (policy == "kvzip") continue;  // no made source reads a text twice
    INFO(policy);
    REQUIRE(refusal(policy, {}).empty());
    for (const Parameter& parameter : entry.info.parameters) {
      if (!numeric(parameter)) continue;
      for (const auto& end : {parameter.minimum, parameter.maximum}) {
        REQUIRE(end);
        const std::string key = policy + "." + parameter.name;
        const std::string change = "eviction." + key + "=" + text_of(parameter, *end);
        INFO(change);
        const std::string text = refusal(policy, {change});
        if (text.empty()) continue;
        INFO(text);
        CHECK_FALSE(miscounts(text));
        // The sentence leads to the parameter, or at least to where the policy's stand.
        CHECK((text.find("eviction." + policy) != std::string::npos ||
               text.find("/eviction/" + policy) != std::string::npos));
        if (text.find("Raise the budget") != std::string::npos)
          CHECK(refusal(policy, {change, "eviction.budget=50331648"}).empty());
      }
    }
  }
}

TEST_CASE("a share of the budget that leaves nothing to choose is no matter of the budget") {
  const std::string text = refusal("h2o", {"eviction.h2o.recent_share=1"});
  CHECK(text.find("No budget is large enough") != std::string::npos);
  CHECK(text.find("eviction.h2o") != std::string::npos);
  CHECK(refusal("h2o", {"eviction.h2o.recent_share=0.98"}).empty());
}

TEST_CASE("counts of one are followed by a singular") {
  CHECK(miscounts("a budget of 1 tokens"));
  CHECK_FALSE(miscounts("a budget of 1 token, 11 tokens, 2,001 tokens or 1.1 tokens"));
  // A share that fills a budget of one token.
  const std::string text =
      refusal("streaming_llm", {"eviction.budget=1", "eviction.streaming_llm.sinks=1"});
  CHECK(text.find("is 1 token,") != std::string::npos);
  CHECK_FALSE(miscounts(text));
}
