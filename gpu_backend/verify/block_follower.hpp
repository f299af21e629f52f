// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "gpu_backend/verify/books.hpp"
#include "gpu_backend/verify/difference.hpp"

namespace vacancy::verify {

/// The books of an engine whose blocks are named by events but stand in no KvCache: which table has
/// which block. A block is allocated while nobody holds it, leaves the table that has it, and an id
/// means one block. Throws DifferenceFound.
class BlockFollower final : public Observer {
 public:
  /// `held`: blocks that the simulator says are held, compared when a step was composed.
  explicit BlockFollower(std::function<std::uint64_t()> held) : held_now_(std::move(held)) {}

  void on_event(const Event& event) override;
  std::uint64_t events() const { return events_; }

 private:
  using Key = std::pair<SequenceId, std::uint32_t>;
  template <class E>
  void follow(const E&) {}
  void follow(const ClockAdvanced& event) { time_ = event.now; }
  void follow(const BlocksAllocated& event);
  void follow(const BlocksAdopted& event);
  void follow(const BlocksReleased& event);
  void follow(const BlockOffloaded& event);
  void follow(const BlockOnboarded& event);
  void follow(const TokensAppended& event);
  void follow(const SequenceFinished& event) { leave(event.sequence); }
  void follow(const SequencePreempted& event) { leave(event.sequence); }
  void follow(const StepComposed& event);
  void leave(SequenceId sequence);
  std::uint32_t holders(BlockId block) const;

  std::function<std::uint64_t()> held_now_;
  std::map<Key, std::vector<BlockId>> tables_;
  std::map<BlockId, std::uint32_t> holders_;
  std::map<SequenceId, std::uint32_t> tokens_;
  std::uint64_t events_ = 0, block_events_ = 0;
  SimTime time_;
};

}  // namespace vacancy::verify
