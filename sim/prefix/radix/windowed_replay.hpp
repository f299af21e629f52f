// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sim/prefix/radix/radix_cache.hpp"

namespace vacancy {

struct ReplayRequest {
  std::uint32_t prompt_tokens = 0;
  std::uint32_t output_tokens = 0;
  /// Contents of the prompt, one key for each WindowedReplay block. Prompt tokens beyond the keys'
  /// are the request's own, like those it generates.
  std::span<const std::uint64_t> block_keys;
};

struct ReplayCounts {
  std::uint64_t requests = 0;
  std::uint64_t prompt_tokens = 0, output_tokens = 0;
  std::uint64_t hit_tokens = 0;  // of the lookups whose request then got its slots
  std::uint64_t evicted_tokens = 0, evict_calls = 0;
};

/// Protocol B (spec engines §6): a cache alone, under a window of active requests and no clock.
/// A request, in the order given, with prompt length P and output length O:
///   1. look up at most P - 1 tokens and lock what is found;
///   2. take slots for the rest of the prompt and for the whole output, P + O - hit;
///   3. if they lack: unlock; finish the oldest active request, if there is one; evict so that
///      P + O - hit slots are available; go to 1;
///   4. cache the prompt (not the output, which is not computed yet), and move the lock to its end;
///   5. while more than `window` requests are active, finish the oldest.
/// To finish is to cache prompt and output, to give back slots of what was cached meanwhile, and to
/// unlock. Whether the prompt becomes a node of its own in step 4 shows: it decides where leaves
/// end, and with that how much one eviction frees.
class WindowedReplay {
 public:
  /// `block_tokens`: what one key of a prompt stands for.
  WindowedReplay(RadixCache& cache, std::uint32_t block_tokens, std::uint32_t window = 8);

  /// Throws UserError for a request that exceeds the pool.
  void serve(const ReplayRequest& request);
  /// Finishes what is active.
  void drain();

  const ReplayCounts& counts() const { return counts_; }

 private:
  struct Active {
    RadixRequest request;
    std::uint64_t number = 0;
    std::uint32_t own_prompt = 0;  // prompt tokens without a key
    std::uint32_t output_tokens = 0;
  };

  void fill_prompt(const ReplayRequest& from, Active& active) const;
  void make_room(std::uint64_t slots);
  void finish_oldest();

  RadixCache& cache_;
  std::uint32_t block_tokens_, window_;
  std::deque<Active> active_;
  std::vector<Active> spare_;  // finished ones; they keep their memory
  ReplayCounts counts_;
};

}  // namespace vacancy
