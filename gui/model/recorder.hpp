// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gui/model/recording.hpp"
#include "sim/pool/cache_gauges.hpp"
#include "sim/pool/events.hpp"

namespace vacancy::gui {

/// Hears a run and writes its recording: the events, rows of figures, marks and keyframes.
class Recorder final : public Observer {
 public:
  /// `gauges` reads the cache where events name no blocks. The recording outlives it.
  Recorder(Recording& recording, std::function<CacheGauges()> gauges);

  void on_event(const vacancy::Event& event) override;
  /// After the last event.
  void finish();
  const Replica& replica() const { return replica_; }

 private:
  void sample();
  void mark(const vacancy::Event& event);
  void add_mark(MarkKind kind, SequenceId sequence, std::uint64_t tokens = 0,
                std::int64_t blocks = 0, std::uint32_t round = 0);

  Recording& to_;
  std::function<CacheGauges()> gauges_;
  Replica replica_;
  bool engine_;
  bool full_ = false;
  std::uint64_t round_tokens_ = 0;  // evicted by the round under way
  std::uint64_t frame_event_ = 0, frame_bytes_ = 0;
  std::int64_t sampled_ns_ = -1;
};

}  // namespace vacancy::gui
