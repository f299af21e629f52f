// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/contiguous/contiguous_manager.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

std::uint64_t final_tokens(const Request& request) {
  return std::uint64_t{request.prompt_tokens} + request.output_tokens;
}

}  // namespace

ContiguousManager::ContiguousManager(const ContiguousOptions& options,
                                     std::uint32_t max_sequence_tokens, Observer& observer)
    : options_(options),
      max_sequence_tokens_(max_sequence_tokens),
      observer_(observer),
      allocator_(options.blocks),
      pool_(options.block_size, options.blocks) {}

std::uint64_t ContiguousManager::reservation(const Request& request) const {
  std::uint64_t tokens = max_sequence_tokens_;
  if (options_.reservation == Reservation::pow2)
    tokens = std::min<std::uint64_t>(
        tokens, request.prompt_tokens + std::bit_ceil(std::uint64_t{request.output_tokens}));
  else if (options_.reservation == Reservation::oracle)
    tokens = final_tokens(request);
  const std::uint64_t b = options_.block_size;
  return (tokens + b - 1) / b * b;
}

bool ContiguousManager::fits(const Request& request) const {
  return final_tokens(request) <= max_sequence_tokens_ &&
         reservation(request) / options_.block_size <= allocator_.largest_free();
}

bool ContiguousManager::admit(const Request& request, std::uint32_t, std::uint32_t count, bool) {
  if (!fits(request)) return false;
  if (runs_.size() <= request.id.value()) runs_.resize(request.id.value() + 1);
  Run& run = runs_[request.id.value()];
  run.reserved = reservation(request);
  run.ends_at = final_tokens(request);
  const auto asked = static_cast<std::uint32_t>(run.reserved / options_.block_size);
  run.first = *allocator_.allocate(asked);
  run.blocks = BuddyAllocator::granted(asked);
  reserved_ += run.reserved;
  ends_ += run.ends_at;

  blocks_.clear();
  for (std::uint32_t block = run.first; block < run.first + run.blocks; ++block) {
    blocks_.emplace_back(block);
    pool_.add_reference(BlockId(block));
  }
  observer_.on_event(SequenceStarted{request.id, request.prompt_tokens});
  observer_.on_event(BlocksAllocated{request.id, 0, 0, blocks_});
  append(request, count);
  return true;
}

bool ContiguousManager::extend(const Request& request, std::uint32_t, std::uint32_t count,
                               std::uint32_t) {
  append(request, count);
  return true;
}

void ContiguousManager::append(const Request& request, std::uint32_t count) {
  Run& run = runs_[request.id.value()];
  const std::uint32_t b = options_.block_size, first = run.tokens, end = first + count;
  VACANCY_ASSERT(end <= run.ends_at, "a request stays within what it reserved");
  for (std::uint32_t slot = first; slot < end;) {
    const std::uint32_t offset = slot % b, here = std::min(end - slot, b - offset);
    pool_.write(BlockId(run.first + slot / b), offset, offset + here, 1);
    slot += here;
  }
  run.tokens = end;
  if (count > 0) observer_.on_event(TokensAppended{request.id, first, count});
}

void ContiguousManager::release(const Request& request, FreeCause cause) {
  Run& run = runs_[request.id.value()];
  blocks_.clear();
  for (std::uint32_t block = run.first; block < run.first + run.blocks; ++block) {
    if (pool_.fill(BlockId(block)) > 0) pool_.drop_holders(BlockId(block), 1);
    blocks_.emplace_back(block);
  }
  entries_.resize(run.blocks);
  std::iota(entries_.begin(), entries_.end(), 0u);
  const std::uint32_t freed = pool_.release(blocks_);
  allocator_.release(run.first);
  reserved_ -= run.reserved;
  ends_ -= run.ends_at;
  run = {};
  observer_.on_event(BlocksReleased{request.id, 0, cause, true, entries_, blocks_, freed});
}

void ContiguousManager::preempt(const Request& request) {
  release(request, FreeCause::preemption);
  observer_.on_event(SequencePreempted{request.id});
}

void ContiguousManager::finish(const Request& request) {
  release(request, FreeCause::sequence_end);
  observer_.on_event(SequenceFinished{request.id});
}

double ContiguousManager::usage() const {
  return static_cast<double>(used_blocks()) / static_cast<double>(options_.blocks);
}

ContiguousUse ContiguousManager::use() const {
  const std::uint64_t b = options_.block_size, live = pool_.slots().live;
  return {live, ends_ - live, reserved_ - ends_, pool_.slots().held - reserved_, b * free_blocks()};
}

}  // namespace vacancy
