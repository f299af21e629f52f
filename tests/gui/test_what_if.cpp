// SPDX-License-Identifier: Apache-2.0
// What a reclaimer would do, against what the run's own reclaimer then does.
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "gui/model/cursor.hpp"
#include "gui/model/what_if.hpp"
#include "sim/study/engine_run.hpp"
#include "sim/study/lockstep_run.hpp"
#include "tests/gui/gui_scenarios.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

namespace {

/// Asks right after each eviction and compares with the end of the round.
class Prophet final : public Observer {
 public:
  Prophet(const Scenario& scenario, const ReplicaShape& shape, bool own_rules)
      : scenario_(scenario), replica_(shape), own_rules_(own_rules) {}

  void on_event(const vacancy::Event& event) override {
    replica_.apply(event);
    if (const auto* evicted = std::get_if<TokensEvicted>(&event)) {
      for (ReclaimPreview& preview : what_if(replica_, evicted->sequence.value(), scenario_))
        if (preview.reclaimer == scenario_.reclaimer) preview_ = std::move(preview);
      REQUIRE(preview_);
      moved_ = 0;
    } else if (const auto* packed = std::get_if<TablePacked>(&event)) {
      moved_ += packed->moved_set_tokens;
    } else if (const auto* copied = std::get_if<TableCopiedOut>(&event)) {
      moved_ += copied->moved_set_tokens;
    } else if (const auto* moved = std::get_if<TokensMoved>(&event)) {
      moved_ += moved->moved_set_tokens;
    } else if (const auto* finished = std::get_if<RoundFinished>(&event)) {
      REQUIRE(preview_);
      CHECK(preview_->possible);
      CHECK(preview_->moved_set_tokens == moved_);
      CHECK(preview_->net_blocks() == finished->blocks_freed);
      CHECK(preview_->blocks_taken == finished->blocks_taken);
      if (own_rules_) CHECK(preview_->bytes_moved == finished->bytes_moved.value());
      preview_.reset();
      ++rounds;
    }
  }
  std::uint64_t rounds = 0;

 private:
  const Scenario& scenario_;
  Replica replica_;
  bool own_rules_;
  std::optional<ReclaimPreview> preview_;
  std::uint64_t moved_ = 0;
};

}  // namespace

TEST_CASE("a preview is what the reclaimer then does", "[what_if]") {
  for (const char* reclaim :
       {"none", "slide", "fill_holes", "fullest_blocks", "whole_block", "copy_out"}) {
    CAPTURE(reclaim);
    const auto scenario = scenario_of(small_lockstep(reclaim));
    LockstepRun run(*scenario);
    Prophet prophet(*scenario, lockstep_shape(*scenario), true);
    run.add_observer(prophet);
    while (run.step()) {
    }
    CHECK(prophet.rounds > 20);
  }
  std::mt19937 engine(31);
  std::uint64_t rounds = 0;
  for (int i = 0; i < 60; ++i) {
    const auto scenario = random_lockstep(engine);
    if (!scenario) continue;
    CAPTURE(i);
    LockstepRun run(*scenario);
    Prophet prophet(*scenario, lockstep_shape(*scenario), true);
    run.add_observer(prophet);
    while (run.step()) {
    }
    rounds += prophet.rounds;
  }
  CHECK(rounds > 200);
}

TEST_CASE("a preview knows shared blocks", "[what_if]") {
  for (const char* reclaim : {"slide", "copy_out", "fullest_blocks"}) {
    CAPTURE(reclaim);
    const auto scenario = scenario_of(small_serving(
        "vllm-main-2026-08",
        R"(, "eviction": {"policy": "random", "scope": "model", "budget": 256, "interval": 64, "prompt": "evictable"},
           "reclaim": {"kind": ")" +
            std::string(reclaim) + R"("})",
        600, 30));
    EngineRun run(*scenario);
    Prophet prophet(*scenario, engine_shape(*scenario, run), false);
    run.add_observer(prophet);
    while (run.step()) {
    }
    CHECK(prophet.rounds > 20);
  }
}

TEST_CASE("applied, a preview is the same run up to there and then does what it said",
          "[what_if]") {
  const auto scenario = scenario_of(small_lockstep("none"));
  RecordedRun before(scenario);
  before.run();
  const std::uint64_t steps = before.recording()->iterations().size() / 2;
  // Between two steps: after the rounds of the one and before the next.
  const std::uint64_t moment = [&] {
    HistoryReader reader(before.recording()->history());
    return reader.find(kinds_of<BlocksAllocated, TokensAppended>,
                       before.recording()->iterations()[steps - 1], before.recording()->events());
  }();
  Cursor cursor(before.recording());
  cursor.seek(moment);
  const std::uint32_t sequence = cursor.replica().sequences().rbegin()->first;
  for (const ReclaimPreview& preview :
       what_if(cursor.replica(), sequence, before.recording()->scenario())) {
    CAPTURE(preview.sentence);
    RecordedRun run(scenario, {}, {{steps, sequence, preview.reclaimer}});
    run.run();
    HistoryReader reader(run.recording()->history()), own(before.recording()->history());
    for (std::uint64_t n = 0; n < moment; ++n)
      REQUIRE(reader.same(n, own));
    const std::uint64_t end = reader.find(kinds_of<RoundFinished>, moment, reader.size());
    const auto& finished = std::get<RoundFinished>(reader.event(end));
    CHECK(finished.sequence.value() == sequence);
    CHECK(finished.blocks_freed == preview.net_blocks());
    CHECK(finished.bytes_moved.value() == preview.bytes_moved);
    CHECK(run.recording()->state() == RunState::finished);
  }
  CHECK_THROWS_AS(
      RecordedRun(scenario_of(small_serving("vllm-main-2026-08")), {}, {{1, 0, "none"}}),
      UserError);
}

TEST_CASE("a preview says what it would do in one sentence", "[what_if]") {
  RecordedRun run(scenario_of(small_lockstep("none")));
  run.run();
  Cursor cursor(run.recording());
  cursor.seek(run.recording()->events());
  REQUIRE_FALSE(cursor.replica().sequences().empty());
  const std::uint32_t sequence = cursor.replica().sequences().begin()->first;
  const auto previews = what_if(cursor.replica(), sequence, run.recording()->scenario());
  REQUIRE(previews.size() == reclaimers().size());
  for (const ReclaimPreview& preview : previews) {
    CAPTURE(preview.sentence);
    CHECK_THAT(preview.sentence,
               Catch::StartsWith(preview.reclaimer + " would ") && Catch::EndsWith("."));
    CHECK(preview.moves.size() <= ReclaimPreview::max_moves);
    for (const std::uint32_t block : preview.freed)
      CHECK(cursor.replica().view().owner[block] == sequence);
  }
  CHECK(what_if(cursor.replica(), 999, run.recording()->scenario()).empty());
}
