// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/pool/kv_cache.hpp"
#include "sim/prefix/hash_chain/chain_replacement.hpp"
#include "sim/prefix/hash_chain/hash_chain_index.hpp"
#include "sim/prefix/hash_chain/host_copies.hpp"
#include "sim/prefix/pinned_prefixes.hpp"
#include "sim/prefix/replacement/registry.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/serving/cache_manager.hpp"

namespace vacancy {

template <>
struct EnumNames<FreeOrder> {
  static constexpr EnumName<FreeOrder> table[] = {{FreeOrder::append, "append"},
                                                  {FreeOrder::append_forward, "append_forward"},
                                                  {FreeOrder::uncached_first, "uncached_first"}};
};

/// Which copies in host memory go first (V29); names of replacement policies.
enum class HostReplacement { lru, arc };

template <>
struct EnumNames<HostReplacement> {
  static constexpr EnumName<HostReplacement> table[] = {{HostReplacement::lru, "lru"},
                                                        {HostReplacement::arc, "arc"}};
};

/// Layers that need the same tokens share a block table (spec engines V25).
struct CacheGroup {
  /// Tokens that a query sees, itself included; nothing: all.
  std::optional<std::uint32_t> window;
};

/// The choices by which versions of vLLM's KVCacheManager differ.
struct HashChainOptions {
  std::uint32_t block_size = 16;
  std::optional<std::uint32_t> blocks;  // usable ones, without the null block; nothing: unlimited
  std::optional<std::uint32_t> blocks_per_page;  // of device pages; nothing: not counted
  bool prefix_caching = true;
  /// A preempted request looks up again and finds its own blocks (V21); false is an ablation.
  bool lookup_after_preemption = true;
  bool full_sequence_gate = true;  // V15a, V16
  /// An admission also reserves blocks for the whole output, so that nothing that runs is ever
  /// preempted. No vLLM does so; TensorRT-LLM's guaranteed_no_evict reserves as much (T13).
  bool reserve_output = false;
  std::uint32_t watermark_blocks = 0;                // V17
  FreeOrder free_order = FreeOrder::uncached_first;  // V10
  /// Which free block with cached contents is allocated next; null: the front of the free queue
  /// (V8), else blocks without contents go first whatever the free order. Needs a number of blocks.
  const ReplacementEntry* replacement = nullptr;
  ParameterValues replacement_parameters;
  /// Free blocks with cached contents that a tenant may have; 0: any number. A tenant with more
  /// gives up its own, in the order of the replacement policy (lru if there is none).
  std::uint32_t tenant_quota_blocks = 0;
  /// Ours: a sequence that never ends refers to these prompts' cached blocks. With one group only.
  PinnedPrefixes pinned;
  /// V29: copies of full blocks in host memory; 0: none. With one group only.
  std::uint32_t host_blocks = 0;
  HostReplacement host_replacement = HostReplacement::lru;
  bool usage_counts_null_block = false;  // V11: usage is 1 - free / (usable + 1)
  /// Whether `groups` follow the kinds of a model's layers, or all layers share one. Whoever fills
  /// `groups` reads it.
  bool hybrid_groups = true;
  std::vector<CacheGroup> groups = {CacheGroup{}};
  /// Where there is one group: which keep sets stand on its table.
  CacheLayout layout{1, 1, TableKind::shared, Scope::model};
  /// V28. True: blocks of window groups get a hash only near the end of the prompt and of a prefix
  /// that full attention found shared (retention interval 0). False: all full blocks (none).
  bool sparse_window_hashes = true;
  /// Upper bound of tokens scheduled for a request in one step; bounds what the gate asks of window
  /// groups (spec engines §8.7).
  std::uint32_t max_in_flight_tokens = 8192;
  /// E-32, EvictionFault::offset_overstated: the length by which blocks are allocated to a request
  /// that was evicted from is so many tokens too short.
  std::uint32_t allocation_lag = 0;
};

/// vLLM v1's memory manager: block tables and free queue (KvCache) under a map from contents to
/// blocks. Rules V1–V18 and V25–V28 of spec engines. Each request is one sequence (BeamManager: or
/// several).
class HashChainManager : public CacheManager {
 public:
  HashChainManager(HashChainOptions options, Bytes block_bytes, Observer& observer);

  std::uint32_t lookup(const Request& request, std::uint32_t known) override;
  bool admit(const Request& request, std::uint32_t known, std::uint32_t count,
             bool others_run) override;
  bool extend(const Request& request, std::uint32_t computed, std::uint32_t count,
              std::uint32_t known) override;
  void advance(SimTime now) override { now_ = now; }
  void begin_step() override;
  void preempt(const Request& request) override;
  void finish(const Request& request) override;
  bool swaps() const override { return window_groups_ == 0; }
  std::uint32_t stored_blocks(const Request& request, std::uint32_t computed) const override;
  bool admit_swapped(const Request& request, std::uint32_t known, std::uint32_t present,
                     std::uint32_t count, bool others_run) override;
  HostTraffic take_host_traffic() override { return std::exchange(host_traffic_, {}); }
  std::uint32_t context(const Request& request) const override;
  std::uint32_t tokens_without_slot(const Request& request) const override {
    return state(request).without_slot;
  }
  std::uint32_t used_blocks() const override { return cache_.pool().held(); }
  std::uint32_t free_blocks() const override { return cache_.pool().available(); }
  double usage() const override;
  CacheGauges gauges() const override { return gauges_of(cache_.pool()); }
  void follow_sharing() override { follows_sharing_ = true; }
  /// A node for each block, siblings by block id. A block whose parent's contents are gone has
  /// none.
  std::vector<SharingNode> sharing() const override;

