// SPDX-License-Identifier: Apache-2.0
#include "gui/model/recording.hpp"

#include "gui/model/number_format.hpp"

namespace vacancy::gui {

Recording::Recording(std::shared_ptr<const Scenario> scenario, RecordingLimits limits)
    : scenario_(std::move(scenario)), history_(limits.history), keyframes_(limits.keyframes) {}

std::uint64_t Recording::step_end(std::uint64_t event) const {
  const std::uint64_t size = step_ends_.size();
  const std::uint64_t i =
      step_ends_.partition_point(0, size, [&](std::uint64_t end) { return end < event; });
  if (i < size) return step_ends_[i];
  return size > 0 ? step_ends_[size - 1] : 0;
}

std::string Recording::missing() const {
  if (!has_events_)
    return "This scheduler has no clock and shows no blocks at a moment: there are figures at the "
           "end, no map and no timeline.";
  if (!shape_.has_map)
    return "This engine's cache is a radix tree of tokens, whose events name no blocks: there is a "
           "timeline, and no map. For a map of the same requests, set engine.profile to an engine "
           "with block tables, such as vllm-0.19.0.";
  return "";
}

std::string Recording::limit_sentence() const {
  if (!history_.full()) return "";
  return "Recording stopped at " + counted(history_.size(), "event") + " (" +
         bytes(history_.bytes()) + "); the figures go on.";
}

const Summary* Recording::summary() const {
  return over() ? summary_.get() : nullptr;
}

}  // namespace vacancy::gui
