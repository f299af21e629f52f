// SPDX-License-Identifier: Apache-2.0
// What a reclaimer would do, against what the run's own reclaimer then does.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gui/model/cursor.hpp"
#include "gui/model/what_if.hpp"
#include "sim/study/engine_run.hpp"
#include "sim/study/lockstep_run.hpp"
#include "tests/gui/event_lines.hpp"
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

std::string evicting_engine(const std::string& profile, const std::string& reclaim) {
  return small_serving(
      profile,
      R"(, "eviction": {"policy": "random", "scope": "model", "budget": 256, "interval": 64, "prompt": "evictable"},
         "reclaim": {"kind": ")" +
          reclaim + R"("})",
      600, 30);
}

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
    const auto scenario = scenario_of(evicting_engine("vllm-main-2026-08", reclaim));
    EngineRun run(*scenario);
    Prophet prophet(*scenario, engine_shape(*scenario, run), false);
    run.add_observer(prophet);
    while (run.step()) {
    }
    CHECK(prophet.rounds > 20);
  }
}

namespace {

using ScenarioText = std::function<std::string(const std::string& reclaim)>;

/// In lockstep, and engines with one step in flight and with two.
const std::vector<ScenarioText>& kinds_of_runs() {
  static const std::vector<ScenarioText> all = {
      [](const std::string& reclaim) { return small_lockstep(reclaim); },
      [](const std::string& reclaim) { return evicting_engine("vllm-main-2026-08", reclaim); },
      [](const std::string& reclaim) { return evicting_engine("vllm-0.19.0", reclaim); }};
  return all;
}

std::shared_ptr<const Recording> forked(const ScenarioText& text, const std::string& reclaim,
                                        const ForkPlan& plan) {
  RecordedRun run(scenario_of(text(reclaim)), {}, Fork{plan, scenario_of(text(plan.reclaimer))});
  run.run();
  CHECK(run.recording()->state() == RunState::finished);
  return run.recording();
}

void check_same_lines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  CHECK(a.size() == b.size());
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  CHECK((in_a == a.end() ? "the end" : *in_a) == (in_b == b.end() ? "the end" : *in_b));
}

void check_same_start(const Recording& a, const Recording& b, std::uint64_t events) {
  HistoryReader in_a(a.history()), in_b(b.history());
  REQUIRE(std::min(a.events(), b.events()) >= events);
  for (std::uint64_t n = 0; n < events; ++n)
    REQUIRE(in_a.same(n, in_b));
}

/// A sequence with holes in the middle of the run, at the end of a step.
ForkPlan plan_in(Cursor& cursor) {
  const Recording& run = cursor.recording();
  for (std::uint64_t i = run.step_ends().size() / 2; i < run.step_ends().size(); ++i) {
    cursor.seek(run.step_ends()[i]);
    for (const auto& [id, sequence] : cursor.replica().sequences())
      for (const ReclaimPreview& preview : what_if(cursor.replica(), id, run.scenario()))
        if (preview.moved_set_tokens > 0) return {cursor.event(), cursor.time_ns(), id, ""};
  }
  FAIL("no sequence has holes");
  return {};
}

}  // namespace

TEST_CASE("applied, a preview is the same run up to there and then does what it said",
          "[what_if]") {
  for (const ScenarioText& text : kinds_of_runs()) {
    const auto before = record(text("none"));
    Cursor cursor(before);
    ForkPlan plan = plan_in(cursor);
    for (const ReclaimPreview& preview :
         what_if(cursor.replica(), plan.sequence, before->scenario())) {
      CAPTURE(before->scenario().serving.has_value(), preview.sentence);
      REQUIRE(preview.possible);
      plan.reclaimer = preview.reclaimer;
      const auto run = forked(text, "none", plan);
      check_same_start(*before, *run, plan.event);
      // At once, before anything else happens.
      HistoryReader reader(run->history());
      const std::uint64_t end =
          reader.find(kinds_of<RoundFinished, RoundStarted, StepComposed, ClockAdvanced>,
                      plan.event, reader.size());
      const auto* finished = std::get_if<RoundFinished>(&reader.event(end));
      REQUIRE(finished != nullptr);
      CHECK(finished->sequence.value() == plan.sequence);
      CHECK(finished->blocks_freed == preview.net_blocks());
      CHECK(finished->bytes_moved.value() == preview.bytes_moved);
      CHECK(run->fork()->plan.reclaimer == plan.reclaimer);
    }
  }
}

