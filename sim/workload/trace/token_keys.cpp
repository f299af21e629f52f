// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/token_keys.hpp"

#include <algorithm>
#include <limits>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr std::uint64_t no_parent = std::numeric_limits<std::uint64_t>::max();

/// FNV-1a over words (Fowler, Noll, Vo). Only finds candidates, which are compared in full.
std::uint64_t hash_of(std::uint64_t parent, std::span<const std::uint32_t> block) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t hash = (0xcbf29ce484222325 ^ parent) * prime;
  for (const std::uint32_t token : block)
    hash = (hash ^ token) * prime;
  return hash ^ hash >> 32;
}

class KeyedByTokens final : public TraceReader {
 public:
  KeyedByTokens(std::unique_ptr<TraceReader> trace, std::uint32_t block_size)
      : trace_(std::move(trace)), info_(trace_->info()), numbers_(block_size) {
    VACANCY_ASSERT(info_.token_ids, "keys are made from token ids");
    info_.block_size = block_size;
  }
  const TraceInfo& info() const override { return info_; }
  bool next(TraceRequest& request) override {
    if (!trace_->next(request)) return false;
    request.block_keys.clear();
    numbers_.append_keys(request.prompt_ids, request.block_keys);
    return true;
  }

 private:
  std::unique_ptr<TraceReader> trace_;
  TraceInfo info_;
  TokenBlockNumbers numbers_;
};

}  // namespace

void TokenBlockNumbers::append_keys(std::span<const std::uint32_t> tokens,
                                    std::vector<std::uint64_t>& keys) {
  std::uint64_t parent = no_parent;
  for (; tokens.size() >= block_size_; tokens = tokens.subspan(block_size_)) {
    parent = number(parent, tokens.first(block_size_));
    keys.push_back(parent);
  }
}

std::uint64_t TokenBlockNumbers::number(std::uint64_t parent,
                                        std::span<const std::uint32_t> block) {
  const std::uint64_t hash = hash_of(parent, block);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto candidate = first; candidate != last; ++candidate) {
    const std::uint64_t known = candidate->second;
    if (parents_[known] == parent &&
        std::equal(block.begin(), block.end(),
                   tokens_.begin() + static_cast<std::ptrdiff_t>(known * block_size_)))
      return known;
  }
  const std::uint64_t added = parents_.size();
  parents_.push_back(parent);
  tokens_.insert(tokens_.end(), block.begin(), block.end());
  by_hash_.emplace(hash, added);
  return added;
}

std::unique_ptr<TraceReader> with_token_keys(std::unique_ptr<TraceReader> trace,
                                             std::uint32_t block_size) {
  return std::make_unique<KeyedByTokens>(std::move(trace), block_size);
}

}  // namespace vacancy
