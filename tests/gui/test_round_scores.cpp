// SPDX-License-Identifier: Apache-2.0
// Scores that a run made once more tells, against what the recorded run kept and evicted.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gui/model/announcer.hpp"
#include "gui/model/cursor.hpp"
#include "gui/model/round_scores.hpp"
#include "gui/model/what_if.hpp"
#include "tests/gui/gui_scenarios.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

namespace {

std::shared_ptr<const RoundScores> scores_at(const Cursor& cursor, std::uint32_t sequence) {
  const ReplicaSequence* const s = cursor.replica().sequence(sequence);
  if (s == nullptr || s->round_times.empty()) return nullptr;
  ScoreRun run(cursor.recording(), sequence, static_cast<std::uint32_t>(s->round_times.size() - 1),
               cursor.event());
  run.make()->run();
  return run.scores();
}

/// Calls f(cursor, sequence) right after the eviction of every n-th round.
template <class F>
int at_rounds(const std::shared_ptr<const Recording>& recording, int every, F&& f) {
  Cursor cursor(recording);
  HistoryReader reader(recording->history());
  int rounds = 0, asked = 0;
  for (std::uint64_t n = 0; n < recording->events(); ++n) {
    const auto* evicted = std::get_if<TokensEvicted>(&reader.event(n));
    if (evicted == nullptr || rounds++ % every != 0) continue;
    const std::uint32_t sequence = evicted->sequence.value();
    cursor.seek(n + 1);
    f(cursor, sequence);
    ++asked;
  }
  return asked;
}

std::string with_policy(const std::string& policy, const std::string& table = "shared",
                        const std::string& scope = "model") {
  return R"({"seed": 5, "model": {"layers": 2, "query_heads": 4, "kv_heads": 2, "head_dim": 16,
    "rope_theta": 10000}, "attention": {"source": "random"},
    "cache": {"block_size": 8, "blocks": 400, "table": ")" +
         table + R"("}, "eviction": {"policy": ")" + policy + R"(", "scope": ")" + scope +
         R"(", "budget": 48, "trigger": "interval", "interval": 16}, "quality": {"queries": 0},
    "workload": {"sequences": 3, "prompt_tokens": 40, "output_tokens": 120}})";
}

}  // namespace

TEST_CASE("what a round kept scored more than what it evicted, and ranks are those of its set",
          "[scores]") {
  for (const char* policy : {"random", "h2o", "tova", "knorm", "snapkv"})
    for (const char* table : {"shared", "per_layer_per_head"}) {
      CAPTURE(policy, table);
      const bool apart = std::string(table) != "shared";
      const auto recording =
          record(with_policy(policy, table, apart ? "per_layer_per_head" : "model"));
      REQUIRE(recording->state() == RunState::finished);
      const int asked = at_rounds(recording, 5, [](const Cursor& cursor, std::uint32_t sequence) {
        const auto scores = scores_at(cursor, sequence);
        REQUIRE(scores);
        const ReplicaSequence& now = *cursor.replica().sequence(sequence);
        const auto round = static_cast<std::uint32_t>(now.round_times.size() - 1);
        for (std::uint32_t t = 0; t < now.tables.size(); ++t) {
          const ReplicaTable& own = now.tables[t];
          float least_kept = 1, most_evicted = 0, highest = 0;
          std::size_t evicted = 0;
          for (std::uint32_t slot = 0; slot < own.length; ++slot) {
            const float score = scores->of(t, own.token(slot));
            if (std::isnan(score)) continue;  // protected, or evicted in a round before
            highest = std::max(highest, score);
            if (own.holders(slot) > 0) {
              least_kept = std::min(least_kept, score);
            } else if (own.vacated_in(slot) == round) {
              most_evicted = std::max(most_evicted, score);
              ++evicted;
            }
          }
          CHECK(evicted > 0);
          CHECK(most_evicted <= least_kept);
          CHECK(highest == 1);
        }
      });
      CHECK(asked > 3);
    }
}