TEST_CASE("what a fork moves holds up an engine's next step", "[what_if]") {
  const ScenarioText& text = kinds_of_runs().back();
  const auto before = record(text("none"));
  Cursor cursor(before);
  ForkPlan plan = plan_in(cursor);
  plan.reclaimer = "slide";
  const auto run = forked(text, "none", plan);
  // Of the step in flight the time is the same; those after it come later.
  const auto ends_of = [&](const Recording& recording) {
    std::vector<std::int64_t> times;
    HistoryReader reader(recording.history());
    for (std::uint64_t n = plan.event; times.size() < 2; ++n) {
      n = reader.find(kinds_of<ClockAdvanced>, n, reader.size());
      times.push_back(reader.time_ns(n));
    }
    return times;
  };
  const auto own = ends_of(*before), other = ends_of(*run);
  CHECK(other[0] == own[0]);
  CHECK(other[1] > own[1]);
}

TEST_CASE("a fork before the first round is the whole run with the other way to reclaim",
          "[what_if]") {
  for (const ScenarioText& text : kinds_of_runs())
    for (const ReclaimerEntry& entry : reclaimers()) {
      const std::string& way = entry.info.name;
      const auto run = forked(text, way == "none" ? "slide" : "none", {0, 0, 0, way});
      CAPTURE(way, run->scenario().serving.has_value());
      check_same_lines(event_lines(*run), event_lines(*record(text(way))));
    }
}

TEST_CASE("a fork that finds nothing to reclaim changes nothing else", "[what_if]") {
  for (const ScenarioText& text : kinds_of_runs()) {
    const auto before = record(text("slide"));
    Cursor cursor(before);
    int forks = 0;
    for (std::uint64_t i = before->step_ends().size() / 3;
         i < before->step_ends().size() && forks < 3; i += 7) {
      cursor.seek(before->step_ends()[i]);
      for (const auto& [id, sequence] : cursor.replica().sequences()) {
        if (sequence->round_times.empty()) continue;
        const ForkPlan plan{cursor.event(), cursor.time_ns(), id, "slide"};
        const auto run = forked(text, "slide", plan);
        check_same_start(*before, *run, plan.event);
        HistoryReader reader(run->history());
        const std::uint64_t end = reader.find(kinds_of<RoundFinished>, plan.event, run->events());
        const auto& finished = std::get<RoundFinished>(reader.event(end));
        CHECK((finished.blocks_freed == 0 && finished.bytes_moved == Bytes(0)));
        check_same_lines(event_lines(*before), event_lines(*run, plan.event, end + 1));
        ++forks;
        break;
      }
    }
    CHECK(forks == 3);
  }
}

TEST_CASE("what cannot fork says why", "[what_if]") {
  const auto plain = scenario_of(small_serving("vllm-main-2026-08"));
  CHECK_THROWS_WITH(RecordedRun(plain, {}, Fork{{1, 0, 0, "none"}, plain}),
                    Catch::StartsWith("This scenario evicts nothing"));
  const auto per_head = [](const std::string& reclaim) { return scenario_of(many_sets(reclaim)); };
  CHECK_THROWS_WITH(
      RecordedRun(per_head("none"), {}, Fork{{1, 0, 0, "whole_block"}, per_head("whole_block")}),
      Catch::Contains("keep sets have the scope model") && Catch::Contains("per_layer_per_head"));
  // What would speak of survivors that do not move goes with them.
  const std::string rules = R"({"seed": 1, "model": "qwen3-8b", "cache": {"block_size": 8},
      "eviction": {"policy": "random", "budget": 64}, "reclaim": {"kind": "slide", "min_blocks": 2},
      "workload": {"output_tokens": 90}})";
  for (const ReclaimerEntry& entry : reclaimers()) {
    CAPTURE(entry.info.name);
    CHECK_NOTHROW(
        load_scenario_text(rules, "test.json", ".", {assignments_of(entry.info.name), {}}));
  }
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
