// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/pool/block_pool.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"
#include "tests/support/kv_memory.hpp"

namespace vacancy::test {

/// vLLM's free queue and map of contents by the letter of spec engines V4–V10 and V26, from the
/// event stream alone. Each event is held against what the rules say must happen; the first
/// difference is kept.
class PlainBlocks final : public Observer {
 public:
  PlainBlocks(const HashChainOptions& options) : options_(options) {
    for (std::uint32_t block = 0; block < options.blocks.value(); ++block)
      free_.push_back(BlockId(block));
  }

  void know(const Request& request) { requests_[request.id] = request; }
  /// From now on, no block with contents may be evicted before a free one behind it in a prefix,
  /// unless another has the same contents. Not where requests are evicted from: what was behind the
  /// tokens that are gone hangs on nothing.
  void watch_chains() { chains_ = true; }

  const std::optional<std::string>& fault() const { return fault_; }
  const std::list<BlockId>& free_queue() const { return free_; }
  bool hashed(BlockId block) const { return contents_.count(block) == 1; }
  std::uint32_t references(BlockId block) const {
    const auto place = references_.find(block);
    return place == references_.end() ? 0 : place->second;
  }

  /// Of each tenant that has any.
  std::map<std::uint32_t, std::uint32_t> free_hashed_blocks() const {
    std::map<std::uint32_t, std::uint32_t> blocks;
    for (const auto& [block, content] : contents_)
      if (references(block) == 0) ++blocks[std::get<KvDatum>(content).tenant];
    return blocks;
  }

  struct Counts {
    std::uint64_t dropped = 0;  // of the evicted, before the pool needed the block
    std::uint64_t allocated = 0, evicted = 0, lookups = 0, preemptions = 0;
    std::uint64_t hit_tokens[2] = {}, query_tokens = 0;  // first admission, again
  } counts;

  /// The longest prefix of a sequence of `known` tokens that every group has, in blocks, and its
  /// blocks by group: by trying each length.
  struct Found {
    std::uint32_t blocks = 0;
    std::vector<std::vector<BlockId>> by_group;
  };
  Found find(const Request& request, std::uint32_t known) const {
    Found found;
    if (options_.prefix_caching)
      for (found.blocks = (known - 1) / options_.block_size; found.blocks > 0; --found.blocks)
        if (all_groups_have(request, found.blocks)) break;
    for (std::uint32_t group = 0; group < options_.groups.size(); ++group) {
      auto& blocks = found.by_group.emplace_back(found.blocks, null_block);
      for (std::uint32_t i = first_needed(group, found.blocks); i < found.blocks; ++i)
        blocks[i] = oldest(request, group, i);
    }
    return found;
  }
  /// Blocks of full attention's own longest prefix.
  std::uint32_t full_attention_blocks(const Request& request, std::uint32_t known) const {
    std::uint32_t blocks = options_.prefix_caching ? (known - 1) / options_.block_size : 0;
    for (std::uint32_t group = 0; group < options_.groups.size(); ++group)
      if (!options_.groups[group].window)
        for (std::uint32_t i = 0; i < blocks; ++i)
          if (oldest(request, group, i) == null_block) blocks = i;
    return blocks;
  }

  void on_event(const Event& event) override {
    std::visit([&](const auto& e) { apply(e); }, event);
  }

 private:
  // Two blocks have equal contents exactly if they agree up to their last token, and stand at the
  // same place of the same group.
  using Content = std::tuple<KvDatum, std::uint32_t, std::uint32_t>;

  Content content(const Request& request, std::uint32_t group, std::uint32_t block) const {
    const std::uint32_t last = (block + 1) * options_.block_size - 1;
    return {kv_datum(request, last), group, block};
  }
  BlockId oldest(const Request& request, std::uint32_t group, std::uint32_t block) const {
    const auto place = by_content_.find(content(request, group, block));
    return place == by_content_.end() ? null_block : place->second.front();
  }
  std::uint32_t first_needed(std::uint32_t group, std::uint32_t blocks) const {
    const auto& window = options_.groups[group].window;
    if (!window) return 0;
    const std::uint32_t reach = (*window - 1 + options_.block_size - 1) / options_.block_size;
    return blocks - std::min(blocks, std::max(reach, 1u));
  }
  bool all_groups_have(const Request& request, std::uint32_t blocks) const {
    for (std::uint32_t group = 0; group < options_.groups.size(); ++group)
      for (std::uint32_t i = first_needed(group, blocks); i < blocks; ++i)
        if (oldest(request, group, i) == null_block) return false;
    return true;
  }

  void require(bool holds, const char* rule) {
    if (!holds && !fault_) fault_ = rule;
  }
  void drop_content(BlockId block) {
    const auto place = contents_.find(block);
    require(place != contents_.end(), "a block without contents lost them");
    if (place == contents_.end()) return;
    auto& same = by_content_[place->second];
    same.remove(block);
    if (same.empty()) {
      by_content_.erase(place->second);
      if (chains_) check_chain(place->second);
    }
    contents_.erase(place);
    behind_.erase(block);
  }
  void check_chain(const Content& gone) {
    for (const auto& [block, before] : behind_)
      require(before != gone || references(block) > 0, "a block left before one behind it");
  }
  /// A policy other than the queue's own order picks among blocks with contents.
  bool free_choice() const {
    return options_.replacement && options_.replacement->info.name != "lru";
  }
  void take_from_queue(BlockId block) {
    require(std::find(free_.begin(), free_.end(), block) != free_.end(), "a held block was taken");
    free_.remove(block);
    references_[block] = 0;
  }

