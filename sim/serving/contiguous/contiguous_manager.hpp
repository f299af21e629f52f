// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/pool/block_pool.hpp"
#include "sim/pool/buddy_allocator.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/serving/cache_manager.hpp"

namespace vacancy {

/// How much of the cache a request reserves when it is admitted, of which it then never needs more:
/// the baselines of the PagedAttention paper, §6.1.
enum class Reservation {
  max,    // the longest sequence that the engine serves
  pow2,   // the prompt, and the output rounded up to a power of two
  oracle  // the prompt and the output
};

template <>
struct EnumNames<Reservation> {
  static constexpr EnumName<Reservation> table[] = {
      {Reservation::max, "max"}, {Reservation::pow2, "pow2"}, {Reservation::oracle, "oracle"}};
};

struct ContiguousOptions {
  Reservation reservation = Reservation::max;
  std::uint32_t block_size = 16;  // slots; runs consist of whole blocks
  std::uint32_t blocks = 0;
};

/// What the slots of a pool are, as the PagedAttention paper divides them (§3.1, figures 2 and 3).
struct ContiguousUse {
  std::uint64_t live = 0;      // hold a token
  std::uint64_t reserved = 0;  // will hold one of the request's later tokens
  std::uint64_t internal = 0;  // internal fragmentation: reserved, but the output ends before
  // External fragmentation is what runs have beyond what was asked for, with the free slots while
  // no free run is large enough for the request that waits.
  std::uint64_t rounding = 0;
  std::uint64_t free = 0;

  bool operator==(const ContiguousUse&) const = default;
};

/// Memory before paging: a request gets one contiguous run of blocks from a buddy allocator when it
/// is admitted, and gives it back when it ends. Nothing is shared, nobody is ever preempted for
/// want of room.
class ContiguousManager final : public CacheManager {
 public:
  /// No request has more tokens than `max_sequence_tokens`, and no reservation is larger.
  ContiguousManager(const ContiguousOptions& options, std::uint32_t max_sequence_tokens,
                    Observer& observer);

  std::uint32_t lookup(const Request&, std::uint32_t) override { return 0; }
  bool admit(const Request& request, std::uint32_t known, std::uint32_t count,
             bool others_run) override;
  bool extend(const Request& request, std::uint32_t computed, std::uint32_t count,
              std::uint32_t known) override;
  void preempt(const Request& request) override;
  void finish(const Request& request) override;
  std::uint32_t context(const Request& request) const override {
    return runs_[request.id.value()].tokens;
  }
  std::uint32_t used_blocks() const override { return pool_.held(); }
  std::uint32_t free_blocks() const override { return pool_.available(); }
  double usage() const override;
  CacheGauges gauges() const override { return gauges_of(pool_); }
  const KvCache* cache() const override { return nullptr; }
  KvCache* cache() override { return nullptr; }

  /// What is in the slots.
  const BlockPool& pool() const { return pool_; }
  const ContiguousOptions& options() const { return options_; }
  const BuddyAllocator& allocator() const { return allocator_; }
  /// Slots that a request reserves: a whole number of blocks.
  std::uint64_t reservation(const Request& request) const;
  /// Whether a request would be admitted now.
  bool fits(const Request& request) const;
  ContiguousUse use() const;

 private:
  /// A request's blocks: [first, first + blocks), of which `tokens` slots are written.
  struct Run {
    std::uint32_t first = 0, blocks = 0;
    std::uint32_t tokens = 0;
    std::uint64_t ends_at = 0;   // slots that prompt and output fill
    std::uint64_t reserved = 0;  // slots that were asked for
  };
  void append(const Request& request, std::uint32_t count);
  void release(const Request& request, FreeCause cause);

  ContiguousOptions options_;
  std::uint64_t max_sequence_tokens_;
  Observer& observer_;
  BuddyAllocator allocator_;  // of blocks
  BlockPool pool_;            // the same blocks, with what is in their slots
  std::vector<Run> runs_;     // by request
  // Sums over the runs.
  std::uint64_t ends_ = 0, reserved_ = 0;
  // Reused by events.
  std::vector<BlockId> blocks_;
  std::vector<std::uint32_t> entries_;
};

}  // namespace vacancy
