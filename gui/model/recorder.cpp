// SPDX-License-Identifier: Apache-2.0
#include "gui/model/recorder.hpp"

#include <utility>
#include <variant>

#include "sim/units/overloaded.hpp"

namespace vacancy::gui {

Recorder::Recorder(Recording& recording, std::function<CacheGauges()> gauges)
    : to_(recording),
      gauges_(std::move(gauges)),
      replica_(recording.shape()),
      engine_(recording.scenario().serving.has_value()) {}

void Recorder::on_event(const vacancy::Event& event) {
  if (full_) return;
  const std::uint64_t bytes = to_.history_.bytes();
  if (!to_.history_.append(event)) {
    full_ = true;
    return;
  }
  // A keyframe before the event: what it holds, readers have seen published.
  frame_bytes_ += to_.history_.bytes() - bytes;
  if (to_.keyframes_.due(replay_work(replica_.event() - frame_event_, frame_bytes_))) {
    to_.keyframes_.add(replica_.frozen());
    frame_event_ = replica_.event();
    frame_bytes_ = 0;
  }
  replica_.apply(event);
  mark(event);
  if (std::holds_alternative<ClockAdvanced>(event) ||
      std::holds_alternative<RoundFinished>(event) || std::holds_alternative<OutOfMemory>(event))
    sample();
  if (engine_ ? std::holds_alternative<StepComposed>(event)
              : std::holds_alternative<ClockAdvanced>(event))
    to_.iterations_.push_back(replica_.event());
}

void Recorder::finish() {
  if (!full_) sample();
}

void Recorder::add_mark(MarkKind kind, SequenceId sequence, std::uint64_t tokens,
                        std::int64_t blocks, std::uint32_t round) {
  to_.marks_.append(
      {replica_.event() - 1, replica_.time_ns(), tokens, blocks, sequence.value(), round, kind});
}

void Recorder::mark(const vacancy::Event& event) {
  std::visit(
      Overloaded{
          [](const auto&) {},
          [&](const TokensEvicted& e) { round_tokens_ += e.evicted_set_tokens / e.sets_per_table; },
          [&](const RoundFinished& e) {
            add_mark(e.blocks_freed > 0 ? MarkKind::reclaim : MarkKind::evict, e.sequence,
                     std::exchange(round_tokens_, 0), e.blocks_freed, e.round);
          },
          [&](const RoundSkipped& e) { add_mark(MarkKind::skip, e.sequence); },
          [&](const SequenceStarted& e) {
            if (!engine_) add_mark(MarkKind::admit, e.sequence, e.prompt_tokens);
          },
          [&](const RequestAdmitted& e) { add_mark(MarkKind::admit, e.sequence, e.known - e.hit); },
          [&](const SequenceFinished& e) { add_mark(MarkKind::finish, e.sequence); },
          [&](const SequencePreempted& e) { add_mark(MarkKind::preempt, e.sequence); },
          [&](const RequestRejected& e) { add_mark(MarkKind::reject, e.sequence); },
          [&](const OutOfMemory& e) { add_mark(MarkKind::out_of_memory, e.sequence); },
      },
      event);
}

void Recorder::sample() {
  const ReplicaFigures& figures = replica_.figures();
  SeriesRow row{};
  const auto put = [&](SeriesId id, std::uint64_t value) {
    row[static_cast<std::size_t>(id)] = static_cast<std::int64_t>(value);
  };
  if (to_.shape().has_map) {
    for (std::size_t i = 0; i < slot_class_count; ++i)
      row[i] = static_cast<std::int64_t>(figures.slots.slots[i]);
    put(SeriesId::held_blocks, figures.held_blocks);
  } else {
    const CacheGauges gauges = gauges_();
    const std::uint64_t all =
        std::uint64_t{to_.shape().blocks.value_or(0)} * to_.shape().block_size;
    put(SeriesId::live, gauges.slots.live);
    put(SeriesId::hole, gauges.slots.hole);
    put(SeriesId::tail, gauges.slots.tail);
    put(SeriesId::free, all > gauges.slots.held ? all - gauges.slots.held : 0);
    put(SeriesId::held_blocks, gauges.held_blocks);
  }
  put(SeriesId::running, engine_ ? figures.running : figures.sequences);
  put(SeriesId::waiting, figures.waiting);
  put(SeriesId::evicted_set_tokens, figures.evicted_set_tokens);
  put(SeriesId::freed_blocks, static_cast<std::uint64_t>(figures.blocks_freed));
  put(SeriesId::known_tokens, figures.known_tokens);
  put(SeriesId::hit_tokens, figures.hit_tokens);
  put(SeriesId::preemptions, figures.preempted);
  put(SeriesId::produced_tokens, engine_ ? figures.produced_tokens : figures.appended_tokens);
  put(SeriesId::moved_bytes, figures.moved_bytes);
  to_.series_.append(replica_.time_ns(), replica_.event(), row);
  to_.end_ns_.store(replica_.time_ns(), std::memory_order_release);
}

}  // namespace vacancy::gui
