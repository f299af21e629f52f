// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "sim/prefix/pinned_prefixes.hpp"
#include "sim/prefix/radix/radix_cache.hpp"
#include "sim/serving/cache_manager.hpp"
#include "sim/serving/sglang/radix_queue.hpp"

namespace vacancy {

/// The choices of SGLang's memory manager.
struct RadixOptions {
  RadixCacheOptions cache;
  bool need_sort = false;  // S9
  std::uint32_t pages = 0;
  Bytes page_bytes = Bytes(0);
  QueuePolicy queue_policy = QueuePolicy::fcfs;  // S12
  PhiloxKey queue_key{};                         // of its random order
  PinnedPrefixes pinned{};                       // ours: a lock that is never undone
};

/// SGLang's estimate of how much of their longest possible output running requests will really
/// take: it falls with every step that decodes, and jumps when requests had to be retracted. The
/// constants are the engine's defaults.
class NewTokenRatio {
 public:
  double value() const { return value_; }
  void reset() { value_ = initial; }
  void decay() { value_ = value_ - step > least ? value_ - step : least; }
  /// After a retraction: what remains has generated `output` tokens, `most` at the end, and is to
  /// run for `steps_ahead` steps.
  void retracted(std::uint64_t output, std::uint64_t most, std::uint64_t requests);

 private:
  static constexpr double initial = 0.7, least = initial * 0.14, step = (initial - least) / 600;
  static constexpr std::uint64_t steps_ahead = 20;
  double value_ = initial;
};

/// SGLang's memory manager (spec engines S1–S14): a radix tree over a pool of slots; blocks are its
/// pages. Retracted requests leave nothing in the tree. Ours: room is made for one request at a
/// time, where the engine makes it for a whole batch; a copy to the host is there at once.
///
/// Of blocks it counts only: single slots of a pool are too many for events.
class RadixManager final : public CacheManager {
 public:
  RadixManager(const RadixOptions& options, Observer& observer);

  void begin_step() override;
  WaitingOrder* waiting_order() override { return &queue_; }
  std::uint32_t lookup(const Request& request, std::uint32_t known) override;
  bool admit(const Request& request, std::uint32_t known, std::uint32_t count,
             bool others_run) override;
  bool extend(const Request& request, std::uint32_t computed, std::uint32_t count,
              std::uint32_t known) override;
  void produced(const Request& request, std::uint32_t known) override;
  void preempt(const Request& request) override;
  void finish(const Request& request) override;
  HostTraffic take_host_traffic() override;

  std::uint32_t context(const Request& request) const override {
    return running_.at(request.id).held.tokens.size();
  }
  std::uint32_t used_blocks() const override;
  std::uint32_t free_blocks() const override { return options_.pages - used_blocks(); }
  double usage() const override;
  CacheGauges gauges() const override;
  /// A node for each of the tree's; its pages are the blocks.
  std::vector<SharingNode> sharing() const override;
  const KvCache* cache() const override { return nullptr; }
  KvCache* cache() override { return nullptr; }

  const RadixCache& radix() const { return cache_; }
  double new_token_ratio() const { return ratio_.value(); }
  /// Asserts that the tree is sound and that every slot is free, cached, or held by a request.
  void check_invariants() const;

 private:
  struct Running {
    RadixRequest held;
    std::uint32_t known = 0, prompt = 0, output = 0;
    bool prefilling = true;
    std::uint32_t output_left() const { return prompt + output - known; }
  };
  /// What the running requests may still take, as the scheduler estimates it (S12).
  std::uint64_t reserved() const;
  void count_eviction(std::uint64_t evicted);
  /// Of an admission that fits: what its lookup found on the host.
  void load_back(RadixRequest& request);
  bool allocate(RadixRequest& request);
  /// What of a request that ended is to stay.
  void pin_prompt(const Request& request);
  std::uint32_t page() const { return options_.cache.page_size; }

  RadixOptions options_;
  Observer& observer_;
  RadixCache cache_;
  RadixQueue queue_;
  std::map<SequenceId, Running> running_;
  RadixRequest lookup_;  // scratch
  NewTokenRatio ratio_;
  HostTier::Counts told_;                     // by take_host_traffic()
  bool decoded_ = false, retracted_ = false;  // in the step before
  std::uint64_t peak_pages_ = 0, allocated_pages_ = 0, evicted_tokens_ = 0, evict_calls_ = 0;
};

}  // namespace vacancy