  template <class E>
  void apply(const E&) {}

  void apply(const BlocksUncached& e) {
    if (e.cause == UncacheCause::allocation) {
      evicting_.assign(e.blocks.begin(), e.blocks.end());
      counts.evicted += e.blocks.size();
      return;
    }
    for (const BlockId block : e.blocks) {
      drop_content(block);
      if (e.cause != UncacheCause::expiry && e.cause != UncacheCause::quota) continue;
      require(references(block) == 0, "a referenced block lost its contents");
      ++counts.evicted;
      ++counts.dropped;
      free_.remove(block);
      free_.push_front(block);
    }
  }
  void apply(const BlocksAllocated& e) {
    std::vector<BlockId> evicted;
    for (const BlockId block : e.blocks) {
      const bool chosen = free_choice() && hashed(block) && hashed(free_.front());
      require(!free_.empty() && (chosen || free_.front() == block),
              "V8: allocation takes the front");
      if (hashed(block)) {
        evicted.push_back(block);
        drop_content(block);
      }
      take_from_queue(block);
      references_[block] = 1;
    }
    require(evicted == evicting_, "V8: a popped block loses its hash at that moment");
    evicting_.clear();
    counts.allocated += e.blocks.size();
  }
  void apply(const BlockCopied& e) {
    const BlockId fresh[] = {e.to};
    apply(BlocksAllocated{e.sequence, e.table, e.entry, fresh});
    require(references(e.from) > 1, "only a shared block is copied");
    --references_[e.from];
  }
  void apply(const BlocksAdopted& e) {
    require(found_.blocks == e.blocks.size() &&
                std::equal(e.blocks.begin(), e.blocks.end(), found_.by_group[e.table].begin()),
            "V6, V26: an admission takes the oldest blocks of the prefix that was found");
    for (const BlockId block : e.blocks) {
      if (block == null_block) continue;
      if (references(block) == 0) take_from_queue(block);
      ++references_[block];
    }
  }
  void apply(const BlocksCached& e) {
    for (std::size_t i = 0; i < e.blocks.size(); ++i) {
      const BlockId block = e.blocks[i];
      if (block == null_block) continue;
      require(!hashed(block), "a block was hashed twice");
      require(references(block) > 0, "a free block was hashed");
      const Content fresh =
          content(requests_.at(e.sequence), e.table, e.first_entry + static_cast<std::uint32_t>(i));
      contents_.emplace(block, fresh);
      by_content_[fresh].push_back(block);
      const std::uint32_t entry = e.first_entry + static_cast<std::uint32_t>(i);
      if (entry > 0 && !options_.groups[e.table].window)
        behind_.emplace(block, content(requests_.at(e.sequence), e.table, entry - 1));
    }
  }
  void apply(const BlocksReleased& e) {
    std::vector<BlockId> front;
    std::uint32_t freed = 0;
    for (auto block = e.blocks.rbegin(); block != e.blocks.rend(); ++block) {
      if (*block == null_block) continue;
      require(references(*block) > 0, "a free block was released");
      if (--references_[*block] > 0) continue;
      ++freed;
      const bool uncached_first = options_.free_order == FreeOrder::uncached_first ||
                                  options_.replacement || options_.tenant_quota_blocks > 0;
      const bool first = uncached_first && !hashed(*block);
      first ? front.push_back(*block) : free_.push_back(*block);
    }
    free_.insert(free_.begin(), front.begin(), front.end());
    require(freed == e.freed, "blocks that lost their last reference are free");
  }
  void apply(const PrefixLookedUp& e) {
    ++counts.lookups;
    found_ = find(requests_.at(e.sequence), e.known);
    if (!options_.lookup_after_preemption && preempted_.count(e.sequence) == 1) found_ = {};
    const std::uint32_t on_device = found_.blocks * options_.block_size;
    require(options_.host_blocks > 0 ? on_device <= e.hit : on_device == e.hit,
            "V13, V26: the longest prefix is found");
  }
  void apply(const RequestAdmitted& e) {
    if (e.restored > 0) return;  // not looked up
    counts.hit_tokens[e.again] += e.hit;
    counts.query_tokens += e.known;
  }
  void apply(const SequencePreempted& e) {
    ++counts.preemptions;
    preempted_.insert(e.sequence);
  }

  HashChainOptions options_;
  std::map<SequenceId, Request> requests_;
  std::list<BlockId> free_;
  std::map<BlockId, std::uint32_t> references_;
  std::map<BlockId, Content> contents_;
  std::map<Content, std::list<BlockId>> by_content_;
  std::map<BlockId, Content> behind_;  // what a hashed block stands behind
  bool chains_ = false;
  std::vector<BlockId> evicting_;
  std::set<SequenceId> preempted_;  // ever
  Found found_;
  std::optional<std::string> fault_;
};

}  // namespace vacancy::test
