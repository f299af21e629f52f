// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/summary_keys.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/metrics/summary.hpp"

namespace vacancy {

namespace {

/// The unit of a key, or of all keys in it.
struct Unit {
  std::string_view key, unit;
};

constexpr Unit units[] = {
    {"run.events", "events"},
    {"run.virtual_time_ns", "ns"},
    {"reclaim.rounds", "rounds"},
    {"reclaim.skipped_rounds", "rounds"},
    {"reclaim.refused_rounds", "rounds"},
    {"reclaim.postponed_rounds", "rounds"},
    {"reclaim.moving_rounds", "rounds"},
    {"reclaim.evicted_tokens", "tokens"},
    {"reclaim.vacated_tokens", "tokens"},
    {"reclaim.blocks_freed_by_eviction", "blocks"},
    {"reclaim.blocks_taken", "blocks"},
    {"reclaim.blocks_freed_per_evicted_token", "blocks / token"},
    {"reclaim.reclaim_efficiency", "share"},
    {"reclaim.moved_tokens", "tokens"},
    {"reclaim.bytes_moved", "bytes"},
    {"reclaim.bytes_moved_by", "bytes"},
    {"memory.kv_peak_blocks", "blocks"},
    {"memory.kv_peak_bytes", "bytes"},
    {"memory.kv_after_round_blocks", "blocks"},
    {"memory.held_slots", "slots"},
    {"memory.live_slots", "slots"},
    {"memory.hole_ratio", "share"},
    {"memory.tail_ratio", "share"},
    {"sharing.blocks_shared", "blocks"},
    {"sharing.blocks_saved", "blocks"},
    {"sharing.sequences_forked", "times"},
    {"sharing.blocks_copied", "blocks"},
    {"quality", "share"},
    {"serving.steps", "steps"},
    {"serving.completed", "sequences"},
    {"serving.unfinished", "sequences"},
    {"serving.rejected", "requests"},
    {"serving.preemptions", "times"},
    {"serving.swapped_out_blocks", "blocks"},
    {"serving.swapped_in_blocks", "blocks"},
    {"serving.recomputed_tokens", "tokens"},
    {"serving.blocks_allocated", "blocks"},
    {"serving.blocks_evicted", "blocks"},
    {"serving.evict_calls", "times"},
    {"serving.hit_tokens", "tokens"},
    {"serving.hit_tokens_first_admission", "tokens"},
    {"serving.hit_tokens_readmission", "tokens"},
    {"serving.hit_tokens_device", "tokens"},
    {"serving.hit_tokens_host", "tokens"},
    {"serving.host_blocks_written", "blocks"},
    {"serving.host_blocks_evicted", "blocks"},
    {"serving.query_tokens", "tokens"},
    {"serving.scheduled_tokens", "tokens"},
    {"serving.hit_ratio_blocks", "share"},
    {"serving.request_hit_ratio", "share"},
    {"serving.lookups", "times"},
    {"serving.lookup_hit_tokens", "tokens"},
    {"serving.lookup_query_tokens", "tokens"},
    {"latency", "ms"},
    {"throughput.makespan_ns", "ns"},
    {"throughput.requests_per_second", "1/s"},
    {"throughput.prompt_tokens_per_second", "tokens/s"},
    {"throughput.output_tokens_per_second", "tokens/s"},
    {"reuse_tree.hit_ratio", "share"},
    {"reuse_tree.reused_tokens_device", "tokens"},
    {"reuse_tree.reused_tokens_host", "tokens"},
    {"reuse_tree.offloaded_bytes", "bytes"},
    {"reuse_tree.onboarded_bytes", "bytes"},
    {"reuse_tree", "blocks"},
    {"faults.reclaim_orphan.garbage_tokens", "tokens"},
    {"faults.reclaim_orphan", "rounds"},
    {"faults.offset_overstated.late_allocations", "blocks"},
    {"faults.offset_overstated", "tokens"},
    {"faults.barrier_bypass.tokens_across_compaction", "tokens"},
    {"faults.prefill_guard.pinned_tokens_evicted", "tokens"},
    {"faults.prefill_guard", "rounds"},
    {"faults.stale_after_preemption.rounds", "rounds"},
    {"faults.stale_after_preemption.blocks_not_owned", "blocks"},
    {"faults.silent_off", "rounds"},
};

/// The first entry that fits.
std::string_view unit_of(std::string_view key) {
  const auto fits = [key](const Unit& entry) {
    return key.starts_with(entry.key) &&
           (key.size() == entry.key.size() || key[entry.key.size()] == '.');
  };
  const auto found = std::ranges::find_if(units, fits);
  return found == std::ranges::end(units) ? std::string_view() : found->unit;
}

void add_numbers(const nlohmann::ordered_json& object, const std::string& path,
                 std::vector<SummaryKey>& keys) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = path.empty() ? name : path + '.' + name;
    if (value.is_object())
      add_numbers(value, key, keys);
    else if (value.is_number() || value.is_null())
      keys.push_back({key, unit_of(key)});
  }
}

}  // namespace

const std::vector<SummaryKey>& summary_keys() {
  static const std::vector<SummaryKey> keys = [] {
    Summary whole;  // with all that is not always there
    for (const auto& entry : EnumNames<EvictionFault>::table)
      whole.faults.on.insert(entry.value);
    whole.windows.emplace_back();
    std::vector<SummaryKey> result;
    add_numbers(nlohmann::ordered_json::parse(to_json(whole)), "", result);
    return result;
  }();
  return keys;
}

}  // namespace vacancy
