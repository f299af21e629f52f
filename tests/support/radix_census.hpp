// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/radix_tools.hpp"

namespace vacancy::test {

/// Who holds parts of a radix cache, as the one who used it knows.
struct RadixHolders {
  std::vector<const RadixRequest*> requests;
  std::vector<RadixNodeId> locks;
};

/// Counts every slot and every lock from scratch. Returns what does not add up.
class RadixCensus {
 public:
  RadixCensus(const RadixCache& cache, const RadixHolders& holders, std::uint32_t alloc_page)
      : cache_(cache), tree_(cache.tree()), page_(alloc_page) {
    slots_.resize(cache.allocator().slots() + alloc_page, 0);
    visit(RadixTree::root(), {});
    for (const RadixRequest* request : holders.requests)
      visit(*request);
    for (const RadixNodeId lock : holders.locks)
      add_lock(lock);
    check_locks();
    check_pool();
  }

  const std::optional<std::string>& fault() const { return fault_; }

 private:
  void report(const std::string& what) {
    if (!fault_) fault_ = what;
  }

  void hold(std::uint32_t slot) {
    if (slot < page_ || slot >= slots_.size())
      report("slot " + std::to_string(slot) + " is not of the pool");
    else if (slots_[slot]++ > 0)
      report("slot " + std::to_string(slot) + " is held twice");
  }

  void visit(RadixNodeId id, std::vector<std::uint32_t> path) {
    const RadixNode& node = tree_.node(id);
    for (const std::uint32_t slot : flat(node.slots)) {
      hold(slot);
      path.push_back(slot);
    }
    for (const RadixNodeId child : children(tree_, id))
      visit(child, path);
    (node.lock_ref > 0 ? protected_ : evictable_) += node.slots.size();
    locks_[id] = 0;
    paths_[id] = std::move(path);
  }

  void visit(const RadixRequest& request) {
    const auto slots = flat(request.slots);
    for (std::size_t i = request.protected_tokens; i < slots.size(); ++i)
      hold(slots[i]);
    if (slots.size() < request.tokens.size()) report("a token of a request has no slot");
    if (!locks_.contains(request.node)) {
      report("a request holds a node that is not in the tree");
      return;
    }
    const auto& path = paths_[request.node];
    if (path.size() != request.protected_tokens ||
        !std::equal(path.begin(), path.end(), slots.begin()))
      report("a request's protected slots are not those of its node");
    add_lock(request.node);
  }

  void add_lock(RadixNodeId id) {
    for (; id != RadixTree::root(); id = tree_.node(id).parent)
      ++locks_[id];
  }

  void check_locks() {
    for (const auto& [id, count] : locks_)
      if (id != RadixTree::root() && tree_.node(id).lock_ref != count)
        report("node " + std::to_string(id.value()) + " has " +
               std::to_string(tree_.node(id).lock_ref) + " locks, its holders " +
               std::to_string(count));
    if (tree_.node(RadixTree::root()).lock_ref != 1) report("the root's own lock is off");
    if (evictable_ != tree_.evictable_tokens() || protected_ != tree_.protected_tokens())
      report("evictable or protected tokens are off");
  }

  void check_pool() {
    std::vector<std::uint32_t> pages(slots_.size() / page_, 0);
    for (std::size_t slot = page_; slot < slots_.size(); ++slot)
      if (slots_[slot] > 0) pages[slot / page_] = 1;
    for (const FreeList* list :
         {&cache_.allocator().free_list(), &cache_.allocator().release_list()})
      for (const std::uint32_t page : flat(*list)) {
        if (page == 0 || page >= pages.size())
          report("page " + std::to_string(page) + " is not of the pool");
        else if (pages[page]++ > 0)
          report("page " + std::to_string(page) + " is free twice, or free and held");
      }
    for (std::size_t page = 1; page < pages.size(); ++page)
      if (pages[page] == 0) report("page " + std::to_string(page) + " is lost");
  }

  const RadixCache& cache_;
  const RadixTree& tree_;
  std::uint32_t page_;  // of the allocator
  std::vector<std::uint32_t> slots_;
  std::map<RadixNodeId, std::uint32_t> locks_;
  std::map<RadixNodeId, std::vector<std::uint32_t>> paths_;
  std::uint64_t evictable_ = 0, protected_ = 0;
  std::optional<std::string> fault_;
};

}  // namespace vacancy::test
