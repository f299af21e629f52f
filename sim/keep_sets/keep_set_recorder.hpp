// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/keep_sets/keep_set_writer.hpp"
#include "sim/pool/events.hpp"

namespace vacancy {

/// Records what the rounds of one sequence keep, by listening: needs nothing of the cache.
class KeepSetRecorder final : public Observer {
 public:
  KeepSetRecorder(SequenceId sequence, const KeepSetAxes& axes,
                  std::unique_ptr<KeepSetWriter> writer);

  void on_event(const Event& event) override;
  /// After the last event.
  void finish() { writer_->finish(length_); }

 private:
  void append(const TokensAppended& appended);
  void evict(const TokensEvicted& evicted);

  SequenceId sequence_;
  std::unique_ptr<KeepSetWriter> writer_;
  std::uint32_t length_ = 0;
  std::vector<std::vector<std::uint32_t>> live_;  // by set, ascending
};

}  // namespace vacancy
