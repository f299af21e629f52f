// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/trtllm/reuse_tree_manager.hpp"

#include <algorithm>
#include <utility>

#include "sim/prefix/reuse_tree/capacity.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

using reuse_tree::CapacityRequest;
using reuse_tree::RequestPhase;
using reuse_tree::WindowBlockManager;

ReuseTreeManager::ReuseTreeManager(const ReuseTreeOptions& options, vacancy::Observer& observer)
    : options_(options),
      retention_(retention_of(options.retention)),
      observer_(observer),
      events_(cache_, observer),
      cache_(cache_options(options), &events_),
      use_(options, cache_) {
  events_.start();
}

void ReuseTreeManager::begin_step() {
  cache_.refresh();
  new_blocks_.reset();
}

bool ReuseTreeManager::postpones(const Request& request, std::uint32_t known) {
  if (!options_.reuse || options_.capacity == CapacityPolicy::static_batch) return false;
  if (cache_.windows().size() > 1) return false;  // as in the engine
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

bool ReuseTreeManager::fits_to_completion(const CapacityRequest& request) {
  const std::span<const WindowBlockManager> windows = cache_.windows();
  spare_.clear();
  for (std::uint32_t i = 0; i < windows.size(); ++i)
    spare_.push_back(spare_blocks(windows[i]) - blocks_to_completion(request, i, windows[i]));
  for (const auto& [id, running] : running_) {
    held_.clear();
    for (std::uint32_t i = 0; i < windows.size(); ++i)
      held_.push_back(cache_.table(id, i).held());
    CapacityRequest view;
    view.phase = running.prefilling ? RequestPhase::prefilling : RequestPhase::decoding;
    view.prompt_tokens = running.prompt;
    view.new_tokens = running.final_length - running.prompt;
    view.held = held_;
    for (std::uint32_t i = 0; i < windows.size(); ++i)
      spare_[i] -= blocks_to_completion(view, i, windows[i]);
  }
  return std::all_of(spare_.begin(), spare_.end(), [](std::int64_t blocks) { return blocks >= 0; });
}

bool ReuseTreeManager::fits(const Request& request, std::uint32_t known) {
  CapacityRequest view;
  view.prompt_tokens = known;
  view.new_tokens = request.prompt_tokens + request.output_tokens - known;
  switch (options_.capacity) {
    case CapacityPolicy::max_utilization:
      for (const WindowBlockManager& window : cache_.windows())
        if (blocks_for_steps(view, window, 1) > window.free_blocks()) return false;
      return true;
    case CapacityPolicy::static_batch:
      for (const auto& [id, running] : running_)
        if (!running.prefilling) return false;
      break;
    case CapacityPolicy::guaranteed_no_evict:
      break;
  }
  return fits_to_completion(view);
}

bool ReuseTreeManager::admit(const Request& request, std::uint32_t known, std::uint32_t count,
                             bool /*others_run*/) {
  if (!fits(request, known)) return false;
  observer_.on_event(SequenceStarted{request.id, request.prompt_tokens});
  reuse_tree::NewSequence prompt = as_prompt(request, known, options_.block_size, words_);
  prompt.retention = retention_;
  const auto hit = cache_.add(prompt);
  VACANCY_ASSERT(hit.has_value(), "a prompt that fits gets its blocks");
  events_.added(request.id);
  running_[request.id] = {known, request.prompt_tokens + request.output_tokens, *hit, *hit + count,
                          true};
  observer_.on_event(TokensAppended{request.id, 0, *hit + count});
  use_.note();
  return true;
}

std::uint32_t ReuseTreeManager::taken(const Request& request, std::uint32_t /*found*/) const {
  return running_.at(request.id).hit;
}

HostTraffic ReuseTreeManager::take_host_traffic() {
  if (!options_.has_host_memory()) return {};
  const HostTraffic before = std::exchange(host_traffic_, use_.host_traffic());
  return {Bytes(0), host_traffic_.written_back - before.written_back,
          host_traffic_.loaded - before.loaded};
}

bool ReuseTreeManager::extend(const Request& request, std::uint32_t computed, std::uint32_t count,
                              std::uint32_t /*known*/) {
  while (cache_.slots(request.id) < computed + count) {
    if (!cache_.add_slot(request.id)) return false;
    events_.extended();
  }
  running_.at(request.id).computed = computed + count;
  observer_.on_event(TokensAppended{request.id, computed, count});
  use_.note();
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
  events_.about_to_release(request.id);
  cache_.release(request.id, keep);
  running_.erase(request.id);
  events_.released(cause);
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
  return static_cast<double>(used_blocks()) / static_cast<double>(use_.blocks());
}

CacheGauges ReuseTreeManager::gauges() const {
  CacheGauges gauges;
  gauges.held_blocks = used_blocks();
  gauges.peak_held_blocks = use_.peak_blocks();
  gauges.peak_held_bytes = use_.peak_bytes();
  for (const WindowBlockManager& window : cache_.windows()) {
    gauges.shared_blocks += window.shared_blocks();
    gauges.saved_blocks += window.saved_blocks();
    const reuse_tree::Counters& counters = window.counters();
    // A prompt's tokens stand in every window size: those of the one that had most on the host.
    gauges.host_hit_tokens = std::max(gauges.host_hit_tokens, counters.reused_tokens_secondary);
    gauges.host_written_blocks += counters.offloaded;
  }
  const HostTraffic traffic = use_.host_traffic();
  gauges.host_bytes = traffic.written_back + traffic.loaded;
  gauges.slots.held = gauges.held_blocks * options_.block_size;
  for (const auto& [id, running] : running_)
    for (std::uint32_t i = 0; i < cache_.windows().size(); ++i)
      // Whole blocks leave a window, so that the table's room is behind its tokens.
      gauges.slots.tail +=
          cache_.table(id, i).blocks.size() * options_.block_size - running.computed;
  gauges.slots.live = gauges.slots.held - gauges.slots.tail;
  return gauges;
}

}  // namespace vacancy
