// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/score_scenarios.hpp"

#include "tests/support/made_calibration.hpp"
#include "tests/support/random.hpp"
#include "tests/support/temporary_file.hpp"

namespace vacancy::test {

using nlohmann::json;

namespace {

const std::filesystem::path& calibration() {
  constexpr std::uint32_t layers = 2, query_heads = 4, kv_heads = 2, head_dim = 24;
  static const TemporaryFile file("verify_scores",
                                  made_calibration(layers, query_heads, kv_heads, head_dim));
  return file.path();
}

}  // namespace

std::vector<Method> scoring_methods() {
  return {{"knorm", {json::object()}},
          {"keydiff", {{{"step", 0}}, {{"step", 2}}, {{"step", 5}}, json::object()}},
          {"lagkv",
           // The simulator sums fifths, which do not add up exactly: of equal ranks others stay.
           {{{"sinks", 0}, {"lag", 4}},
            {{"sinks", 0}, {"lag", 5}},
            {{"sinks", 2}, {"lag", 8}},
            {{"sinks", 4}, {"lag", 64}}}},
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
            {{"disable_trig", true}, {"normalize", false}}}},
          {"scissorhands",
           {{{"importance", "attention"}, {"history", 12}, {"recent", 3}, {"sinks", 0}}}},
          {"r_kv",
           {{{"window", 4}, {"kernel", 3}},
            {{"window", 6}, {"kernel", 1}, {"lambda", 0.5}, {"threshold", 0.2}}}},
          {"paged_eviction", {{{"prompt_cut", "tokens"}}, {{"prompt_cut", "blocks"}}}, true},
          {"block_h2o",
           {json::object(),
            {{"aggregate", "max"}, {"memory", "per_age"}},
            {{"aggregate", "sum"}, {"memory", "window"}, {"memory_window", 9}}},
           true},
          {"whole_blocks",
           {json::object(), {{"half_life", 5}}, {{"memory", "sum"}, {"aggregate", "mean"}}},
           true}};
}

json scenario_of(const Method& method, std::uint32_t seed) {
  Random random(seed);
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
  const bool by_blocks = random.below(4) == 0;
  if (by_blocks)
    all["reclaim"] = {{"kind", "whole_block"},
                      {"aggregate", random.of({"sum", "mean", "max", "top4"})}};
  if (by_blocks || method.blocks) all["cache"] = {{"block_size", 4}};
  return all;
}

verify::VerifyResult verified(const json& scenario, gpu::Device& device,
                              const verify::VerifyOptions& options) {
  return verify::verify_scenario(load_scenario_text(scenario.dump(), "scores", "."), device,
                                 options, [](auto, auto) { return true; });
}

}  // namespace vacancy::test
