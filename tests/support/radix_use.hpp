// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "sim/prefix/radix/radix_cache.hpp"
#include "tests/support/radix_census.hpp"

namespace vacancy::test {

struct RadixUseOptions {
  RadixCacheOptions cache;
  std::uint32_t slots = 0;
  bool paged = false, need_sort = false;
  /// Spell contents out as tokens of a vocabulary instead of runs of a content.
  bool spelled_out = false;
};

/// Random operations on a radix cache, a function of the seed alone. Sequences are made of a few
/// contents, so that they share prefixes and part inside of segments.
class RadixUse {
 public:
  RadixUse(const RadixUseOptions& options, std::uint32_t seed)
      : options_(options), random_(seed), cache_(options.cache, make_allocator(options)) {}

  RadixCache& cache() { return cache_; }
  const RadixCache& cache() const { return cache_; }
  std::uint32_t alloc_page() const { return options_.paged ? options_.cache.page_size : 1; }

  RadixHolders holders() const {
    RadixHolders holders{{}, locks_};
    for (const auto& request : requests_)
      holders.requests.push_back(request.get());
    return holders;
  }
  std::optional<std::string> fault() const {
    return RadixCensus(cache_, holders(), alloc_page()).fault();
  }

  /// One operation. Returns a number that stands for its outcome.
  std::uint64_t step() {
    const std::uint32_t choice = below(100);
    if (choice < 25) return store();
    if (choice < 30) return cache_.tree().match(space(), sequence()).tokens;
    if (choice < 35) return lock();
    if (choice < 40) return unlock();
    if (choice < 55) return begin();
    if (choice < 75) return extend();
    if (choice < 83) return unfinished();
    if (choice < 93) return finish();
    return cache_.evict(below(options_.slots / 3));
  }

  /// Gives up all that is held.
  void release() {
    while (!requests_.empty())
      finish();
    while (!locks_.empty())
      unlock();
  }

 private:
  static std::unique_ptr<SlotAllocator> make_allocator(const RadixUseOptions& options) {
    if (!options.paged)
      return std::make_unique<TokenSlotAllocator>(options.slots, options.need_sort);
    return std::make_unique<PagedSlotAllocator>(options.slots, options.cache.page_size,
                                                options.need_sort);
  }

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  NamespaceId space() { return NamespaceId(below(8) == 0 ? 1 : 0); }
  RadixTree::Insertion insertion() { return {static_cast<std::int32_t>(below(3)), below(4) == 0}; }

  void append_content(TokenRuns& to, std::uint32_t content, std::uint32_t count) const {
    if (!options_.spelled_out) return to.append(trace_block(content, count));
    for (std::uint32_t i = 0; i < count; ++i)
      to.append(token(content * options_.slots + i));
  }
  TokenRuns sequence(std::uint32_t most_pieces = 4) {
    TokenRuns tokens;
    const std::uint32_t pieces = below(most_pieces) + 1;
    for (std::uint32_t i = 0; i < pieces; ++i)
      append_content(tokens, below(3), below(options_.slots / 12) + 1);
    return tokens;
  }

  std::uint64_t store() {
    const NamespaceId where = space();
    const TokenRuns tokens = sequence();
    const auto stored = cache_.store(where, tokens, insertion());
    if (!stored.ok) cache_.make_room(tokens.size());
    return stored.matched * 2 + stored.ok;
  }

  std::uint64_t lock() {
    if (locks_.size() >= 3) return unlock();
    const NamespaceId where = space();
    const RadixMatch match = cache_.tree().match(where, sequence());
    cache_.tree().lock(match.node);
    if (match.node != RadixTree::root()) locks_.push_back(match.node);
    return match.tokens;
  }
  std::uint64_t unlock() {
    if (locks_.empty()) return 0;
    const std::size_t index = below(static_cast<std::uint32_t>(locks_.size()));
    cache_.tree().unlock(locks_[index]);
    locks_.erase(locks_.begin() + static_cast<std::ptrdiff_t>(index));
    return 1;
  }

  std::uint64_t begin() {
    if (requests_.size() >= 6) return finish();
    auto request = std::make_unique<RadixRequest>();
    request->name_space = space();
    request->priority = static_cast<std::int32_t>(below(3));
    request->tokens = sequence();
    const auto begun = cache_.begin(*request);
    if (begun.ok) requests_.push_back(std::move(request));
    return begun.matched * 2 + begun.ok;
  }
  std::uint64_t extend() {
    if (requests_.empty()) return 0;
    RadixRequest& request = *requests_[pick()];
    if (below(8) == 0 && !cache_.allocate(request, below(4))) return 2;
    return cache_.extend(request, sequence(1));
  }
  std::uint64_t unfinished() {
    if (requests_.empty()) return 0;
    RadixRequest& request = *requests_[pick()];
    cache_.unfinished(request, below(2) == 0);
    return request.protected_tokens;
  }
  std::uint64_t finish() {
    if (requests_.empty()) return 0;
    const std::size_t index = pick();
    cache_.finish(*requests_[index], below(4) != 0);
    requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(index));
    return 1;
  }
  std::size_t pick() { return below(static_cast<std::uint32_t>(requests_.size())); }

  RadixUseOptions options_;
  std::mt19937 random_;
  RadixCache cache_;
  std::vector<std::unique_ptr<RadixRequest>> requests_;
  std::vector<RadixNodeId> locks_;
};

}  // namespace vacancy::test
