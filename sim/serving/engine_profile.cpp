// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/engine_profile.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace vacancy {

namespace {

EngineProfile vllm_main_2026_08() {
  EngineProfile profile;
  profile.name = "vllm-main-2026-08";
  profile.summary =
      "Whole-sequence gate at admission, unhashed blocks reused first, sparse hashes in windows.";
  profile.citation = "vLLM at commit 017e9f4448b7";
  profile.hash_chain = HashChainOptions{};
  return profile;
}

EngineProfile vllm_0_19_0() {
  EngineProfile profile = vllm_main_2026_08();
  profile.name = "vllm-0.19.0";
  profile.summary = "Whole-sequence gate, freed blocks all at the back, two steps in flight.";
  profile.citation = "vLLM 0.19.0, as a measured run shows it";
  profile.hash_chain->free_order = FreeOrder::append;
  profile.hash_chain->sparse_window_hashes = false;
  profile.steps_in_flight = 2;
  return profile;
}

EngineProfile vllm_0_10_0() {
  EngineProfile profile = vllm_main_2026_08();
  profile.name = "vllm-0.10.0";
  profile.summary =
      "No gate at admission, freed blocks all at the back, usage counts the null block.";
  profile.citation = "vLLM at tag v0.10.0 (6d8d0a24c0)";
  profile.hash_chain->full_sequence_gate = false;
  profile.hash_chain->free_order = FreeOrder::append;
  profile.hash_chain->usage_counts_null_block = true;
  profile.hash_chain->sparse_window_hashes = false;
  return profile;
}

EngineProfile sglang_2026_07() {
  EngineProfile profile;
  profile.name = "sglang-2026-07";
  profile.summary = "Radix tree over token slots, whole leaves evicted in LRU order.";
  profile.citation = "SGLang at commit 9fec359a60";
  profile.radix = RadixOptions{};
  profile.scheduler.prompts_apart = true;
  profile.scheduler.victim = Victim::least_output;
  profile.scheduler.requeue = Requeue::back;
  return profile;
}

EngineProfile trtllm_2026_08() {
  EngineProfile profile;
  profile.name = "trtllm-2026-08";
  profile.summary =
      "Reuse tree of blocks, partial blocks reused, admission reserves the whole output.";
  profile.citation = "TensorRT-LLM's KVCacheManager at commit b35ac1b64368";
  profile.reuse_tree = ReuseTreeOptions{};
  return profile;
}

EngineProfile orca(std::string name, std::string summary, Reservation reservation) {
  EngineProfile profile;
  profile.name = std::move(name);
  profile.summary = std::move(summary);
  profile.citation = "Kwon et al., PagedAttention, SOSP 2023, section 6.1";
  profile.contiguous.emplace().reservation = reservation;
  profile.max_sequence_tokens = 2048;  // OPT's
  return profile;
}

EngineProfile orca_max() {
  return orca("orca-max", "One contiguous run for a request, as long as the longest sequence.",
              Reservation::max);
}

EngineProfile orca_pow2() {
  return orca("orca-pow2",
              "One contiguous run for a request: its prompt, and its output rounded up to a power "
              "of two.",
              Reservation::pow2);
}

EngineProfile orca_oracle() {
  return orca("orca-oracle", "One contiguous run for a request, whose output is known beforehand.",
              Reservation::oracle);
}

}  // namespace

std::span<const EngineProfile> engine_profiles() {
  static const std::vector<EngineProfile> profiles = {
      vllm_main_2026_08(), vllm_0_19_0(), vllm_0_10_0(), sglang_2026_07(),
      trtllm_2026_08(),    orca_max(),    orca_pow2(),   orca_oracle()};
  return profiles;
}

const EngineProfile* find_engine_profile(std::string_view name) {
  const auto profiles = engine_profiles();
  const auto found = std::find_if(profiles.begin(), profiles.end(),
                                  [&](const EngineProfile& p) { return p.name == name; });
  return found == profiles.end() ? nullptr : &*found;
}

}  // namespace vacancy
