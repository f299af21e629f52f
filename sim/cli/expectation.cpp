// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/eviction/evictor.hpp"
#include "sim/metrics/closed_forms.hpp"
#include "sim/model/memory.hpp"

namespace vacancy {

namespace {

/// The rounds that one sequence will see. All but the first find `kept + interval` tokens.
struct RoundSchedule {
  std::uint64_t count = 0;
  std::uint64_t first_length = 0;   // tokens in the cache when the first round begins
  std::uint64_t last_position = 0;  // t at the last round
  std::uint64_t kept = 0;
};

/// Nothing where the rounds do not follow from lengths alone.
std::optional<RoundSchedule> schedule(const EvictorOptions& options, std::uint32_t capacity,
                                      const SequencePlan& plan) {
  const std::uint64_t prompt = plan.prompt_tokens, total = prompt + plan.output_tokens;
  RoundSchedule rounds;
  rounds.kept =
      capacity + (options.prompt == PromptRule::pinned_outside ? prompt : std::uint64_t{0});
  switch (options.trigger) {
    case TriggerKind::once: {
      std::uint64_t at = total;
      if (options.once == OnceAt::prompt_end) at = prompt;
      if (options.once == OnceAt::length) at = std::max<std::uint64_t>(options.once_length, prompt);
      if (at > rounds.kept && at <= total) rounds = {1, at, at, rounds.kept};
      return rounds;
    }
    case TriggerKind::interval:
    case TriggerKind::slack: {
      if (prompt > 0) return std::nullopt;  // and so count_prompt does not matter
      const std::uint64_t beta = options.interval;
      const std::uint64_t first = options.trigger == TriggerKind::slack
                                      ? rounds.kept + beta
                                      : (rounds.kept / beta + 1) * beta;
      if (first > total) return rounds;
      rounds.count = 1 + (total - first) / beta;
      rounds.first_length = first;
      rounds.last_position = first + (rounds.count - 1) * beta;
      return rounds;
    }
    case TriggerKind::aligned:
    case TriggerKind::usage:
    case TriggerKind::allocation_failure:
      return std::nullopt;
  }
  return std::nullopt;
}

class Reasoning {
 public:
  Reasoning(const Scenario& scenario, const SimulationConfig& config)
      : scenario_(scenario),
        config_(config),
        layout_(config.cache.layout),
        block_(config.cache.block_size),
        tables_(layout_.tables()),
        alike_(std::adjacent_find(config.sequences.begin(), config.sequences.end(),
                                  [](const auto& a, const auto& b) { return !(a == b); }) ==
               config.sequences.end()) {}

  Expectations find() {
    if (config_.policy->keep_rule() == KeepRule::all) {
      nothing_is_evicted();
    } else if (config_.policy->keep_rule() == KeepRule::budget && rounds_follow_from_lengths()) {
      if (compacts() && config_.policy->keep_count() == KeepCount::exact)
        compaction("Compaction");
      else if (keeps_whole_blocks())
        compaction("Whole blocks");
      else if (scenario_.reclaimer == "none" && scenario_.policy == "random")
        random_without_moves();
      else if (scenario_.reclaimer == "none" && keeps_a_window())
        sinks_and_window();
    }
    return std::move(result_);
  }

 private:
  std::uint64_t blocks(std::uint64_t tokens) const {
    return blocks_for_tokens(tokens, static_cast<std::uint32_t>(block_));
  }
  std::uint64_t sequences() const { return config_.sequences.size(); }
  static Expected exact(std::uint64_t value) { return {static_cast<double>(value), std::nullopt}; }

