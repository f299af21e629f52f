// SPDX-License-Identifier: Apache-2.0
#include "gui/model/announcer.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "gui/model/number_format.hpp"
#include "sim/pool/sequence_ids.hpp"
#include "sim/registry/parameter.hpp"

namespace vacancy::gui {

namespace {

constexpr std::size_t most_tokens_named = 4;

std::string number_of(std::uint64_t value) {
  return number(static_cast<std::int64_t>(value));
}

std::string blocks_back(std::int64_t blocks) {
  if (blocks < 0) return counted(static_cast<std::uint64_t>(-blocks), "block") + " more were taken";
  const auto count = static_cast<std::uint64_t>(blocks);
  return counted(count, "block") + " came back";
}

/// "(tokens 357, 359, 367)"; the first ones where there are many, and the highest score.
std::string token_list(const std::vector<SlotView>& slots) {
  std::string text;
  std::size_t tokens = 0;
  float highest = unweighed;
  for (const SlotView& slot : slots) {
    if (slot.state != SlotState::live) continue;
    highest = std::fmax(highest, slot.score);
    if (tokens < most_tokens_named) text += (tokens > 0 ? ", " : "") + number_of(slot.position);
    ++tokens;
  }
  if (tokens > most_tokens_named) text += ", …";
  if (!std::isnan(highest))
    text += (tokens == 1 ? ", score " : "; highest score ") + score_text(highest);
  return (tokens == 1 ? "(token " : "(tokens ") + text + ")";
}

std::string future(const Mark& mark, const Scenario& scenario) {
  const std::string who = sequence_name(mark.sequence);
  switch (mark.kind) {
    case MarkKind::evict:
    case MarkKind::reclaim:
      return "evict " + counted(mark.tokens, "token") + " of " + who + " (" +
             policy_text(scenario) + ")";
    case MarkKind::admit:
      return "admit " + who + ", " + counted(mark.tokens, "new token");
    case MarkKind::finish:
      return who + " finishes";
    case MarkKind::preempt:
      return "preempt " + who + ": the pool has too few free blocks";
    case MarkKind::out_of_memory:
      return "out of memory: " + who + " finds no slot for its next token";
    case MarkKind::reject:
      return "reject " + who + ": alone in the pool, it finds too few blocks";
    case MarkKind::skip:
      return "a round of " + who + " is skipped";
  }
  return "";
}

std::string past(const Mark& mark) {
  const std::string who = sequence_name(mark.sequence);
  switch (mark.kind) {
    case MarkKind::evict:
    case MarkKind::reclaim:
      return who + " evicted " + counted(mark.tokens, "token") + ", " + blocks_back(mark.blocks);
    case MarkKind::admit:
      return who + " admitted, " + counted(mark.tokens, "new token");
    case MarkKind::finish:
      return who + " finished";
    case MarkKind::preempt:
      return who + " preempted";
    case MarkKind::out_of_memory:
      return "out of memory: " + who + " found no slot for its next token";
    case MarkKind::reject:
      return who + " rejected: alone in the pool, it finds too few blocks";
    case MarkKind::skip:
      return "a round of " + who + " was skipped";
  }
  return "";
}

}  // namespace

std::string sequence_name(std::uint32_t sequence) {
  const std::string request = number_of(sequence % candidate_stride);
  const std::uint32_t candidate = sequence / candidate_stride;
  if (candidate == 0) return "sequence " + request;
  if (candidate >= most_candidates) return "pinned prompt of " + request;
  return "sequence " + request + ", candidate " + number_of(candidate);
}

std::string policy_text(const Scenario& scenario) {
  if (scenario.policy.empty()) return "none";
  if (scenario.eviction.interval == 0) return scenario.policy;
  return scenario.policy + ", β = " + number_of(scenario.eviction.interval);
}

std::string mark_text(const Mark& mark) {
  switch (mark.kind) {
    case MarkKind::evict:
      return counted(mark.tokens, "token") + " evicted, " +
             (mark.blocks < 0 ? blocks_back(mark.blocks) : "0 blocks");
    case MarkKind::reclaim:
      return number_of(mark.tokens) + " evicted, " +
             counted(static_cast<std::uint64_t>(mark.blocks), "block") + " back";
    case MarkKind::admit:
      return "admitted, " + counted(mark.tokens, "new token");
    case MarkKind::finish:
      return "finished";
    case MarkKind::preempt:
      return "preempted";
    case MarkKind::out_of_memory:
      return "out of memory";
    case MarkKind::reject:
      return "rejected";
    case MarkKind::skip:
      return "round skipped";
  }
  return "";
}

std::string next_sentence(const Recording& recording, std::uint64_t event) {
  const Marks& marks = recording.marks();
  const std::uint64_t i = marks.from_event(event);
  if (i < marks.size())
    return seconds(marks[i].time_ns) + ": " + future(marks[i], recording.scenario()) + ".";
  const std::string end = seconds(recording.end_ns());
  if (!recording.over()) return "Simulated to " + end + ".";
  return recording.state() == RunState::finished ? "The run ends at " + end + "."
                                                 : "The run stops at " + end + ".";
}

std::optional<std::uint32_t> least_live_block(const Replica& replica, std::uint32_t sequence) {
  const PoolView view = replica.view();
  std::optional<std::uint32_t> best;
  const auto better = [&](std::uint32_t block) {
    if (!best) return true;
    if (view.changed_ns[block] != view.changed_ns[*best])
      return view.changed_ns[block] > view.changed_ns[*best];
    return view.live[block] < view.live[*best];
  };
  for (const std::uint32_t block : replica.blocks_of(sequence))
    if (view.live[block] > 0 && view.live[block] < view.fill[block] && better(block)) best = block;
  return best;
}

std::string block_sentence(const Replica& replica, std::uint32_t block, const RoundScores* scores) {
  const PoolView view = replica.view();
  const std::string name = "block " + number_of(block);
  const std::uint32_t live = view.live[block], fill = view.fill[block];
  if (view.references[block] == 0) {
    if ((view.flags[block] & host_tier) != 0) return name + " lies in the host's memory.";
    if ((view.flags[block] & cached) != 0)
      return name + " is free; its contents can still be found.";
    return name + " is free.";
  }
  std::vector<SlotView> slots;
  replica.slots(block, slots);
  if (scores != nullptr) add_scores(replica, *scores, block, slots);
  const std::string of_all = number_of(live) + " of " + number_of(view.block_size) + " slots live";
  std::string text;
  if (live == 0)
    text = fill == 0 ? name + " was allocated and not written yet" : name + " holds no live token";
  else if (live == fill)
    text = name + ": " + of_all;
  else
    text = name + " stays: " + of_all + " " + token_list(slots);
  if (view.references[block] > 1)
    text += "; " + number_of(view.references[block]) +
            " tables hold it, and it returns when all of them let go";
  if ((view.flags[block] & pinned) != 0) text += "; pinned";
  return text + ".";
}

std::string last_sentence(Cursor& cursor, const RoundScores* scores) {
  const Marks& marks = cursor.recording().marks();
  const std::uint64_t i = marks.from_event(cursor.event());
  if (i == 0) return "";
  const Mark& mark = marks[i - 1];
  std::string text = seconds(mark.time_ns) + ": " + past(mark);
  const bool round = mark.kind == MarkKind::evict || mark.kind == MarkKind::reclaim;
  if (round && cursor.recording().shape().has_map)
    if (const auto block = least_live_block(cursor.replica(), mark.sequence))
      return text + "; " + block_sentence(cursor.replica(), *block, scores);
  return text + ".";
}

}  // namespace vacancy::gui
