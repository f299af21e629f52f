// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/serving/profile_file.hpp"
#include "sim/units/error.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;
using Catch::Contains;
using nlohmann::json;

namespace {

EngineProfile profile_of(const json& object) {
  return engine_profile_from_json(object, "my_engine.json: ");
}

std::string profile_fault(const json& object) {
  try {
    profile_of(object);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("every file of the profiles folder is built in, sorted, with a summary and a source") {
  std::set<std::string> files;
  const auto folder = test::source_dir() / "sim/serving/profiles";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.insert(entry.path().stem().string());
  CHECK(std::vector<std::string>(files.begin(), files.end()) == engine_profile_names());
  for (const EngineProfile& profile : engine_profiles()) {
    CAPTURE(profile.name);
    CHECK(profile.summary.back() == '.');
    CHECK_FALSE(profile.citation.empty());
  }
}

// The choices of spec engines §2: V10, V11, V15, V16, V28 by version; S9, S11, S13; T13.
TEST_CASE("built-in profiles differ where the engines do") {
  const HashChainOptions main = *engine_profile("vllm-main-2026-08").hash_chain;
  CHECK(main.full_sequence_gate);
  CHECK(main.free_order == FreeOrder::uncached_first);
  CHECK(main.sparse_window_hashes);
  CHECK_FALSE(main.usage_counts_null_block);
  CHECK(main.lookup_after_preemption);
  CHECK_FALSE(main.reserve_output);
  CHECK(main.watermark_blocks == 0);
  CHECK(engine_profile("vllm-main-2026-08").steps_in_flight == 1);

  const HashChainOptions measured = *engine_profile("vllm-0.19.0").hash_chain;
  CHECK(measured.full_sequence_gate);
  CHECK(measured.free_order == FreeOrder::append);
  CHECK_FALSE(measured.sparse_window_hashes);
  CHECK_FALSE(measured.usage_counts_null_block);
  CHECK(engine_profile("vllm-0.19.0").steps_in_flight == 2);

  const HashChainOptions old = *engine_profile("vllm-0.10.0").hash_chain;
  CHECK_FALSE(old.full_sequence_gate);
  CHECK(old.free_order == FreeOrder::append);
  CHECK(old.usage_counts_null_block);
  CHECK(engine_profile("vllm-0.10.0").steps_in_flight == 1);

  const EngineProfile sglang = engine_profile("sglang-2026-07");
  CHECK_FALSE(sglang.radix->need_sort);
  CHECK_FALSE(sglang.radix->cache.evict_shortfall_only);
  CHECK(sglang.scheduler.prompts_apart);
  CHECK(sglang.scheduler.victim == Victim::least_output);
  CHECK(sglang.scheduler.requeue == Requeue::back);

  const EngineProfile trtllm = engine_profile("trtllm-2026-08");
  CHECK(trtllm.reuse_tree->capacity == CapacityPolicy::guaranteed_no_evict);
  CHECK(trtllm.reuse_tree->window_share == reuse_tree::MemoryShare::equal);
  CHECK(trtllm.reuse_tree->offload_threshold == 30);
  CHECK(trtllm.reuse_tree->onboarding);
  CHECK(trtllm.reuse_tree->partial_reuse);
  CHECK(trtllm.reuse_tree->copy_on_partial_reuse);
  CHECK_FALSE(trtllm.reuse_tree->retention.prompt_priority);
  CHECK_FALSE(trtllm.scheduler.victim);
  CHECK(engine_profile("orca-pow2").contiguous->reservation == Reservation::pow2);
  CHECK(engine_profile("orca-pow2").max_sequence_tokens == 2048);
}

TEST_CASE("a profile says only how it differs from its base") {
  const EngineProfile profile = profile_of({{"name", "mine"},
                                            {"base", "vllm-0.10.0"},
                                            {"hash_chain", {{"watermark_blocks", 7}}},
                                            {"max_sequence_tokens", 4096}});
  CHECK(profile.name == "mine");
  CHECK(profile.summary.empty());  // the base's would be untrue
  CHECK(profile.citation.empty());
  CHECK(profile.hash_chain->watermark_blocks == 7);
  CHECK(profile.hash_chain->free_order == FreeOrder::append);
  CHECK(profile.hash_chain->usage_counts_null_block);
  CHECK(profile.max_sequence_tokens == 4096);
  CHECK(profile.steps_in_flight == 1);

  CHECK(profile_of({{"base", "vllm-0.19.0"}, {"steps_in_flight", 1}}).steps_in_flight == 1);
  const EngineProfile retracts =
      profile_of({{"base", "sglang-2026-07"}, {"scheduler", {{"victim", "newest"}}}});
  CHECK(retracts.scheduler.victim == Victim::newest);
  CHECK(retracts.scheduler.prompts_apart);
  CHECK(retracts.name == "the engine");
}

TEST_CASE("without a base, a section says how memory is managed, and the rest is vLLM's") {
  const EngineProfile tree = profile_of({{"reuse_tree", json::object()}});
  CHECK(tree.reuse_tree);
  CHECK_FALSE(tree.hash_chain);
  CHECK_FALSE(tree.scheduler.prompts_apart);
  const RetentionOptions retention = profile_of({{"base", "trtllm-2026-08"},
                                                 {"reuse_tree",
                                                  {{"offload_threshold", 35},
                                                   {"retain_prompt_priority", 80},
                                                   {"retain_prompt_seconds", 1.5},
                                                   {"retain_prompt_tokens", 512},
                                                   {"retain_decode_priority", 0}}}})
                                         .reuse_tree->retention;
  CHECK(retention.prompt_priority == 80);
  CHECK(retention.prompt_seconds == 1.5);
  CHECK(retention.prompt_tokens == 512);
  CHECK(retention.decode_priority == 0);
  CHECK_FALSE(retention.decode_seconds);
  const EngineProfile runs =
      profile_of({{"contiguous", {{"reservation", "oracle"}}}, {"max_sequence_tokens", 100}});
  CHECK(runs.contiguous->reservation == Reservation::oracle);
}

TEST_CASE("every key of a profile has one fault that is found, placed and explained") {
  struct Row {
    json object;
    const char* sentence;
  };
  const Row rows[] = {
      {{{"bse", "vllm-0.10.0"}, {"hash_chain", json::object()}}, "/bse: is not a key of this obj"},
      {{{"bse", "vllm-0.10.0"}, {"hash_chain", json::object()}}, "Did you mean \"base\"?"},
      {{{"base", "vllm-0.9"}}, "/base: There is no built-in engine profile \"vllm-0.9\""},
      {{{"base", ""}}, "/base: There is no built-in engine profile \"\""},
      {{{"base", 10}}, "/base: expected text, got 10."},
      {json::object(), "/base: is missing; it must be the name of a built-in profile (vacancy"},
      {{{"name", 1}, {"base", "orca-max"}}, "/name: expected text"},
      {{{"hash_chain", true}}, "/hash_chain: expected an object, got true."},
      {{{"hash_chain", {{"free_ordr", "append"}}}}, "/hash_chain/free_ordr: is not a key"},
      {{{"hash_chain", {{"free_order", "apend"}}}},
       "/hash_chain/free_order: \"apend\" is none of append, append_forward, uncached_first. Did "
       "you mean \"append\"?"},
      {{{"hash_chain", {{"free_order", 1}}}}, "/hash_chain/free_order: expected text, got 1."},
      {{{"hash_chain", {{"full_sequence_gate", "yes"}}}},
       "/hash_chain/full_sequence_gate: expected true or false, got \"yes\"."},
      {{{"hash_chain", {{"watermark_blocks", -1}}}},
       "/hash_chain/watermark_blocks: expected an integer from 0 to 4,294,967,295, got -1."},
      {{{"hash_chain", json::object()}, {"radix_tree", json::object()}},
       "/radix_tree: contradicts hash_chain: a profile manages memory in one way. Remove one"},
      {{{"base", "vllm-0.10.0"}, {"reuse_tree", json::object()}},
       "/reuse_tree: contradicts the base: vllm-0.10.0 manages memory by hash_chain. Change that"},
      {{{"base", "sglang-2026-07"}, {"steps_in_flight", 2}},
       "/steps_in_flight: two steps in flight are simulated where hash_chain manages the memory."},
      {{{"base", "vllm-0.10.0"}, {"steps_in_flight", 3}},
       "/steps_in_flight: expected an integer from 1 to 2, got 3."},
      {{{"contiguous", json::object()}}, "/max_sequence_tokens: is missing; it must be the longe"},
      {{{"contiguous", {{"reservation", "all"}}}, {"max_sequence_tokens", 9}},
       "/contiguous/reservation: \"all\" is none of max, pow2, oracle."},
      {{{"base", "orca-max"}, {"max_sequence_tokens", 0}},
       "/max_sequence_tokens: expected an integer from 1 to 2,147,483,648, got 0."},
      {{{"base", "trtllm-2026-08"}, {"reuse_tree", {{"capacity_policy", "none"}}}},
       "/reuse_tree/capacity_policy: \"none\" is none of guaranteed_no_evict, max_utilization"},
      {{{"base", "trtllm-2026-08"}, {"reuse_tree", {{"offload_threshold", 101}}}},
       "/reuse_tree/offload_threshold: expected an integer from 0 to 100, got 101."},
      {{{"base", "trtllm-2026-08"}, {"reuse_tree", {{"retain_prompt_priority", 101}}}},
       "/reuse_tree/retain_prompt_priority: expected an integer from 0 to 100, got 101."},
      {{{"base", "trtllm-2026-08"}, {"reuse_tree", {{"retain_decode_seconds", -1}}}},
       "/reuse_tree/retain_decode_seconds: expected a number from 0 to"},
      {{{"base", "trtllm-2026-08"}, {"reuse_tree", {{"host_blocks", 100}}}},
       "/reuse_tree/host_blocks: is not a key of this object."},
      {{{"base", "sglang-2026-07"}, {"radix_tree", {{"policy", "lru"}}}},
       "/radix_tree/policy: is not a key of this object."},
      {{{"base", "vllm-0.10.0"}, {"scheduler", {{"policy", "fcfs"}}}},
       "/scheduler/policy: is not a key of this object."},
      {{{"base", "vllm-0.10.0"}, {"scheduler", {{"victim", "youngest"}}}},
       "/scheduler/victim: \"youngest\" is none of newest"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.object.dump());
    const std::string fault = profile_fault(row.object);
    CHECK_THAT(fault, Contains(row.sentence));
    CHECK(std::count(fault.begin(), fault.end(), '\n') == 0);  // one fault brings up no other
  }
  CHECK_THAT(profile_fault(json::array()), Contains("expected an object that describes an engine"));
  CHECK_THAT(profile_fault({{"base", 1}, {"scheduler", {{"victim", 2}}}}),
             Contains("/base: ") && Contains("\nmy_engine.json: /scheduler/victim: "));
}
