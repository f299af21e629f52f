// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/run_recorder.hpp"

#include <algorithm>
#include <variant>

#include "sim/device/scheduled_work.hpp"

namespace vacancy {

SimulatedRequest& RunRecorder::request(SequenceId id) {
  if (run_.requests.size() <= id.value()) run_.requests.resize(std::size_t{id.value()} + 1);
  return run_.requests[id.value()];
}

RunRecorder::Presence& RunRecorder::presence(SequenceId id) {
  if (presence_.size() <= id.value()) presence_.resize(std::size_t{id.value()} + 1);
  return presence_[id.value()];
}

void RunRecorder::on_event(const Event& event) {
  if (const auto* clock = std::get_if<ClockAdvanced>(&event)) {
    now_ = clock->now;
  } else if (const auto* queued = std::get_if<RequestQueued>(&event)) {
    request(queued->sequence).queued = now_;
    move(queued->sequence, Presence::waiting);
  } else if (const auto* admitted = std::get_if<RequestAdmitted>(&event)) {
    (admitted->again ? run_.hit_tokens_readmission : run_.hit_tokens_first_admission) +=
        admitted->hit;
    move(admitted->sequence, Presence::running);
  } else if (const auto* preempted = std::get_if<SequencePreempted>(&event)) {
    ++run_.preemptions;
    move(preempted->sequence, Presence::waiting);
  } else if (const auto* done = std::get_if<SequenceCompleted>(&event)) {
    move(done->sequence, Presence::absent);
    read_gauges();
  } else if (std::holds_alternative<SequenceFinished>(event)) {
    read_gauges();
  } else if (const auto* step = std::get_if<StepComposed>(&event)) {
    composed(*step);
  } else if (const auto* output = std::get_if<StepCompleted>(&event)) {
    completed(*output);
  }
}

void RunRecorder::move(SequenceId id, Presence to) {
  Presence& now = presence(id);
  if (now == Presence::running) --running_;
  if (now == Presence::waiting) --waiting_;
  if (to == Presence::running) ++running_;
  if (to == Presence::waiting) ++waiting_;
  now = to;
}

void RunRecorder::read_gauges() {
  if (!processing_output_) return;
  SimulatedStep& step = run_.steps[last_completed_];
  step.running = running_;
  step.waiting = waiting_;
  step.used_blocks = used_blocks_();
}

void RunRecorder::composed(const StepComposed& event) {
  processing_output_ = false;
  if (event.scheduled.empty()) return;
  const auto index = static_cast<std::uint32_t>(run_.steps.size());
  in_flight_.push_back({event.step, index});
  SimulatedStep& step = run_.steps.emplace_back();
  step.work = step_work(event.scheduled);
  step.composed = now_;
  for (const ScheduledTokens& part : event.scheduled) {
    run_.recomputed_tokens += part.recomputed;
    SimulatedRequest& of = request(part.sequence);
    if (of.first_scheduled == no_step) of.first_scheduled = index;
  }
}

void RunRecorder::completed(const StepCompleted& event) {
  VACANCY_ASSERT(!in_flight_.empty() && in_flight_.front().number == event.step,
                 "steps are completed in the order of composing");
  last_completed_ = in_flight_.front().index;
  in_flight_.pop_front();
  SimulatedStep& step = run_.steps[last_completed_];
  step.begin = std::max(step.composed, last_end_);
  step.end = last_end_ = now_;
  for (const SequenceId id : event.produced) {
    SimulatedRequest& of = request(id);
    if (of.first_token == no_step) of.first_token = last_completed_;
    of.last_token = last_completed_;
  }
  processing_output_ = true;
  read_gauges();
}

}  // namespace vacancy
