// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reuse_tree/capacity.hpp"

#include <algorithm>
#include <unordered_set>

namespace vacancy::reuse_tree {

namespace {

std::uint32_t blocks_for(std::uint32_t tokens, const WindowBlockManager& manager) {
  const std::uint32_t block_size = manager.config().block_size;
  return tokens / block_size + (tokens % block_size != 0 ? 1 : 0);
}

struct Spread {
  std::size_t operator()(const NewContextBlock& block) const {
    return bucket_hash(block.contents) * 31 + block.parent.value();
  }
};

/// The blocks that requests before are about to create (only membership is asked).
class NewBlocks {
 public:
  NewBlocks(std::span<const CapacityRequest> requests, std::span<const WindowBlockManager> windows)
      : relevant_(windows.size() == 1) {
    for (const CapacityRequest& request : requests)
      if (relevant_ && request.phase == RequestPhase::prefilling && request.new_block)
        blocks_.insert(*request.new_block);
  }

  /// Whether a request had better wait; if not, its own new block counts from now on.
  bool worth_waiting(const CapacityRequest& request) {
    return relevant_ && request.phase == RequestPhase::waiting && request.new_block &&
           !blocks_.insert(*request.new_block).second;
  }

 private:
  bool relevant_;
  std::unordered_set<NewContextBlock, Spread> blocks_;
};

/// Blocks of each window size that nothing scheduled so far will need.
class Reserve {
 public:
  explicit Reserve(std::span<const WindowBlockManager> windows) : windows_(windows) {
    for (const WindowBlockManager& window : windows)
      free_.push_back(spare_blocks(window));
  }

  bool fits(const CapacityRequest& request) const {
    for (std::uint32_t i = 0; i < free_.size(); ++i)
      if (blocks_to_completion(request, i, windows_[i]) > free_[i]) return false;
    return true;
  }
  /// What decodes may need more than there is: it then leaves nothing to others.
  void take(const CapacityRequest& request) {
    for (std::uint32_t i = 0; i < free_.size(); ++i)
      free_[i] -= blocks_to_completion(request, i, windows_[i]);
  }

 private:
  std::span<const WindowBlockManager> windows_;
  std::vector<std::int64_t> free_;
};

CapacityChoice admit_to_completion(std::span<const CapacityRequest> requests,
                                   std::span<const WindowBlockManager> windows,
                                   std::uint32_t most_requests, bool static_batch) {
  CapacityChoice choice;
  Reserve reserve(windows);
  std::vector<std::uint32_t> pending;
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    if (choice.scheduled.size() >= most_requests) break;
    if (requests[i].phase != RequestPhase::decoding) {
      pending.push_back(i);
      continue;
    }
    choice.scheduled.push_back(i);
    reserve.take(requests[i]);
  }
  if (static_batch && !choice.scheduled.empty()) return choice;

  NewBlocks new_blocks(requests, windows);
  for (const std::uint32_t i : pending) {
    if (!static_batch && new_blocks.worth_waiting(requests[i])) continue;
    if (choice.scheduled.size() >= most_requests || !reserve.fits(requests[i])) break;
    choice.scheduled.push_back(i);
    reserve.take(requests[i]);
  }
  return choice;
}

/// Counts the blocks that come free as requests let go of theirs one after the other: a shared
/// block does with its last holder.
class Releases {
 public:
  explicit Releases(std::span<const WindowBlockManager> windows)
      : windows_(windows), let_go_(windows.size()) {}

  std::uint32_t release(const CapacityRequest& request, std::uint32_t window) {
    if (window >= request.held.size()) return 0;
    std::vector<std::uint32_t>& let_go = let_go_[window];
    let_go.resize(windows_[window].blocks(), 0);
    std::uint32_t freed = 0;
    for (const BlockId block : request.held[window])
      if (++let_go[block.value()] == windows_[window].references(block)) ++freed;
    return freed;
  }

 private:
  std::span<const WindowBlockManager> windows_;
  std::vector<std::vector<std::uint32_t>> let_go_;
};

}  // namespace

std::uint32_t blocks_to_completion(const CapacityRequest& request, std::uint32_t window,
                                   const WindowBlockManager& manager) {
  const WindowConfig& config = manager.config();
  const std::uint32_t tokens = request.prompt_tokens + request.new_tokens;
  std::uint32_t most = blocks_for(tokens, manager);
  if (tokens > config.window) {
    most = std::min(most, blocks_for(config.window - 1, manager) + 1);
    if (request.phase == RequestPhase::waiting)
      most = std::max(most, blocks_for(request.prompt_tokens, manager));
  }
  const std::size_t held = window < request.held.size() ? request.held[window].size() : 0;
  return most > held ? most - static_cast<std::uint32_t>(held) : 0;
}

std::int64_t spare_blocks(const WindowBlockManager& manager) {
  const std::uint64_t hidden = manager.config().sliding ? manager.saved_blocks() : 0;
  return std::int64_t{manager.free_blocks()} - static_cast<std::int64_t>(hidden);
}

std::uint32_t blocks_for_steps(const CapacityRequest& request, const WindowBlockManager& manager,
                               std::uint32_t steps) {
  switch (request.phase) {
    case RequestPhase::waiting:
      return blocks_for(request.prompt_tokens, manager);
    case RequestPhase::prefilling:
      return 0;
    case RequestPhase::decoding:
      break;
  }
  const std::uint32_t last = request.prompt_tokens + request.new_tokens;
  const std::uint32_t next = std::max(request.slots, std::min(request.slots + steps, last));
  return blocks_for(next, manager) - blocks_for(request.slots, manager);
}

CapacityChoice guaranteed_no_evict(std::span<const CapacityRequest> requests,
                                   std::span<const WindowBlockManager> windows,
                                   std::uint32_t most_requests) {
  return admit_to_completion(requests, windows, most_requests, false);
}

CapacityChoice static_batch(std::span<const CapacityRequest> requests,
                            std::span<const WindowBlockManager> windows,
                            std::uint32_t most_requests) {
  return admit_to_completion(requests, windows, most_requests, true);
}

CapacityChoice max_utilization(std::span<const CapacityRequest> requests,
                               std::span<const WindowBlockManager> windows,
                               std::uint32_t most_requests, std::uint32_t steps) {
  CapacityChoice choice;
  NewBlocks new_blocks(requests, windows);
  Releases releases(windows);
  std::vector<std::uint64_t> free;
  for (const WindowBlockManager& window : windows)
    free.push_back(window.free_blocks());
  const auto schedule = [&](const CapacityRequest& request) {
    if (choice.scheduled.size() >= most_requests) return false;
    for (std::size_t i = 0; i < windows.size(); ++i)
      if (blocks_for_steps(request, windows[i], steps) > free[i]) return false;
    for (std::size_t i = 0; i < windows.size(); ++i)
      free[i] -= blocks_for_steps(request, windows[i], steps);
    return true;
  };

  auto end = static_cast<std::uint32_t>(requests.size());
  for (std::uint32_t i = 0; i < end;) {
    if (new_blocks.worth_waiting(requests[i])) {
      ++i;
    } else if (schedule(requests[i])) {
      choice.scheduled.push_back(i++);
    } else {
      std::uint32_t last = end;
      while (last > i && requests[last - 1].phase == RequestPhase::waiting)
        --last;
      if (last == i) break;
      end = last - 1;
      choice.paused.push_back(end);
      for (std::uint32_t w = 0; w < windows.size(); ++w)
        free[w] += releases.release(requests[end], w);
    }
  }
  return choice;
}

}  // namespace vacancy::reuse_tree
