// SPDX-License-Identifier: Apache-2.0
#include "gui/model/recorded_run.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "gui/model/recorder.hpp"
#include "gui/model/what_if.hpp"
#include "sim/study/engine_run.hpp"
#include "sim/study/lockstep_run.hpp"
#include "sim/study/scenario_run.hpp"
#include "sim/units/error.hpp"
#include "sim/units/fault_sentence.hpp"

namespace vacancy::gui {

struct RecordedRun::Parts {
  std::optional<Recorder> recorder;  // outlives the run
  std::unique_ptr<ScenarioRun> run;
  std::function<void(const Fork&)> fork;  // of a run that can
};

namespace {

/// Goes another way between two steps.
template <class Simulated>
std::function<void(const Fork&)> forks_of(Simulated& simulation) {
  return [&simulation](const Fork& fork) {
    const Scenario& other = *fork.other;
    const ReclaimerEntry* const entry = find_reclaimer(other.reclaimer);
    VACANCY_ASSERT(entry != nullptr, "a registered reclaimer");
    simulation.reclaim(SequenceId(fork.plan.sequence),
                       *make_reclaimer(*entry, default_values(entry->info), preview_rules(other)));
    simulation.change_reclaim(other.reclaim, other.eviction.whole_blocks);
  };
}

}  // namespace

RecordedRun::RecordedRun(std::shared_ptr<const Scenario> scenario, RecordingLimits limits,
                         std::optional<Fork> fork)
    : scenario_(std::move(scenario)),
      recording_(std::make_shared<Recording>(scenario_, limits)),
      fork_(std::move(fork)),
      last_event_(limits.events),
      parts_(std::make_unique<Parts>()) {
  const Scenario& own = *scenario_;
  if (fork_) {
    check_fork(own, *fork_->other);
    recording_->fork_ = fork_;
  }
  if (!own.serving) {
    auto run = std::make_unique<LockstepRun>(own);
    recording_->shape_ = lockstep_shape(own);
    const KvCache& cache = run->simulation().cache();
    run->add_observer(
        parts_->recorder.emplace(*recording_, [&cache] { return gauges_of(cache.pool()); }));
    parts_->fork = forks_of(run->simulation());
    parts_->run = std::move(run);
  } else if (own.serving->scheduler == SchedulerKind::continuous_batching) {
    auto run = std::make_unique<EngineRun>(own);
    recording_->shape_ = engine_shape(own, *run);
    const CacheManager& cache = run->cache();
    run->add_observer(parts_->recorder.emplace(*recording_, [&cache] { return cache.gauges(); }));
    parts_->fork = forks_of(run->simulation());
    parts_->run = std::move(run);
  } else {
    recording_->has_events_ = false;
    recording_->shape_.has_map = false;
    parts_->run = start_run(own);
  }
  recording_->planned_ = parts_->run->planned();
}

RecordedRun::~RecordedRun() = default;

void RecordedRun::end_step() {
  AppendOnly<std::uint64_t>& ends = recording_->step_ends_;
  const std::uint64_t event = recording_->events();
  if (ends.empty() || ends[ends.size() - 1] != event) ends.push_back(event);
  if (!fork_ || event < fork_->plan.event) return;
  parts_->fork(*fork_);
  fork_.reset();
}

void RecordedRun::run(const std::function<bool()>& cancelled) {
  RunState state = RunState::finished;
  try {
    bool more = true;
    end_step();  // of none yet
    while (more) {
      more = parts_->run->step();
      end_step();
      recording_->done_.store(parts_->run->done(), std::memory_order_relaxed);
      if (!more || (recording_->events() < last_event_ && !cancelled())) continue;
      state = RunState::cancelled;
      break;
    }
    recording_->done_.store(parts_->run->done(), std::memory_order_relaxed);
    if (parts_->recorder) parts_->recorder->finish();
    if (state != RunState::cancelled) {
      recording_->reason_ = parts_->run->stop_reason();
      if (!recording_->reason_.empty()) state = RunState::stopped_early;
      recording_->summary_ = std::make_unique<const Summary>(parts_->run->summary());
    }
  } catch (const std::exception& error) {
    recording_->reason_ = fault_sentence(error);
    state = RunState::failed;
  }
  recording_->state_.store(state, std::memory_order_release);
}

}  // namespace vacancy::gui
