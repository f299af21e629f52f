// SPDX-License-Identifier: Apache-2.0
#include "gui/model/round_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "sim/units/bit_mask.hpp"

namespace vacancy::gui {

namespace {

/// Enough for a run that nobody moves about in.
constexpr std::uint64_t keyframe_bytes = std::uint64_t{16} << 20;

}  // namespace

RoundScores::RoundScores(const CacheLayout& layout, std::uint32_t sequence)
    : layout_(layout), sequence_(sequence), tables_(layout.tables()) {}

float RoundScores::of(std::uint32_t table, std::uint32_t position) const {
  if (table >= tables_.size() || position >= tables_[table].size()) return unweighed;
  return tables_[table][position];
}

bool RoundScores::empty() const {
  return std::ranges::all_of(tables_, [](const auto& table) { return table.empty(); });
}

void RoundScores::add(const EvictionRound& round, std::span<const double> scores) {
  std::vector<std::size_t> open;
  std::vector<double> ascending;
  for (std::size_t i = 0; i < round.live.size(); ++i) {
    if (bits::test(round.guarded, i)) continue;
    open.push_back(i);
    ascending.push_back(scores[i]);
  }
  if (open.empty()) return;
  std::sort(ascending.begin(), ascending.end());
  const double others = std::max<double>(1, static_cast<double>(open.size()) - 1);
  std::vector<float> shares;
  for (const std::size_t i : open) {
    const auto lower =
        std::lower_bound(ascending.begin(), ascending.end(), scores[i]) - ascending.begin();
    shares.push_back(static_cast<float>(static_cast<double>(lower) / others));
  }
  for (std::uint32_t table = 0; table < layout_.tables(); ++table) {
    bool stands_here = false;
    for (std::uint32_t set = 0; set < layout_.sets_per_table(); ++set)
      stands_here = stands_here || layout_.policy_set(table, set) == round.set;
    if (!stands_here) continue;
    std::vector<float>& best = tables_[table];
    if (best.size() <= round.live[open.back()]) best.resize(round.live[open.back()] + 1, unweighed);
    for (std::size_t k = 0; k < open.size(); ++k) {
      float& highest = best[round.live[open[k]]];
      highest = std::fmax(highest, shares[k]);
    }
  }
}

void add_scores(const Replica& replica, const RoundScores& scores, std::uint32_t block,
                std::span<SlotView> slots) {
  for (const Replica::Place& place : replica.places(block))
    if (place.sequence == scores.sequence())
      for (SlotView& slot : slots)
        slot.score = scores.of(place.table, slot.position);
}

std::vector<BlockScore> block_scores(const Replica& replica, const RoundScores& scores) {
  std::vector<BlockScore> result;
  const ReplicaSequence* const sequence = replica.sequence(scores.sequence());
  if (sequence == nullptr) return result;
  for (std::uint32_t t = 0; t < sequence->tables.size(); ++t) {
    const ReplicaTable& table = sequence->tables[t];
    for (std::uint32_t entry = 0; entry < table.entries.size(); ++entry) {
      if (table.entries[entry] == null_entry) continue;
      float highest = unweighed;
      const std::uint32_t first = entry * table.block_size;
      for (std::uint32_t slot = first; slot < first + table.fill_of(entry); ++slot)
        if (table.holders(slot) > 0) highest = std::fmax(highest, scores.of(t, table.token(slot)));
      result.push_back({table.entries[entry], highest});
    }
  }
  return result;
}

std::string score_text(float score) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", static_cast<double>(score));
  return text;
}

/// What is looked for, and what was found so far. The policy of a run writes it, whoever made the
/// run reads it once the run is over.
struct ScoreRun::Wish {
  std::uint32_t sequence = 0, round = 0;
  std::uint64_t event = 0;

  std::weak_ptr<const Recording> run;  // that is under way
  std::uint64_t heard_at = 0;          // events before the decision
  std::shared_ptr<RoundScores> found;

  /// Rounds have their number once more where a sequence was preempted: the last one counts.
  bool wants(const EvictionRound& decision) {
    if (decision.sequence.value() != sequence || decision.number != round) return false;
    const auto recording = run.lock();
    const std::uint64_t now = recording ? recording->events() : 0;
    if (now >= event) return false;
    if (!found || now != heard_at)
      found = std::make_shared<RoundScores>(*decision.layout, sequence);
    heard_at = now;
    return true;
  }
};

/// Chooses as the policy behind it does, and tells its scores.
class ScoreRun::ListeningPolicy final : public EvictionPolicy {
 public:
  ListeningPolicy(std::shared_ptr<const EvictionPolicy> policy, std::shared_ptr<Wish> wish)
      : policy_(std::move(policy)), wish_(std::move(wish)) {}

  PolicyNeeds needs() const override { return policy_->needs(); }
  KeepRule keep_rule() const override { return policy_->keep_rule(); }
  KeepCount keep_count() const override { return policy_->keep_count(); }
  std::unique_ptr<SequenceState> open_state(const AttentionShape& shape,
                                            std::uint32_t prompt_tokens) const override {
    return policy_->open_state(shape, prompt_tokens);
  }
  std::uint32_t capacity(std::uint32_t budget) const override { return policy_->capacity(budget); }
  Protection protection(std::uint32_t budget) const override { return policy_->protection(budget); }
  bool reads_part() const override { return policy_->reads_part(); }
  std::unique_ptr<TokenReader> open_reader(const EvictionRound& round, std::uint32_t layer,
                                           std::uint32_t kv_head) const override {
    return policy_->open_reader(round, layer, kv_head);
  }
  void allot(std::span<EvictionRound> sets, std::span<std::uint32_t> shares,
             SelectionScratch& scratch) const override {
    policy_->allot(sets, shares, scratch);
  }

  /// Who keeps whole blocks asks for scores alone.
  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    policy_->score(round, scores, scratch);
    if (wish_->wants(round)) wish_->found->add(round, scores);
  }
  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    if (wish_->wants(round)) {
      std::vector<double> scores(round.scores.begin(), round.scores.end());
      if (scores.empty()) {
        SelectionScratch own;
        scores.resize(round.live.size());
        policy_->score(round, scores, own);
      }
      wish_->found->add(round, scores);
    }
    policy_->select(round, keep, scratch);
  }

 private:
  std::shared_ptr<const EvictionPolicy> policy_;
  std::shared_ptr<Wish> wish_;
};

ScoreRun::ScoreRun(const Recording& recording, std::uint32_t sequence, std::uint32_t round,
                   std::uint64_t event)
    : fork_(recording.fork()), wish_(std::make_shared<Wish>()) {
  auto scenario = std::make_shared<Scenario>(recording.scenario());
  if (scenario->eviction_policy)
    scenario->eviction_policy = std::make_shared<ListeningPolicy>(scenario->eviction_policy, wish_);
  scenario_ = std::move(scenario);
  wish_->sequence = sequence;
  wish_->round = round;
  wish_->event = event;
}

std::unique_ptr<RecordedRun> ScoreRun::make() {
  RecordingLimits limits;
  limits.keyframes = keyframe_bytes;
  limits.events = wish_->event;
  auto run = std::make_unique<RecordedRun>(scenario_, limits, fork_);
  wish_->run = run->recording();
  return run;
}

std::shared_ptr<const RoundScores> ScoreRun::scores() const {
  return wish_->found && !wish_->found->empty() ? wish_->found : nullptr;
}

}  // namespace vacancy::gui
