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

namespace vacancy::gui {

struct RecordedRun::Parts {
  std::optional<Recorder> recorder;  // outlives the run
  std::unique_ptr<ScenarioRun> run;
  LockstepRun* lockstep = nullptr;  // the same, where it is one
};

RecordedRun::RecordedRun(std::shared_ptr<const Scenario> scenario, RecordingLimits limits,
                         std::vector<Intervention> interventions)
    : scenario_(std::move(scenario)),
      recording_(std::make_shared<Recording>(scenario_, limits)),
      interventions_(std::move(interventions)),
      parts_(std::make_unique<Parts>()) {
  const Scenario& own = *scenario_;
  if (own.serving && !interventions_.empty())
    throw UserError(
        "Reclaiming at a moment is for sequences in lockstep; this scenario has an engine, whose "
        "next "
        "step is composed while one runs. Take reclaim.kind of the scenario instead.");
  if (!own.serving) {
    auto run = std::make_unique<LockstepRun>(own);
    recording_->shape_ = lockstep_shape(own);
    const KvCache& cache = run->simulation().cache();
    run->add_observer(
        parts_->recorder.emplace(*recording_, [&cache] { return gauges_of(cache.pool()); }));
    parts_->lockstep = run.get();
    parts_->run = std::move(run);
  } else if (own.serving->scheduler == SchedulerKind::continuous_batching) {
    auto run = std::make_unique<EngineRun>(own);
    recording_->shape_ = engine_shape(own, *run);
    const CacheManager& cache = run->cache();
    run->add_observer(parts_->recorder.emplace(*recording_, [&cache] { return cache.gauges(); }));
    parts_->run = std::move(run);
  } else {
    recording_->has_events_ = false;
    recording_->shape_.has_map = false;
    parts_->run = start_run(own);
  }
  recording_->planned_ = parts_->run->planned();
}

RecordedRun::~RecordedRun() = default;

void RecordedRun::intervene(std::uint64_t steps) {
  for (const Intervention& intervention : interventions_) {
    if (intervention.steps != steps) continue;
    const ReclaimerEntry* const entry = find_reclaimer(intervention.reclaimer);
    VACANCY_ASSERT(entry != nullptr, "a registered reclaimer");
    parts_->lockstep->reclaim(
        SequenceId(intervention.sequence),
        *make_reclaimer(*entry, default_values(entry->info), preview_rules(*scenario_)));
  }
}

void RecordedRun::run(const std::function<bool()>& cancelled) {
  RunState state = RunState::finished;
  try {
    bool more = true;
    for (std::uint64_t steps = 1; more; ++steps) {
      more = parts_->run->step();
      intervene(steps);
      recording_->done_.store(parts_->run->done(), std::memory_order_relaxed);
      if (!more || !cancelled()) continue;
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
    recording_->reason_ = error.what();
    state = RunState::failed;
  }
  recording_->state_.store(state, std::memory_order_release);
}

}  // namespace vacancy::gui
