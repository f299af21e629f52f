// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/chrome_trace.hpp"

#include <algorithm>
#include <utility>

#include "sim/units/overloaded.hpp"

namespace vacancy {

namespace {

/// Nanoseconds as microseconds, exactly.
std::string microseconds(SimTime time) {
  const std::string digits = std::to_string(time.value() % 1000);
  return std::to_string(time.value() / 1000) + '.' + std::string(3 - digits.size(), '0') + digits;
}

}  // namespace

ChromeTrace::ChromeTrace(std::ostream& out, std::function<std::uint64_t()> used_blocks)
    : out_(out), used_blocks_(std::move(used_blocks)) {
  out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  line(R"("ph":"M","name":"process_name","pid":1,"args":{"name":"engine"})");
  line(R"("ph":"M","name":"process_name","pid":2,"args":{"name":"requests"})");
}

void ChromeTrace::line(const std::string& text) {
  out_ << (first_ ? "\n{" : ",\n{") << text << '}';
  first_ = false;
}

void ChromeTrace::on_event(const Event& event) {
  std::visit(Overloaded{
                 [&](const ClockAdvanced& e) { now_ = e.now; },
                 [&](const RequestQueued& e) { enter(e.sequence, Phase::waiting); },
                 [&](const RequestAdmitted& e) { enter(e.sequence, Phase::prefill); },
                 [&](const SequencePreempted& e) { enter(e.sequence, Phase::waiting); },
                 [&](const RequestRejected& e) { enter(e.sequence, Phase::none); },
                 [&](const SequenceCompleted& e) { enter(e.sequence, Phase::none); },
                 [&](const StepComposed& e) { composed(e); },
                 [&](const StepCompleted& e) { completed(e); },
                 [](const auto&) {},
             },
             event);
}

void ChromeTrace::enter(SequenceId id, Phase phase) {
  if (phases_.size() <= id.value()) phases_.resize(id.value() + 1, Phase::none);
  Phase& now = phases_[id.value()];
  if (now == phase) return;
  if (now != Phase::none) async(id, now, 'e');
  now = phase;
  if (now != Phase::none) async(id, now, 'b');
}

void ChromeTrace::async(SequenceId id, Phase phase, char kind) {
  const char* const names[] = {"", "waiting", "prefill", "decode"};
  line(std::string("\"ph\":\"") + kind + R"(","cat":"request","pid":2,"tid":1,"id":)" +
       std::to_string(id.value()) + ",\"name\":\"" + names[static_cast<std::size_t>(phase)] +
       "\",\"ts\":" + microseconds(now_));
}

void ChromeTrace::counter(std::string_view name, std::uint64_t value) {
  line(R"("ph":"C","pid":1,"name":")" + std::string(name) + "\",\"ts\":" + microseconds(now_) +
       ",\"args\":{\"value\":" + std::to_string(value) + '}');
}

void ChromeTrace::composed(const StepComposed& event) {
  counter("blocks in use", used_blocks_());
  counter("requests running", event.running);
  counter("requests waiting", event.waiting);
  if (event.scheduled.empty()) return;
  InFlight step{event.step, std::max(now_, engine_free_), 0, 0};
  for (const ScheduledTokens& part : event.scheduled) {
    if (part.tokens == 1)
      ++step.decodes;
    else
      step.prefill_tokens += part.tokens;
  }
  in_flight_.push_back(step);
}

void ChromeTrace::completed(const StepCompleted& event) {
  if (in_flight_.empty() || in_flight_.front().step != event.step) return;
  const InFlight step = in_flight_.front();
  in_flight_.pop_front();
  const SimTime begin = std::max(step.begin, engine_free_);
  line(R"("ph":"X","pid":1,"tid":1,"name":")" +
       std::string(step.prefill_tokens > 0 ? "step with prefill" : "decode step") +
       "\",\"ts\":" + microseconds(begin) + ",\"dur\":" + microseconds(now_ - begin) +
       ",\"args\":{\"step\":" + std::to_string(step.step) + ",\"prefill_tokens\":" +
       std::to_string(step.prefill_tokens) + ",\"decodes\":" + std::to_string(step.decodes) + '}');
  engine_free_ = now_;
  for (const SequenceId id : event.produced)
    if (phases_[id.value()] == Phase::prefill) enter(id, Phase::decode);
}

void ChromeTrace::finish() {
  for (std::uint32_t id = 0; id < phases_.size(); ++id)
    enter(SequenceId(id), Phase::none);
  out_ << "\n]}\n";
}

}  // namespace vacancy
