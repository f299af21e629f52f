// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "sim/serving/cache_manager.hpp"

namespace vacancy::bench {

/// What one would write first: a std::list of free blocks, a std::unordered_map from contents to
/// blocks, a std::vector a table. The rules of vllm-main-2026-08 with one group: the counts are the
/// same.
class ListManager final : public CacheManager {
 public:
  ListManager(std::uint32_t block_size, std::uint32_t blocks)
      : block_size_(block_size), blocks_(blocks), place_(blocks) {
    for (std::uint32_t block = 0; block < blocks; ++block)
      place_[block] = free_.insert(free_.end(), block);
  }

  std::uint64_t allocated = 0, evicted = 0, hits = 0;

  std::uint32_t lookup(const Request& request, std::uint32_t known) override {
    found_.clear();
    for (std::uint32_t block = 0; block < (known - 1) / block_size_; ++block) {
      const auto cached = cached_.find(block_content(request, block, block_size_, 0, 1));
      if (cached == cached_.end()) break;
      found_.push_back(cached->second.front());
    }
    return static_cast<std::uint32_t>(found_.size()) * block_size_;
  }
  bool admit(const Request& request, std::uint32_t known, std::uint32_t count, bool) override {
    std::size_t from_queue = 0;
    for (const std::uint32_t block : found_)
      from_queue += blocks_[block].references == 0;
    if (blocks_of(known) - found_.size() + from_queue > free_.size()) return false;
    std::vector<std::uint32_t>& table = tables_[request.id.value()];
    table = found_;
    hits += found_.size();
    for (const std::uint32_t block : found_)
      if (blocks_[block].references++ == 0) free_.erase(place_[block]);
    const auto hit = static_cast<std::uint32_t>(found_.size());
    grow(table, blocks_of(hit * block_size_ + count));
    cache(request, table, hit, std::min(hit * block_size_ + count, known) / block_size_);
    return true;
  }
  bool extend(const Request& request, std::uint32_t computed, std::uint32_t count,
              std::uint32_t known) override {
    std::vector<std::uint32_t>& table = tables_[request.id.value()];
    const std::uint32_t needed = blocks_of(computed + count);
    if (needed > table.size() && needed - table.size() > free_.size()) return false;
    grow(table, needed);
    cache(request, table, computed / block_size_, std::min(computed + count, known) / block_size_);
    return true;
  }
  void preempt(const Request& request) override { finish(request); }
  void finish(const Request& request) override {
    const std::vector<std::uint32_t>& table = tables_[request.id.value()];
    std::list<std::uint32_t> uncached;
    for (auto block = table.rbegin(); block != table.rend(); ++block) {
      if (--blocks_[*block].references > 0) continue;
      auto& queue = blocks_[*block].cached ? free_ : uncached;
      place_[*block] = queue.insert(queue.end(), *block);
    }
    free_.splice(free_.begin(), uncached);
    tables_.erase(request.id.value());
  }
  std::uint32_t context(const Request&) const override { return 0; }
  std::uint32_t used_blocks() const override {
    return static_cast<std::uint32_t>(blocks_.size() - free_.size());
  }
  std::uint32_t free_blocks() const override { return static_cast<std::uint32_t>(free_.size()); }
  double usage() const override { return 0; }
  CacheGauges gauges() const override { return {}; }
  const KvCache* cache() const override { return nullptr; }
  KvCache* cache() override { return nullptr; }

 private:
  struct Block {
    std::uint32_t references = 0;
    bool cached = false;
    ContentId content;
  };
  struct Hash {
    std::size_t operator()(const ContentId& id) const {
      return std::hash<std::uint64_t>()(id.key * 0x9E3779B97F4A7C15u + id.index * 31 + id.space);
    }
  };
  std::uint32_t blocks_of(std::uint32_t tokens) const {
    return (tokens + block_size_ - 1) / block_size_;
  }
  void grow(std::vector<std::uint32_t>& table, std::uint32_t size) {
    while (table.size() < size) {
      const std::uint32_t block = free_.front();
      free_.pop_front();
      ++allocated;
      if (blocks_[block].cached) {
        ++evicted;
        const auto entry = cached_.find(blocks_[block].content);
        entry->second.remove(block);
        if (entry->second.empty()) cached_.erase(entry);
      }
      blocks_[block] = {1, false, {}};
      table.push_back(block);
    }
  }
  void cache(const Request& request, const std::vector<std::uint32_t>& table, std::uint32_t first,
             std::uint32_t last) {
    for (std::uint32_t entry = first; entry < last; ++entry) {
      Block& block = blocks_[table[entry]];
      if (block.cached) continue;
      block.cached = true;
      block.content = block_content(request, entry, block_size_, 0, 1);
      cached_[block.content].push_back(table[entry]);
    }
  }

  std::uint32_t block_size_;
  std::vector<Block> blocks_;
  std::list<std::uint32_t> free_;
  std::vector<std::list<std::uint32_t>::iterator> place_;
  std::unordered_map<ContentId, std::list<std::uint32_t>, Hash> cached_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> tables_;
  std::vector<std::uint32_t> found_;
};

}  // namespace vacancy::bench