  /// V12: all blocks lose their cached contents, unless one is in use: then false, and nothing
  /// changed. Free blocks keep their order.
  bool reset_prefix_cache();

  const HashChainOptions& options() const { return options_; }
  const KvCache* cache() const override { return &cache_; }
  KvCache* cache() override { return &cache_; }
  const HashChainIndex& index() const { return index_; }
  /// V28: where the last lookup of the request found full attention's prefix to end, if that was
  /// beyond what all groups share; 0 if not.
  std::uint32_t shared_prefix_boundary(const Request& request) const {
    return state(request).boundary;
  }

 protected:
  /// Blocks that an admission needs besides those of one sequence: in the end, and at once.
  struct MoreBlocks {
    std::uint64_t whole, now;
  };
  /// The two halves of an admission: whether there is room, and taking it.
  bool fits(const Request& request, std::uint32_t known, std::uint32_t count, bool others_run,
            MoreBlocks more = {}) const;
  void take(const Request& request, std::uint32_t known, std::uint32_t count);
  /// What the last lookup found.
  std::uint32_t hit_tokens() const { return hit_blocks_ * options_.block_size; }

 private:
  struct State {
    std::uint32_t boundary = 0;
    bool preempted = false;          // ever
    std::uint64_t reserved = 0;      // blocks that it has not taken yet
    std::uint32_t without_slot = 0;  // last tokens that the allocation lag keeps waiting
    std::vector<std::uint32_t>
        considered;  // per group: full blocks that had their chance of a hash
  };
  /// What the index does not need to know of a block with cached contents.
  struct Lineage {
    std::optional<ContentId> parent;  // the contents before it
    std::uint64_t hits = 0;           // admissions that found it
  };
  const State& state(const Request& request) const { return states_[request.id.value()]; }
  State& state(const Request& request);
  ContentId content(const Request& request, std::uint32_t block, std::uint32_t group) const;
  std::uint32_t groups() const { return static_cast<std::uint32_t>(options_.groups.size()); }
  /// V26: the longest prefix of at most `blocks` blocks in one group; hits_[group] gets its blocks,
  /// null where a window does not need them. Returns its length in blocks.
  std::uint32_t find_prefix(const Request& request, std::uint32_t group, std::uint32_t blocks);
  /// V15c: blocks that a sequence of `tokens` tokens takes out of the free queue on top of what the
  /// last lookup found in use.
  std::uint64_t needed(std::uint32_t tokens) const;
  /// Of these, what the gate does not ask for: a window group never holds more than its window and
  /// the tokens in flight (spec engines §8.7).
  std::uint64_t whole_sequence_excess(std::uint32_t known) const;
  /// Room for `count` more tokens, later by the allocation lag.
  bool append_late(const Request& request, std::uint32_t count);
  /// Where output is reserved: a running request has `tokens` tokens in the cache now.
  void reserve_rest(const Request& request, std::uint64_t tokens);
  void drop_reservation(const Request& request);
  void cache_full_blocks(const Request& request, std::uint32_t tokens);
  /// V29: what of the first `blocks` blocks stands on the host behind those found on the device.
  void look_up_host(const Request& request, std::uint32_t blocks);
  /// What just got its hash, contents_ from entry `first` on, is copied there.
  void store_on_host(const Request& request, std::uint32_t first);
  std::uint32_t host_hit_blocks() const { return static_cast<std::uint32_t>(host_hits_.size()); }
  BlockAccess access(const Request& request, std::uint32_t block) const;
  /// What of a request that ends here is to stay.
  void pin_prompt(const Request& request);
  /// Tenants that let go of blocks keep within their quotas.
  void keep_quotas();
  /// The blocks that the last lookup found are the request's now.
  void report_hits(const Request& request);
  void note_parent(BlockId block, const std::optional<ContentId>& parent);
  bool gets_hash(const Request& request, std::uint32_t group, std::uint32_t block) const;

  HashChainOptions options_;
  Observer& observer_;
  HashChainIndex index_;
  std::optional<ChainReplacement> replacement_;
  KvCache cache_;
  std::uint32_t window_groups_;
  std::vector<State> states_;  // by request
  bool follows_sharing_ = false;
  std::vector<Lineage> lineage_;  // by block, where sharing is followed
  std::uint64_t reserved_ = 0;    // for all of them
  // What the last lookup found: per group, hit_blocks_ entries.
  std::vector<std::vector<BlockId>> hits_;
  std::uint32_t hit_blocks_ = 0;
  std::vector<std::uint32_t> host_hits_;  // behind them, on the host: its blocks
  std::vector<std::uint32_t> stored_entries_;
  std::vector<BlockId> adopted_;
  std::vector<ContentId> contents_;
  std::optional<HostCopies> host_;
  Bytes block_bytes_;
  HostTraffic host_traffic_;
  SimTime now_;
};

}  // namespace vacancy
