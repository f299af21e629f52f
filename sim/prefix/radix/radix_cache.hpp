// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/prefix/radix/radix_tree.hpp"
#include "sim/prefix/radix/slot_allocator.hpp"

namespace vacancy {

struct RadixCacheOptions {
  std::uint32_t page_size = 1;
  RadixPolicy policy = RadixPolicy::lru;
  /// S11: what make_room evicts when slots are short. The profile's snapshot evicts as many tokens
  /// as are asked for; since 2026-07-22 the engine evicts only what is lacking.
  bool evict_shortfall_only = false;
  HostTierOptions host = {};
};

/// What a request holds in the cache. The caller owns it, and may reuse it after finish().
struct RadixRequest {
  NamespaceId name_space;
  std::int32_t priority = 0;
  TokenRuns tokens;                      // the sequence so far
  SlotRuns slots;                        // of its first tokens, all of them between operations
  RadixNodeId node = RadixTree::root();  // locked
  /// Slots before this belong to the tree, those after it to the request.
  std::uint32_t protected_tokens = 0;
  // What the lookup found on the host behind the slots, if that is worth loading: tokens, and the
  // node in which they end.
  std::uint32_t host_tokens = 0;
  RadixNodeId host_node = RadixTree::root();
};

/// A radix tree over a pool of slots, and what SGLang does with both for a request (S5, S10, S11).
/// Nothing is evicted but by evict() and make_room().
class RadixCache {
 public:
  RadixCache(const RadixCacheOptions& options, std::unique_ptr<SlotAllocator> allocator);

  const RadixTree& tree() const { return tree_; }
  RadixTree& tree() { return tree_; }
  const SlotAllocator& allocator() const { return *allocator_; }
  SlotAllocator& allocator() { return *allocator_; }

  struct Stored {
    bool ok = false;                   // there were slots
    std::uint32_t matched = 0;         // by the lookup
    std::uint32_t insert_matched = 0;  // by the insertion
    SlotRuns slots;                    // of the whole sequence, before what is not kept goes back
  };
  /// Caches a sequence that no request holds: lookup, slots for the rest, insertion; slots of the
  /// tokens beyond the last whole page go back. A failure leaves the lookup's effects.
  Stored store(NamespaceId name_space, TokenView tokens, const RadixTree::Insertion& insertion);

  /// Starts a request with look_up() and allocate(). If slots lack it is as if it had not started,
  /// but for the lookup's effects. Returns what the lookup matched.
  struct Begun {
    bool ok = false;
    std::uint32_t matched = 0;
  };
  Begun begin(RadixRequest& request);

  /// Finds the cached prefix of a request that holds nothing and locks what the device has of it,
  /// which it returns. The last token is left out, since something must be computed (S10).
  std::uint32_t look_up(RadixRequest& request);
  /// Slots for what look_up() found on the host, by evicting if they lack. Returns the tokens
  /// evicted.
  std::uint64_t make_room_to_load(const RadixRequest& request);
  /// Loads back what look_up() found on the host, all of it or nothing (S14). False if slots lack.
  bool load_back(RadixRequest& request);
  /// Takes slots for all tokens that have none and for `ahead` tokens to come. False, with nothing
  /// taken, if they lack.
  bool allocate(RadixRequest& request, std::uint32_t ahead = 0);
  /// Gives up what look_up() got.
  void abandon(RadixRequest& request);

  /// The request gets more tokens, and slots where it has none yet. False, and none of both, if
  /// slots lack.
  bool extend(RadixRequest& request, TokenView tokens);
  /// Caches what the request has so far; it goes on with the tree's slots (S5).
  void unfinished(RadixRequest& request, bool chunked);
  /// Ends the request: with `insert` its sequence is cached, without it goes (S13).
  void finish(RadixRequest& request, bool insert);

  std::uint64_t evict(std::uint64_t tokens) { return tree_.evict(tokens, *allocator_); }
  /// Evicts if fewer than `slots` slots are available (S11). Returns the tokens evicted.
  std::uint64_t make_room(std::uint64_t slots);

 private:
  void give_back(const RadixRequest& request, std::uint32_t first, std::uint32_t last);

  RadixTree tree_;
  std::unique_ptr<SlotAllocator> allocator_;
  bool evict_shortfall_only_;
  SlotRuns found_;  // scratch of unfinished()
};

}  // namespace vacancy
