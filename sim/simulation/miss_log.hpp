// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <unordered_map>
#include <vector>

#include "sim/pool/events.hpp"
#include "sim/prefix/block_cache.hpp"
#include "sim/serving/request.hpp"

namespace vacancy {

/// Why a request found no more of its prompt than it did: its first block that was not there.
struct FirstMiss {
  std::uint32_t request = 0;
  std::uint32_t blocks = 0;  // of its prompt that could have been found
  std::uint32_t found = 0;   // leading blocks that were; the first missing block's index
  MissReason reason = MissReason::never_seen;
  std::optional<SimTime> lost_at;            // when the missing block was last in the cache
  std::optional<std::uint32_t> lost_during;  // the request that made it go
  std::uint32_t shared = 0;                  // leading blocks that some earlier request had
};

/// A CSV line for each (docs/formats/misses.md).
class MissTable {
 public:
  explicit MissTable(std::ostream& out);
  void write(const FirstMiss& miss);

 private:
  std::ostream& out_;
};

/// First misses of a block replay.
class ReplayMissLog final : public BlockCacheObserver {
 public:
  explicit ReplayMissLog(std::ostream& out) : table_(out) {}
  void missed(const BlockMiss& miss) override { misses_.push_back(miss); }
  void served(const RequestOutcome& outcome) override;

 private:
  MissTable table_;
  std::vector<BlockMiss> misses_;  // of the request being served
};

/// First misses of the requests of an engine with a hash chain and one cache group, at their first
/// admission. Memory grows with the different contents that the cache had.
class EngineMissLog final : public Observer {
 public:
  /// `request_of`: the request of an id, while it waits or runs.
  EngineMissLog(std::ostream& out, std::uint32_t block_size,
                std::function<const Request&(SequenceId)> request_of);
  void on_event(const Event& event) override;

 private:
  struct Past {
    std::uint32_t copies = 0;  // blocks that have the content now
    SimTime lost_at;
    std::optional<std::uint32_t> lost_during;
    MissReason reason = MissReason::evicted;
  };
  struct Hash {
    std::size_t operator()(const ContentId& id) const;
  };

  void admitted(SequenceId id);
  void cached(const BlocksCached& event);
  void uncached(const BlocksUncached& event);
  /// What was making room lost its contents to the sequence.
  void made_room(SequenceId sequence);
  void cleared();
  void lose(const ContentId& id, MissReason reason, std::optional<SequenceId> during);

  MissTable table_;
  std::uint32_t block_size_;
  std::function<const Request&(SequenceId)> request_of_;
  SimTime now_;
  std::uint32_t hit_ = 0;            // tokens that the last lookup found
  std::vector<bool> seen_;           // by request: it was admitted before
  std::vector<ContentId> contents_;  // by block
  std::unordered_map<ContentId, Past, Hash> pasts_;
  std::vector<ContentId> making_room_;  // evicted for the allocation that is reported next
  std::optional<SequenceId> releasing_, evicting_;  // who did so last
};

}  // namespace vacancy
