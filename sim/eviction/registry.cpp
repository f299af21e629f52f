// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/registry.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/eviction/policies/entries.hpp"

namespace vacancy {

namespace {

std::vector<PolicyEntry> all_policies() {
  std::vector<PolicyEntry> table = {
      full_entry(),
      random_entry(),
      streaming_llm_entry(),
      h2o_entry(),
      snapkv_entry(),
      knorm_entry(),
      triattention_entry(),
      tova_entry(),
      keydiff_entry(),
      lagkv_entry(),
      r_kv_entry(),
      chunkkv_entry(),
      vase_entry(),
      cur_entry(),
      q_filter_entry(),
      paged_eviction_entry(),
      block_h2o_entry(),
      whole_blocks_entry(),
      swap_entry(),
      two_price_entry(),
      keep_list_entry(),
      sliding_window_entry(),
      rolling_buffer_entry(),
      scissorhands_entry(),
      expected_attention_entry(),
      lazy_eviction_entry(),
      openvino_entry(),
      zipage_entry(),
      fastv_entry(),
      token_gating_entry(),
      quest_entry(),
      pyramidkv_entry(),
      ada_kv_entry(),
      critical_kv_entry(),
      rocketkv_entry(),
      kv_compress_entry(),
      ragged_blocks_entry(),
      head_pruning_entry(),
      kvzip_entry(),
  };
  for (PolicyEntry& entry : table) {
    entry.info.settings = {{"scope", std::string(enum_name(entry.scope))},
                           {"trigger", std::string(enum_name(entry.trigger))},
                           {"prompt", std::string(enum_name(entry.prompt))}};
    if (entry.once == OnceAt::prompt_end) entry.info.settings.emplace_back("once.at", "prompt_end");
  }
  return table;
}

}  // namespace

std::span<const PolicyEntry> policies() {
  static const std::vector<PolicyEntry> table = all_policies();
  return table;
}

const PolicyEntry* find_policy(std::string_view name) {
  const auto all = policies();
  const auto entry = std::find_if(all.begin(), all.end(),
                                  [&](const PolicyEntry& e) { return e.info.name == name; });
  return entry == all.end() ? nullptr : &*entry;
}

}  // namespace vacancy
