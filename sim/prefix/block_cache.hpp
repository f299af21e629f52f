// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/prefix/pinned_prefixes.hpp"
#include "sim/prefix/reference_string.hpp"
#include "sim/prefix/replacement/registry.hpp"

namespace vacancy {

/// Which of a request's blocks count as hits.
enum class HitCount {
  any,      // every block that is cached when it is touched
  leading,  // the leading blocks that are cached when the request arrives
};

/// The order in which a request uses its blocks.
enum class TouchOrder {
  forward,
  reverse,  // last block first, as engines free the blocks of a request
};

template <>
struct EnumNames<HitCount> {
  static constexpr EnumName<HitCount> table[] = {{HitCount::any, "any"},
                                                 {HitCount::leading, "leading"}};
};

template <>
struct EnumNames<TouchOrder> {
  static constexpr EnumName<TouchOrder> table[] = {{TouchOrder::forward, "forward"},
                                                   {TouchOrder::reverse, "reverse"}};
};

struct BlockCacheOptions {
  std::optional<std::uint32_t> capacity;  // blocks, at least 1; nothing: unlimited
  HitCount count = HitCount::any;
  TouchOrder touch = TouchOrder::forward;
  /// Blocks that one tenant may have in the cache; nothing: as many as there is room for. A tenant
  /// that has as many evicts one of its own, in the policy's order among them, before it gets
  /// another. (What a policy counts as a share of the cache is a share of all of it.)
  std::optional<std::uint32_t> tenant_quota;
  /// Blocks that lie wholly in these stay once they are in the cache. Where all blocks are pinned,
  /// others are refused.
  PinnedPrefixes pinned;
};

struct BlockCacheResult {
  std::uint64_t requests = 0;
  std::uint64_t accesses = 0, hits = 0;  // blocks
  std::uint64_t unique = 0;              // different contents in the whole string
  std::uint64_t evictions = 0, expirations = 0, refusals = 0;
  std::uint64_t input_tokens = 0;
  std::uint64_t hit_tokens = 0;  // per request min(hits x block tokens, input tokens)
  std::uint64_t requests_with_blocks = 0;
  double request_hit_ratios = 0;  // sum over the requests with blocks of hits / blocks

  /// Nothing where there is nothing to divide by.
  std::optional<double> hit_ratio() const;
  std::optional<double> token_hit_ratio() const;
  std::optional<double> mean_request_hit_ratio() const;
};

/// Why a block was not in the cache.
enum class MissReason {
  never_seen,  // no request before had it
  evicted,     // it made room for another block
  expired,     // its time ran out
  refused,     // the policy did not admit it
};

template <>
struct EnumNames<MissReason> {
  static constexpr EnumName<MissReason> table[] = {{MissReason::never_seen, "never_seen"},
                                                   {MissReason::evicted, "evicted"},
                                                   {MissReason::expired, "expired"},
                                                   {MissReason::refused, "refused"}};
};

struct BlockMiss {
  std::uint32_t request = 0, position = 0;
  ContentIndex content = no_content;
  MissReason reason = MissReason::never_seen;
  /// The request during which the block was last evicted, expired or refused; its own number if it
  /// was never seen.
  std::uint32_t lost_during = 0;
  SimTime lost_at;  // arrival of that request
};

struct RequestOutcome {
  std::uint32_t request = 0;
  std::uint32_t blocks = 0;
  std::uint32_t hits = 0;
  std::uint32_t leading = 0;    // leading blocks cached at arrival
  std::uint32_t first_new = 0;  // first block that no earlier request had: where prompts differ
};

/// Hears why blocks are missing.
class BlockCacheObserver {
 public:
  virtual ~BlockCacheObserver() = default;
  virtual void missed(const BlockMiss& miss) = 0;
  virtual void served(const RequestOutcome& outcome) = 0;
};

/// One global pool of blocks and a replacement policy; no block depends on another, and none is
/// pinned unless the options name it. Each request is served whole before the next, and all its
/// blocks are inserted; outputs are not.
class BlockCache {
 public:
  /// The string and the observer must live as long as the cache.
  BlockCache(const ReferenceString& string, const BlockCacheOptions& options,
             const ReplacementEntry& replacement, const ParameterValues& parameters,
             BlockCacheObserver* observer = nullptr);

  /// Serves the next request of the string; false if there is none.
  bool serve();

  const BlockCacheResult& result() const { return result_; }
  bool contains(ContentIndex content) const { return entry_of_[content.value()] != no_entry; }
  std::uint32_t size() const { return size_; }
  /// Cached blocks of a tenant; with quotas only.
  std::uint32_t size_of(std::uint32_t tenant) const { return tenants_[tenant].cached; }

 private:
  static constexpr std::uint32_t no_entry = no_content.value();
  /// What an observer needs to know of the past of a content.
  struct Past {
    MissReason reason = MissReason::never_seen;
    std::uint32_t lost_during = 0;
  };

  /// The blocks of one tenant, ordered as if the others were not there.
  struct Tenant {
    std::unique_ptr<ReplacementPolicy> policy;
    std::uint32_t cached = 0;
  };

  std::uint32_t blocks() const;  // of the request being served
  std::uint32_t touch_all();
  void tally(std::uint32_t hits);
  BlockAccess access(std::uint64_t reference) const;
  bool touch(std::uint64_t reference);
  /// Evicts if `incoming` needs it; false if the policy would rather not have it.
  bool make_room(const BlockAccess& incoming);
  /// Of the request being served; null without quotas.
  Tenant* tenant() {
    return tenants_.empty() ? nullptr : &tenants_[string_.request(request_).tenant];
  }
  void insert(const BlockAccess& access);
  /// Of the request being served: those of its blocks that are to stay and are in the cache.
  void pin();
  void remove(EntryId entry, Removal how);
  std::uint32_t leading_blocks() const;
  std::uint32_t first_new_block() const;
  void forget_expired();
  void report_miss(const BlockAccess& access);
  void record_next_uses();

  const ReferenceString& string_;
  BlockCacheOptions options_;
  BlockCacheObserver* observer_;
  std::uint32_t capacity_;
  std::unique_ptr<ReplacementPolicy> policy_;
  std::vector<std::uint32_t> entry_of_;   // of a content; no_entry: not cached
  std::vector<ContentIndex> content_of_;  // of an entry
  std::vector<EntryId> free_;             // entries used before and empty now
  std::vector<Tenant> tenants_;           // only with quotas
  std::vector<std::uint32_t> owner_;      // tenant of an entry; only with quotas
  std::vector<std::uint32_t> next_use_;   // of a reference, in touches; only for an oracle's policy
  std::vector<bool> pinned_;              // of an entry; only where some are
  std::vector<Past> past_;                // of a content; only with an observer
  std::uint32_t size_ = 0, fresh_ = 0;    // cached blocks; entries never used are from fresh_ on
  std::uint32_t request_ = 0;             // being served
  BlockCacheResult result_;
};

/// Serves all requests.
BlockCacheResult replay_blocks(const ReferenceString& string, const BlockCacheOptions& options,
                               const ReplacementEntry& replacement,
                               const ParameterValues& parameters,
                               BlockCacheObserver* observer = nullptr);

}  // namespace vacancy
