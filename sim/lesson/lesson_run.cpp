// SPDX-License-Identifier: Apache-2.0
#include "sim/lesson/lesson_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "sim/scenario/draft.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/study/lockstep_run.hpp"

namespace vacancy {

namespace {

std::shared_ptr<const PoolState> state_of(const KvCache& cache, SimTime now, std::uint64_t event) {
  auto state = std::make_shared<PoolState>();
  state->pool = take_snapshot(cache, now);
  state->event = event;
  for (const auto& [id, sequence] : cache.sequences()) {
    if (sequence.tables.empty()) continue;
    TableState table;
    table.sequence = id;
    table.length = sequence.tables.front().length();
    for (const BlockId block : sequence.tables.front().entries())
      table.blocks.push_back(block == null_block ? std::nullopt : std::optional(block));
    state->tables.push_back(std::move(table));
  }
  return state;
}

/// Counts events and keeps the pool before and after the last eviction; rounds of one step count as
/// one.
class StateRecorder final : public Observer {
 public:
  explicit StateRecorder(const KvCache& cache) : cache_(cache) {}

  void on_event(const Event& event) override {
    ++events;
    if (const auto* clock = std::get_if<ClockAdvanced>(&event)) {
      now_ = clock->now;
      round_in_step_ = false;
    } else if (std::holds_alternative<RoundStarted>(event)) {
      if (!round_in_step_) before = state_of(cache_, now_, events - 1);
      round_in_step_ = true;
    } else if (std::holds_alternative<RoundFinished>(event)) {
      after = state_of(cache_, now_, events);
    }
  }

  std::uint64_t events = 0;
  std::shared_ptr<const PoolState> before, after;

 private:
  const KvCache& cache_;
  SimTime now_;
  bool round_in_step_ = false;
};

class EventStop final : public Observer {
 public:
  EventStop(const KvCache& cache, std::uint64_t wanted) : cache_(cache), wanted_(wanted) {}

  void on_event(const Event& event) override {
    ++events_;
    if (const auto* clock = std::get_if<ClockAdvanced>(&event)) now_ = clock->now;
    if (events_ == wanted_) state = state_of(cache_, now_, events_);
  }

  std::shared_ptr<const PoolState> state;

 private:
  const KvCache& cache_;
  std::uint64_t wanted_, events_ = 0;
  SimTime now_;
};

}  // namespace

std::uint64_t PoolState::count(PoolCount what) const {
  std::uint64_t sum = 0;
  for (const BlockCell& cell : pool.cells) {
    const bool held = !cell.free();
    switch (what) {
      case PoolCount::blocks:
        sum += 1;
        break;
      case PoolCount::held_blocks:
        sum += held ? 1u : 0u;
        break;
      case PoolCount::free_blocks:
        sum += held ? 0u : 1u;
        break;
      case PoolCount::full_blocks:
        sum += held && cell.live == pool.block_size ? 1u : 0u;
        break;
      case PoolCount::blocks_with_holes:
        sum += held && cell.has_holes() ? 1u : 0u;
        break;
      case PoolCount::live_slots:
        sum += cell.live;
        break;
      case PoolCount::hole_slots:
        sum += cell.fill - cell.live;
        break;
      case PoolCount::tail_slots:
        sum += held ? std::uint64_t{pool.block_size} - cell.fill : 0;
        break;
    }
  }
  return sum;
}

std::vector<std::uint64_t> PoolState::blocks_by_live_slots() const {
  std::vector<std::uint64_t> counts(pool.block_size + 1);
  for (const BlockCell& cell : pool.cells)
    ++counts[cell.free() ? 0 : cell.live];
  return counts;
}

std::optional<Scenario> scenario_of(const Lesson& lesson, const std::string& run,
                                    const std::vector<Setting>& more,
                                    std::optional<std::uint64_t> seed, std::uint32_t origin,
                                    Diagnostics& faults) {
  auto tree = parse_scenario(lesson.scenario_text, origin, faults);
  if (!tree) return std::nullopt;
  for (const auto* settings : {&lesson.runs.find(run)->second, &more})
    for (const Setting& setting : *settings)
      assign(*tree, keys_of_path(setting.path), setting.value, faults);
  return resolve_scenario(*tree, seed, faults);
}

const nlohmann::ordered_json& LessonRun::summary() {
  run();
  return *summary_;
}

std::optional<double> LessonRun::setting(const std::string& path) const {
  const std::size_t dot = path.rfind('.');
  const bool top = dot == std::string::npos;
  const auto section = scenario_.values.find(top ? std::string() : path.substr(0, dot));
  if (section == scenario_.values.end()) return std::nullopt;
  const auto value = section->second.values.find(top ? path : path.substr(dot + 1));
  if (value == section->second.values.end()) return std::nullopt;
  if (const auto* whole = std::get_if<std::int64_t>(&value->second))
    return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value->second)) return *number;
  return std::nullopt;
}

void LessonRun::run() {
  if (summary_) return;
  LockstepRun run(scenario_);
  const Simulation& simulation = run.simulation();
  StateRecorder recorder(simulation.cache());
  run.add_observer(recorder);
  start_ = state_of(simulation.cache(), SimTime(0), 0);
  while (run.step()) {
  }
  end_ = state_of(simulation.cache(), simulation.now(), recorder.events);
  before_ = recorder.before ? recorder.before : end_;
  after_ = recorder.after ? recorder.after : end_;
  events_ = recorder.events;
  summary_ = nlohmann::ordered_json::parse(to_json(run.summary()));
}

std::shared_ptr<const PoolState> LessonRun::state_after(std::uint64_t events) const {
  LockstepRun run(scenario_);
  EventStop stop(run.simulation().cache(), events);
  run.add_observer(stop);
  while (!stop.state && run.step()) {
  }
  return stop.state;
}

std::shared_ptr<const PoolState> LessonRun::state(const LessonMoment& at) {
  run();
  std::uint64_t wanted = at.event;
  switch (at.kind) {
    case LessonMoment::Kind::start:
      return start_;
    case LessonMoment::Kind::before_eviction:
      return before_;
    case LessonMoment::Kind::after_eviction:
      return after_;
    case LessonMoment::Kind::end:
      return end_;
    case LessonMoment::Kind::share:
      wanted = static_cast<std::uint64_t>(std::llround(at.share * static_cast<double>(events_)));
      break;
    case LessonMoment::Kind::event:
      break;
  }
  if (wanted == 0) return start_;
  if (wanted >= events_) return end_;
  const auto known = std::find_if(at_event_.begin(), at_event_.end(),
                                  [&](const auto& each) { return each.first == wanted; });
  if (known != at_event_.end()) return known->second;
  return at_event_.emplace_back(wanted, state_after(wanted)).second;
}

}  // namespace vacancy