  /// Also that no round is skipped: pinned and protected tokens leave something to choose.
  bool rounds_follow_from_lengths() {
    const Protection kept = joined_protection(config_.eviction, *config_.policy);
    unprotected_ = kept.sinks == 0 && kept.recent == 0;
    for (const SequencePlan& plan : config_.sequences) {
      const auto rounds =
          schedule(config_.eviction, config_.policy->capacity(config_.eviction.budget), plan);
      if (!rounds) return false;
      const std::uint64_t pinned =
          config_.eviction.prompt == PromptRule::evictable ? 0 : plan.prompt_tokens;
      if (pinned > 0) unprotected_ = false;
      if (pinned + kept.sinks + kept.recent >= rounds->kept) return false;
      schedules_.push_back(*rounds);
    }
    return true;
  }

  /// Whole blocks stay, and nothing forces more of them than the budget has.
  bool keeps_whole_blocks() const {
    const bool agreed = layout_.sets_per_table() == 1;
    // Repeated rounds end between K and K + B - 1 tokens, and so does one whose newest block is
    // not full.
    const bool full = std::all_of(schedules_.begin(), schedules_.end(), [&](const auto& s) {
      return s.count == 0 || s.first_length % block_ == 0;
    });
    return unprotected_ && agreed && full && config_.eviction.trigger == TriggerKind::once &&
           (scenario_.reclaimer == "whole_block" ||
            (scenario_.reclaimer == "none" && scenario_.policy == "block_h2o"));
  }

  bool keeps_a_window() const {
    return scenario_.policy == "streaming_llm" || scenario_.policy == "sliding_window" ||
           scenario_.policy == "rolling_buffer";
  }

  /// Survivors fill as few blocks as they can.
  bool compacts() const {
    const std::string& kind = scenario_.reclaimer;
    return scenario_.reclaim_rules.always_moves() &&
           (kind == "slide" || kind == "fill_holes" || kind == "fullest_blocks" ||
            kind == "copy_out");
  }

  void nothing_is_evicted() {
    const SequencePlan& plan = config_.sequences.front();
    // Sequences without output leave one by one, after their prefill.
    if (!alike_ || (sequences() > 1 && plan.output_tokens == 0)) return;
    const std::uint64_t tokens = std::uint64_t{plan.prompt_tokens} + plan.output_tokens;
    result_.peak_blocks = exact(sequences() * tables_ * blocks(tokens));
    result_.laws.emplace_back("Full cache: every sequence holds ceil(tokens / B) blocks a table.");
  }

  /// Survivors fill blocks, so counts alone decide (E-40): K after a round, K + interval before.
  void compaction(const std::string& name) {
    std::uint64_t freed = 0, rounds = 0;
    for (const RoundSchedule& s : schedules_) {
      rounds += s.count;
      if (s.count == 0) continue;
      const std::uint64_t later = s.kept + config_.eviction.interval;
      freed += blocks_freed_by_compaction(s.first_length, s.kept, block_) +
               (s.count - 1) * blocks_freed_by_compaction(later, s.kept, block_);
    }
    result_.blocks_freed = exact(freed * tables_);
    const RoundSchedule& s = schedules_.front();
    if (sequences() == 1 && s.count > 0) {
      const SequencePlan& plan = config_.sequences.front();
      const std::uint64_t total = std::uint64_t{plan.prompt_tokens} + plan.output_tokens;
      std::uint64_t longest = std::max(s.first_length, s.kept + (total - s.last_position));
      if (s.count > 1) longest = std::max(longest, s.kept + config_.eviction.interval);
      result_.peak_blocks = exact(tables_ * blocks(longest));
      result_.blocks_after_round = exact(tables_ * blocks(s.kept));
    }
    if (rounds > 0)
      result_.laws.emplace_back(
          name +
          ": a table shrinks from ceil(tokens / B) to ceil(budget / B) blocks, "
          "whichever tokens stay.");
  }

  void random_without_moves() {
    if (!unprotected_) return;
    const auto& values = scenario_.values.at("eviction.random").values;
    chunk_ = static_cast<std::uint64_t>(std::get<std::int64_t>(values.at("chunk_tokens")));
    if (config_.eviction.trigger == TriggerKind::once)
      random_once();
    else if (alike_)
      random_steady();
  }