TEST_CASE("of several sets on a table the highest score counts", "[scores]") {
  const auto recording = record(with_policy("random", "shared", "per_layer_per_head"));
  at_rounds(recording, 7, [](const Cursor& cursor, std::uint32_t sequence) {
    const auto scores = scores_at(cursor, sequence);
    REQUIRE(scores);
    const ReplicaTable& own = cursor.replica().sequence(sequence)->tables.front();
    // Four sets keep their own halves: what no set keeps was low in all of them.
    double kept = 0, gone = 0;
    int kept_count = 0, gone_count = 0;
    for (std::uint32_t slot = 0; slot < own.length; ++slot) {
      const float score = scores->of(0, own.token(slot));
      if (std::isnan(score)) continue;
      (own.holders(slot) > 0 ? kept : gone) += static_cast<double>(score);
      ++(own.holders(slot) > 0 ? kept_count : gone_count);
    }
    REQUIRE(kept_count > 0);
    if (gone_count > 0) CHECK(gone / gone_count < kept / kept_count);
  });
}

TEST_CASE("scores of engines, whole blocks and forks are found, and change nothing", "[scores]") {
  const std::string whole = R"(, "eviction": {"policy": "random", "scope": "model", "budget": 256,
      "interval": 64, "prompt": "evictable"}, "reclaim": {"kind": "whole_block"})";
  const auto recording = record(small_serving("vllm-main-2026-08", whole, 600, 20));
  int found = 0;
  const int asked = at_rounds(recording, 9, [&found](const Cursor& cursor, std::uint32_t sequence) {
    found += scores_at(cursor, sequence) != nullptr;
  });
  CHECK(asked > 2);
  CHECK(found == asked);

  const auto plain = record(small_lockstep("none"));
  Cursor cursor(plain);
  cursor.seek(plain->step_end(plain->events() / 2));
  const std::uint32_t sequence = 2;
  REQUIRE(cursor.replica().sequence(sequence));
  const Fork fork{{cursor.event(), cursor.time_ns(), sequence, "slide"},
                  scenario_of(small_lockstep("slide"))};
  RecordedRun run(scenario_of(small_lockstep("none")), {}, fork);
  run.run();
  const auto before = scores_at(cursor, sequence);
  Cursor of_fork(run.recording());
  of_fork.seek(cursor.event());
  const auto again = scores_at(of_fork, sequence);
  REQUIRE((before && again));
  for (std::uint32_t position = 0; position < 200; ++position) {
    const float a = before->of(0, position), b = again->of(0, position);
    CHECK((a == b || (std::isnan(a) && std::isnan(b))));
  }
  of_fork.seek(run.recording()->events());
  CHECK(scores_at(of_fork, sequence));
}

TEST_CASE("a round chosen by random scores tells why a block stays", "[scores]") {
  const auto recording = record(small_lockstep("none"));
  int with_score = 0;
  at_rounds(recording, 4, [&with_score](const Cursor& cursor, std::uint32_t sequence) {
    const auto block = least_live_block(cursor.replica(), sequence);
    if (!block) return;
    const auto scores = scores_at(cursor, sequence);
    REQUIRE(scores);
    const std::string with = block_sentence(cursor.replica(), *block, scores.get());
    const std::string without = block_sentence(cursor.replica(), *block);
    CHECK(without.find("score") == std::string::npos);
    with_score += with.find(", score 0.") != std::string::npos ||
                  with.find("; highest score ") != std::string::npos;
    std::vector<gui::SlotView> slots;
    cursor.replica().slots(*block, slots);
    add_scores(cursor.replica(), *scores, *block, slots);
    float highest = -1;
    for (const gui::SlotView& slot : slots)
      if (slot.state == SlotState::live && !std::isnan(slot.score))
        highest = std::max(highest, slot.score);
    if (highest < 0) return;
    const auto listed = block_scores(cursor.replica(), *scores);
    const auto it = std::find_if(listed.begin(), listed.end(),
                                 [&](const BlockScore& b) { return b.block == *block; });
    REQUIRE(it != listed.end());
    CHECK(it->highest == highest);
  });
  CHECK(with_score > 3);
}

TEST_CASE("before the first round, and of a policy that never chooses, there are no scores",
          "[scores]") {
  CHECK(std::isnan(gui::SlotView{}.score));
  const auto recording = record(small_lockstep("none"));
  ScoreRun early(*recording, 0, 0, 3);
  early.make()->run();
  CHECK(early.scores() == nullptr);
  ScoreRun beyond(*recording, 0, 1'000'000, recording->events());
  beyond.make()->run();
  CHECK(beyond.scores() == nullptr);
}
