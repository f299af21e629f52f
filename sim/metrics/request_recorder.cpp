// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/request_recorder.hpp"

#include "sim/units/overloaded.hpp"

namespace vacancy {

void RequestRecorder::on_event(const Event& event) {
  std::visit(Overloaded{
                 [&](const ClockAdvanced& e) { now_ = e.now; },
                 [&](const RequestQueued& e) {
                   requests_.resize(e.sequence.value() + 1);
                   RequestTimes& request = at(e.sequence);
                   request.id = e.sequence.value();
                   request.arrival = e.arrival;
                   request.queued = now_;
                   request.prompt_tokens = e.prompt_tokens;
                 },
                 [&](const RequestAdmitted& e) {
                   RequestTimes& request = at(e.sequence);
                   if (!request.first_scheduled) request.first_scheduled = now_;
                   (e.again ? request.hit_tokens_readmission
                            : request.hit_tokens_first_admission) += e.hit;
                 },
                 [&](const SequencePreempted& e) { ++at(e.sequence).preemptions; },
                 [&](const StepComposed& e) {
                   for (const ScheduledTokens& part : e.scheduled)
                     if (part.recomputed > 0)
                       at(part.sequence).recomputed_tokens += part.recomputed;
                 },
                 [&](const StepCompleted& e) {
                   for (const SequenceId id : e.produced)
                     got_token(at(id));
                 },
                 [&](const SequenceCompleted& e) { at(e.sequence).completed = true; },
                 [](const auto&) {},
             },
             event);
}

void RequestRecorder::got_token(RequestTimes& request) {
  if (request.last_token)
    intervals_.add(now_ - *request.last_token);
  else
    request.first_token = now_;
  request.last_token = now_;
  ++request.output_tokens;
}

}  // namespace vacancy
