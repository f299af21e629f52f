// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/timeline.hpp"

#include <locale>
#include <utility>
#include <variant>

namespace vacancy {

Timeline::Timeline(std::ostream& out, std::function<CacheGauges()> gauges)
    : out_(out), gauges_(std::move(gauges)) {
  out_.imbue(std::locale::classic());
  out_ << "time_ns,moment,held_blocks,live_slots,hole_slots,tail_slots,rounds,evicted_set_tokens,"
          "vacated_tokens,blocks_freed_by_eviction\n";
}

void Timeline::row(const char* moment) {
  const CacheGauges gauges = gauges_();
  const SlotCounts& slots = gauges.slots;
  out_ << now_.value() << ',' << moment << ',' << gauges.held_blocks << ',' << slots.live << ','
       << slots.hole << ',' << slots.tail << ',' << rounds_ << ',' << evicted_set_tokens_ << ','
       << vacated_tokens_ << ',' << blocks_freed_ << '\n';
}

void Timeline::on_event(const Event& event) {
  if (const auto* clock = std::get_if<ClockAdvanced>(&event)) {
    now_ = clock->now;
    row("step");
  } else if (std::holds_alternative<RoundStarted>(event)) {
    row("round_start");
  } else if (const auto* evicted = std::get_if<TokensEvicted>(&event)) {
    ++rounds_;
    evicted_set_tokens_ += evicted->evicted_set_tokens;
    vacated_tokens_ += evicted->vacated_tokens;
  } else if (const auto* finished = std::get_if<RoundFinished>(&event)) {
    blocks_freed_ += finished->blocks_freed;
    row("round_end");
  }
}

}  // namespace vacancy