  void random_once() {
    // Tables with the same sets empty together; the other groups of tables are independent.
    const std::uint64_t sets = layout_.sets_per_table();
    const std::uint64_t whole_groups = layout_.policy_sets() / sets;
    const auto groups = static_cast<double>(whole_groups);
    const double replicas = static_cast<double>(tables_) / groups;
    double mean = 0, variance = 0;
    for (const RoundSchedule& s : schedules_) {
      if (s.count == 0) continue;
      if (block_ % chunk_ != 0 || s.kept % chunk_ != 0 || s.first_length % chunk_ != 0) return;
      const EmptyBlocks one =
          empty_blocks(s.first_length / chunk_, s.kept / chunk_, block_ / chunk_, sets);
      mean += one.mean * groups * replicas;
      variance += one.standard_deviation * one.standard_deviation * groups * replicas * replicas;
    }
    result_.blocks_freed = {mean, std::sqrt(variance)};
    if (sequences() == 1 && schedules_.front().count > 0) {
      const double before = static_cast<double>(tables_ * blocks(schedules_.front().first_length));
      result_.blocks_after_round = {before - mean, std::sqrt(variance)};
    }
    result_.laws.emplace_back(
        "Random survivors, one eviction: a full block empties with probability "
        "C(N - B, K) / C(N, K) for each independent set that shares it" +
        std::string(chunk_ > 1 ? ", counted in chunks" : "") + "; mean ± standard deviation.");
  }

  void random_steady() {
    const std::uint64_t beta = config_.eviction.interval;
    const RoundSchedule& s = schedules_.front();
    const std::uint64_t sets = layout_.sets_per_table();
    if (chunk_ != 1 || beta % block_ != 0 || s.kept % block_ != 0 || s.count == 0) return;
    // Steady once nothing of the start is left to die: the blocks of the first round survive the
    // first half of the rounds with probability below 1 %.
    const double survival = static_cast<double>(s.kept) / static_cast<double>(s.kept + beta);
    const std::uint64_t half = s.count / 2;
    if (static_cast<double>(block_ * sets) * std::pow(survival, static_cast<double>(half)) > 0.01)
      return;
    result_.steady_held_slots = {steady_state_pinned_slots(s.kept, beta, block_, sets) *
                                     static_cast<double>(tables_ * sequences()),
                                 std::nullopt};
    result_.laws.emplace_back(
        "Random survivors, many rounds: interval × sum over n of 1 - (1 - q^n)^(B m) slots stay "
        "pinned, q = K / (K + interval), m independent sets a table.");
  }

  /// The blocks between the sinks and the recent window are empty after the last round.
  void sinks_and_window() {
    const Protection options = config_.eviction.protect;
    const std::uint64_t sinks = joined_protection(config_.eviction, *config_.policy).sinks;
    if (options.recent > 0) return;
    std::uint64_t freed = 0;
    for (const RoundSchedule& s : schedules_) {
      if (s.count == 0) continue;
      const std::uint64_t window_start = s.last_position - (s.kept - sinks);
      const std::uint64_t first_gap = blocks(sinks), end_gap = window_start / block_;
      freed += end_gap > first_gap ? end_gap - first_gap : 0;
    }
    result_.blocks_freed = exact(freed * tables_);
    result_.laws.emplace_back(
        "Sinks and a window: the blocks wholly between them return, "
        "floor(window start / B) - ceil(sinks / B) a table.");
  }

  const Scenario& scenario_;
  const SimulationConfig& config_;
  const CacheLayout& layout_;
  std::uint64_t block_, tables_, chunk_ = 1;
  bool alike_;
  bool unprotected_ = false;
  std::vector<RoundSchedule> schedules_;
  Expectations result_;
};

}  // namespace

Expectations expect(const Scenario& scenario, const SimulationConfig& config) {
  return Reasoning(scenario, config).find();
}

}  // namespace vacancy
