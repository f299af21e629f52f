// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/difference.hpp"

#include <array>
#include <variant>

namespace vacancy::verify {

const char* event_name(const Event& event) {
  static constexpr std::array<const char*, std::variant_size_v<Event>> names = {
      "clock_advanced",     "sequence_started",     "blocks_allocated",    "blocks_adopted",
      "blocks_cached",      "blocks_uncached",      "block_offloaded",     "block_onboarded",
      "cache_cleared",      "tokens_appended",      "round_started",       "tokens_evicted",
      "table_packed",       "table_copied_out",     "tokens_moved",        "blocks_released",
      "block_copied",       "sequence_forked",      "round_finished",      "round_skipped",
      "fault_damage",       "quality_measured",     "sequence_completed",  "sequence_finished",
      "sequence_preempted", "sequence_swapped_out", "sequence_swapped_in", "host_blocks_stored",
      "host_blocks_loaded", "request_queued",       "prefix_looked_up",    "request_admitted",
      "step_composed",      "step_completed",       "request_rejected",    "out_of_memory"};
  static_assert(names.back() != nullptr, "each event has a name");
  return names[event.index()];
}

std::string sentence(const Difference& difference) {
  std::string text = difference.operation;
  if (difference.event > 0) text += " (event " + std::to_string(difference.event) + ")";
  text += " at " + std::to_string(difference.time.value()) + " ns";
  const auto add = [&text](const char* name, const auto& value) {
    if (value) text += std::string(", ") + name + ' ' + std::to_string(*value);
  };
  const auto number = [](const auto& id) {
    return id ? std::optional(id->value()) : std::optional<std::uint32_t>();
  };
  add("sequence", number(difference.sequence));
  add("table", difference.table);
  add("block", number(difference.block));
  add("slot", difference.slot);
  return text + ": expected " + difference.expected + ", found " + difference.found + ".";
}

}  // namespace vacancy::verify
