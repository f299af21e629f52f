// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/pool/events.hpp"
#include "sim/pool/kv_cache.hpp"

namespace vacancy {

/// One physical block at one moment: live slots, and the end of what was written (live + holes).
struct BlockCell {
  std::uint32_t references = 0;  // tables that have it; 0: free
  std::uint32_t live = 0, fill = 0;
  SequenceId owner{0};  // the lowest of its sequences, if it has any

  bool free() const { return references == 0; }
  bool has_holes() const { return live < fill; }
  bool shared() const { return references > 1; }
};

/// All blocks of the pool, by id.
struct BlockSnapshot {
  SimTime time;
  std::uint32_t block_size = 0;
  std::vector<BlockCell> cells;
};
BlockSnapshot take_snapshot(const KvCache& cache, SimTime time);

/// How many blocks are what. free + full + with_holes + tail_only = total.
struct BlockCensus {
  std::size_t total = 0, free = 0;
  std::size_t full = 0;        // every slot live
  std::size_t with_holes = 0;  // some slot was evicted
  std::size_t tail_only = 0;   // no holes, but slots that were never written
  std::size_t shared = 0;      // of those held: by more than one table

  bool operator==(const BlockCensus&) const = default;
};
BlockCensus take_census(const BlockSnapshot& snapshot);

/// Keeps the pool as it was before the first and after the last round of the last step that had
/// one: sequences that are due together count as one eviction. Of an engine, which ends with an
/// empty pool, also as it was when the most blocks were held, as long as there was no round.
class BlockMapRecorder final : public Observer {
 public:
  explicit BlockMapRecorder(const KvCache& cache) : cache_(cache) {}

  void on_event(const Event& event) override;
  const std::optional<BlockSnapshot>& before() const { return before_; }
  const std::optional<BlockSnapshot>& after() const { return after_; }
  const std::optional<BlockSnapshot>& fullest() const { return fullest_; }

 private:
  const KvCache& cache_;
  std::optional<BlockSnapshot> before_, after_, fullest_;
  std::uint32_t most_held_ = 0;
  SimTime now_;
  bool round_in_step_ = false;
};

}  // namespace vacancy
