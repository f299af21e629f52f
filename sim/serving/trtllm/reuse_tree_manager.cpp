// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/trtllm/reuse_tree_manager.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "sim/prefix/reuse_tree/capacity.hpp"
#include "sim/units/error.hpp"
#include "sim/units/overloaded.hpp"

namespace vacancy {

using reuse_tree::CapacityRequest;
using reuse_tree::NewContextBlock;
using reuse_tree::NewSequence;
using reuse_tree::RequestPhase;

reuse_tree::CacheOptions cache_options(const ReuseTreeOptions& options) {
  constexpr std::uint32_t longest = 1u << 30;
  reuse_tree::CacheOptions result;
  result.block_size = options.block_size;
  result.max_sequence_length = longest;
  result.windows = {{longest, {options.blocks, 0}}};
  result.contents = reuse_tree::ContentKind::keys;
  result.reuse = options.reuse;
  return result;
}

NewSequence as_prompt(const Request& request, std::uint32_t tokens, std::uint32_t block_size,
                      std::vector<std::uint64_t>& words) {
  const RequestContents& contents = request.contents;
  words.clear();
  const std::uint32_t blocks = std::min(contents.keyed_tokens, tokens) / block_size;
  for (std::uint32_t block = 0; block < blocks; ++block)
    words.push_back(block_content(request, block, block_size, 0, 1).key);
  return {request.id, reuse_tree::ContentSpace(contents.tenant), tokens, words, {}, {}};
}

ReuseTreeManager::ReuseTreeManager(const ReuseTreeOptions& options, vacancy::Observer& observer)
    : options_(options),
      observer_(observer),
      cache_(cache_options(options), this),
      hits_(options.blocks) {}

void ReuseTreeManager::begin_step() {
  new_blocks_.reset();
}

bool ReuseTreeManager::postpones(const Request& request, std::uint32_t known) {
  if (!options_.reuse || options_.capacity == CapacityPolicy::static_batch) return false;
  if (!new_blocks_) {
    new_blocks_.emplace();
    for (const auto& [id, running] : running_)
      if (running.prefilling)
        if (const auto block = cache_.find_new_context_block(id)) new_blocks_->push_back(*block);
  }
  const auto own =
      cache_.find_new_context_block(as_prompt(request, known, options_.block_size, words_));
  if (!own) return false;
  if (std::find(new_blocks_->begin(), new_blocks_->end(), *own) != new_blocks_->end()) return true;
  new_blocks_->push_back(*own);
  return false;
}

std::uint32_t ReuseTreeManager::lookup(const Request& request, std::uint32_t known) {
  return cache_.reusable_tokens(as_prompt(request, known, options_.block_size, words_));
}

std::uint64_t ReuseTreeManager::reserved() const {
  std::uint64_t blocks = 0;
  for (const auto& [id, running] : running_) {
    const std::span<const BlockId> held = cache_.table(id, 0).held();
    CapacityRequest view;
    view.phase = running.prefilling ? RequestPhase::prefilling : RequestPhase::decoding;
    view.prompt_tokens = running.prompt;
    view.new_tokens = running.final_length - running.prompt;
    view.held = std::span(&held, 1);
    blocks += blocks_to_completion(view, 0, window());
  }
  return blocks;
}

bool ReuseTreeManager::fits(const Request& request, std::uint32_t known) const {
  CapacityRequest view;
  view.prompt_tokens = known;
  view.new_tokens = request.prompt_tokens + request.output_tokens - known;
  switch (options_.capacity) {
    case CapacityPolicy::max_utilization:
      return blocks_for_steps(view, window(), 1) <= free_blocks();
    case CapacityPolicy::static_batch:
      for (const auto& [id, running] : running_)
        if (!running.prefilling) return false;
      break;
    case CapacityPolicy::guaranteed_no_evict:
      break;
  }
  return blocks_to_completion(view, 0, window()) + reserved() <= free_blocks();
}

bool ReuseTreeManager::admit(const Request& request, std::uint32_t known, std::uint32_t count,
                             bool /*others_run*/) {
  if (!fits(request, known)) return false;
  observer_.on_event(SequenceStarted{request.id, request.prompt_tokens});
  const auto hit = cache_.add(as_prompt(request, known, options_.block_size, words_));
  VACANCY_ASSERT(hit.has_value(), "a prompt that fits gets its blocks");
  tell_adopted(request.id);
  running_[request.id] = {known, request.prompt_tokens + request.output_tokens, *hit + count, true};
  observer_.on_event(TokensAppended{request.id, 0, *hit + count});
  peak_blocks_ = std::max<std::uint64_t>(peak_blocks_, used_blocks());
  return true;
}

bool ReuseTreeManager::extend(const Request& request, std::uint32_t computed, std::uint32_t count,
                              std::uint32_t /*known*/) {
  while (cache_.slots(request.id) < computed + count)
    if (!cache_.add_slot(request.id)) return false;
  running_.at(request.id).computed = computed + count;
  observer_.on_event(TokensAppended{request.id, computed, count});
  peak_blocks_ = std::max<std::uint64_t>(peak_blocks_, used_blocks());
  return true;
}

void ReuseTreeManager::produced(const Request& request, std::uint32_t /*known*/) {
  Running& own = running_.at(request.id);
  if (own.prefilling) {
    cache_.store_context(request.id);
    cache_.add_token(request.id);
    own.prefilling = false;
  } else {
    cache_.add_token(request.id);
    cache_.store_new_block(request.id);
  }
}

void ReuseTreeManager::release(const Request& request, bool keep, FreeCause cause) {
  const auto held = cache_.table(request.id, 0).held();
  let_go_.assign(held.begin(), held.end());
  entries_.resize(let_go_.size());
  std::iota(entries_.begin(), entries_.end(), 0u);
  freed_ = 0;
  cache_.release(request.id, keep);
  running_.erase(request.id);
  observer_.on_event(BlocksReleased{request.id, 0, cause, true, entries_, let_go_, freed_});
}

void ReuseTreeManager::preempt(const Request& request) {
  release(request, !running_.at(request.id).prefilling, FreeCause::preemption);
  observer_.on_event(SequencePreempted{request.id});
}

void ReuseTreeManager::finish(const Request& request) {
  release(request, !running_.at(request.id).prefilling, FreeCause::sequence_end);
  observer_.on_event(SequenceFinished{request.id});
}

double ReuseTreeManager::usage() const {
  return static_cast<double>(used_blocks()) / static_cast<double>(options_.blocks);
}

CacheGauges ReuseTreeManager::gauges() const {
  CacheGauges gauges;
  gauges.held_blocks = used_blocks();
  gauges.peak_held_blocks = peak_blocks_;
  gauges.shared_blocks = window().shared_blocks();
  gauges.saved_blocks = window().saved_blocks();
  gauges.slots.held = gauges.held_blocks * options_.block_size;
  for (const auto& [id, running] : running_)
    gauges.slots.tail += cache_.table(id, 0).held().size() * options_.block_size - running.computed;
  gauges.slots.live = gauges.slots.held - gauges.slots.tail;
  return gauges;
}

std::vector<SharingNode> ReuseTreeManager::sharing() const {
  const reuse_tree::ReuseTree& tree = window().tree();
  std::vector<std::uint32_t> place(options_.blocks, no_sharing_parent);
  for (std::uint32_t id = 0, nodes = 0; id < options_.blocks; ++id)
    if (tree.stored(BlockId(id))) place[id] = nodes++;
  std::vector<SharingNode> result;
  for (std::uint32_t id = 0; id < options_.blocks; ++id) {
    if (place[id] == no_sharing_parent) continue;
    const BlockId parent = tree.parent(BlockId(id));
    result.push_back({parent == tree.root() ? no_sharing_parent : place[parent.value()], 1,
                      window().references(BlockId(id)), hits_[id]});
  }
  return result;
}

void ReuseTreeManager::tell_adopted(SequenceId id) {
  if (adopted_.empty()) return;
  observer_.on_event(BlocksAdopted{id, 0, adopted_});
  adopted_.clear();
}

void ReuseTreeManager::on_event(std::uint32_t /*window*/, const reuse_tree::Event& event) {
  const auto tell_removed = [&](UncacheCause cause) {
    if (removed_.empty()) return;
    observer_.on_event(BlocksUncached{removed_, cause});
    removed_.clear();
  };
  const auto tell_allocated = [&](SequenceId id, BlockId block, std::size_t entry) {
    tell_removed(UncacheCause::allocation);
    tell_adopted(id);
    observer_.on_event(
        BlocksAllocated{id, 0, static_cast<std::uint32_t>(entry), std::span(&block, 1)});
  };
  std::visit(
      Overloaded{
          [&](const reuse_tree::BlockRemoved& e) { removed_.push_back(e.block); },
          [&](const reuse_tree::BlockReused& e) {
            tell_removed(UncacheCause::rewrite);  // a leaf that is reused in part
            adopted_.push_back(e.block);
            if (window().tree().stored(e.block)) ++hits_[e.block.value()];
          },
          [&](const reuse_tree::BlockStored& e) { hits_[e.block.value()] = 0; },
          // The block is in the table when it was allocated, and joins it when it was copied.
          [&](const reuse_tree::BlockAllocated& e) {
            tell_allocated(e.sequence, e.block, cache_.table(e.sequence, 0).blocks.size() - 1);
          },
          [&](const reuse_tree::BlockCopied& e) {
            tell_allocated(e.sequence, e.to, cache_.table(e.sequence, 0).blocks.size());
          },
          [&](const reuse_tree::BlockReleased&) { ++freed_; },
          [](const auto&) {},
      },
      event);
}

}  // namespace vacancy
