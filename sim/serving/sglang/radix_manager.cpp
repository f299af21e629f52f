// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/sglang/radix_manager.hpp"

#include <algorithm>
#include <utility>

#include "sim/serving/sglang/request_tokens.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

void fill(RadixRequest& held, const Request& request, std::uint32_t known) {
  held.name_space = NamespaceId(request.contents.tenant);
  held.priority = request.priority;
  held.tokens.clear();
  append_tokens(request, 0, known, held.tokens);
}

}  // namespace

void NewTokenRatio::retracted(std::uint64_t output, std::uint64_t most, std::uint64_t requests) {
  value_ = std::min(
      1.0, static_cast<double>(output + steps_ahead * requests) / static_cast<double>(most + 1));
}

RadixManager::RadixManager(const RadixOptions& options, Observer& observer)
    : options_(options),
      observer_(observer),
      cache_(options.cache,
             make_slot_allocator(options.cache.page_size, options.pages, options.need_sort)),
      queue_(options.queue_policy, options.queue_key, cache_.tree()) {}

void RadixManager::begin_step() {
  if (running_.empty())
    ratio_.reset();
  else if (decoded_ && !retracted_)
    ratio_.decay();
  decoded_ = retracted_ = false;
}

std::uint32_t RadixManager::lookup(const Request& request, std::uint32_t known) {
  fill(lookup_, request, known);
  const std::uint32_t hit = cache_.look_up(lookup_) + lookup_.host_tokens;
  cache_.abandon(lookup_);
  return hit;
}

std::uint64_t RadixManager::reserved() const {
  std::uint64_t certain = 0, possible = 0;
  for (const auto& [id, running] : running_) {
    const std::uint32_t output = std::min(running.output_left(), clipped_new_tokens);
    if (running.prefilling)
      certain += running.known - running.held.tokens.size() + output;
    else
      possible += output;
  }
  return certain + static_cast<std::uint64_t>(static_cast<double>(possible) * ratio_.value());
}

bool RadixManager::admit(const Request& request, std::uint32_t known, std::uint32_t count,
                         bool /*others_run*/) {
  Running fresh;
  fill(fresh.held, request, known);
  fresh.known = known;
  fresh.prompt = request.prompt_tokens;
  fresh.output = request.output_tokens;
  const std::uint32_t on_device = cache_.look_up(fresh.held);
  if (!admission_fits(known - on_device, fresh.output_left(), page(),
                      cache_.allocator().available(), cache_.tree().evictable_tokens(),
                      reserved())) {
    cache_.abandon(fresh.held);
    return false;
  }
  load_back(fresh.held);
  const std::uint32_t hit = fresh.held.protected_tokens;
  cache_.tree().count_found(fresh.held.node);
  fresh.held.tokens.truncate(hit + count);
  const bool has_slots = allocate(fresh.held);
  VACANCY_ASSERT(has_slots, "an admission that fits gets its slots");
  running_.emplace(request.id, std::move(fresh));
  observer_.on_event(SequenceStarted{request.id, request.prompt_tokens});
  observer_.on_event(TokensAppended{request.id, 0, hit + count});
  return true;
}

bool RadixManager::extend(const Request& request, std::uint32_t computed, std::uint32_t count,
                          std::uint32_t known) {
  Running& own = running_.at(request.id);
  RadixRequest& held = own.held;
  own.known = known;
  if (!own.prefilling)
    decoded_ = true;
  else if (held.protected_tokens < cache_.tree().whole_pages(held.tokens.size()))
    cache_.unfinished(held, true);
  append_tokens(request, computed, computed + count, held.tokens);
  if (!allocate(held)) {
    held.tokens.truncate(computed);
    return false;
  }
  observer_.on_event(TokensAppended{request.id, computed, count});
  return true;
}

bool RadixManager::allocate(RadixRequest& request) {
  const std::uint32_t lacking = request.tokens.size() - request.slots.size();
  const auto free_pages = [&] { return cache_.allocator().available() / page(); };
  std::uint32_t before = free_pages();
  bool done = cache_.allocate(request);
  if (!done) {
    // What decodes asks for all that run.
    const std::uint64_t asked =
        lacking > 1 ? lacking + page() - 1 : std::uint64_t{page()} * running_.size();
    count_eviction(cache_.make_room(std::max<std::uint64_t>(asked, page())));
    before = free_pages();
    done = cache_.allocate(request);
  }
  allocated_pages_ += before - free_pages();
  peak_pages_ = std::max<std::uint64_t>(peak_pages_, used_blocks());
  return done;
}

void RadixManager::load_back(RadixRequest& request) {
  if (request.host_tokens == 0) return;
  allocated_pages_ += request.host_tokens / page();
  count_eviction(cache_.make_room_to_load(request));
  const bool loaded = cache_.load_back(request);
  VACANCY_ASSERT(loaded, "an admission that fits has room for what comes back");
}

void RadixManager::count_eviction(std::uint64_t evicted) {
  evicted_tokens_ += evicted;
  evict_calls_ += evicted > 0;
}

HostTraffic RadixManager::take_host_traffic() {
  const HostTier* host = cache_.tree().host();
  if (host == nullptr) return {};
  HostTraffic traffic;
  const HostTier::Counts counts = host->counts();
  (host->copies_on_eviction() ? traffic.written_back : traffic.written) =
      options_.page_bytes * ((counts.written - told_.written) / page());
  traffic.loaded = options_.page_bytes * ((counts.loaded - told_.loaded) / page());
  told_ = counts;
  return traffic;
}

void RadixManager::produced(const Request& request, std::uint32_t known) {
  Running& own = running_.at(request.id);
  own.known = known;
  if (own.prefilling && own.output_left() > 0) cache_.unfinished(own.held, false);
  own.prefilling = false;
}

void RadixManager::preempt(const Request& request) {
  cache_.finish(running_.at(request.id).held, false);
  running_.erase(request.id);
  std::uint64_t output = 0, most = 0;
  for (const auto& [id, running] : running_) {
    output += running.known - running.prompt;
    most += running.output;
  }
  ratio_.retracted(output, most, running_.size());
  retracted_ = true;
  observer_.on_event(SequencePreempted{request.id});
}

void RadixManager::finish(const Request& request) {
  cache_.finish(running_.at(request.id).held, true);
  running_.erase(request.id);
  if (!options_.pinned.empty()) pin_prompt(request);
  observer_.on_event(SequenceFinished{request.id});
}

void RadixManager::pin_prompt(const Request& request) {
  const std::uint32_t pinned =
      cache_.tree().whole_pages(options_.pinned.of(request.id.value(), request.prompt_tokens));
  if (pinned == 0) return;
  fill(lookup_, request, pinned);
  cache_.tree().lock(cache_.tree().match(lookup_.name_space, lookup_.tokens).node);
}

std::uint32_t RadixManager::used_blocks() const {
  const SlotAllocator& slots = cache_.allocator();
  const std::uint64_t idle = slots.available() + cache_.tree().evictable_tokens();
  return static_cast<std::uint32_t>((slots.slots() - idle) / page());
}

double RadixManager::usage() const {
  return static_cast<double>(used_blocks()) / static_cast<double>(options_.pages);
}

CacheGauges RadixManager::gauges() const {
  CacheGauges gauges;
  gauges.held_blocks = used_blocks();
  gauges.peak_held_blocks = peak_pages_;
  gauges.allocated_blocks = allocated_pages_;
  gauges.evicted_blocks = evicted_tokens_ / page();
  gauges.evict_calls = evict_calls_;
  gauges.shared_blocks = cache_.tree().shared_tokens() / page();
  gauges.saved_blocks = cache_.tree().saved_tokens() / page();
  if (const HostTier* host = cache_.tree().host()) {
    gauges.host_hit_tokens = host->counts().loaded;
    gauges.host_written_blocks = host->counts().written / page();
    gauges.host_evicted_blocks = host->counts().evicted / page();
  }
  gauges.slots.held = gauges.held_blocks * page();
  for (const auto& [id, running] : running_)
    gauges.slots.tail += (page() - running.held.tokens.size() % page()) % page();
  gauges.slots.live = gauges.slots.held - gauges.slots.tail;
  return gauges;
}

std::vector<SharingNode> RadixManager::sharing() const {
  const RadixTree& tree = cache_.tree();
  std::vector<SharingNode> result;
  std::vector<std::pair<RadixNodeId, std::uint32_t>> open = {{tree.root(), no_sharing_parent}};
  while (!open.empty()) {
    const auto [id, place] = open.back();
    open.pop_back();
    for (RadixNodeId child = tree.node(id).first_child; child != no_radix_node;
         child = tree.node(child).next_sibling) {
      const RadixNode& node = tree.node(child);
      if (!node.on_device()) continue;
      open.emplace_back(child, static_cast<std::uint32_t>(result.size()));
      result.push_back({place, node.tokens.size() / page(), node.lock_ref, node.found});
    }
  }
  return result;
}

void RadixManager::check_invariants() const {
  cache_.tree().check_invariants();
  const SlotAllocator& slots = cache_.allocator();
  std::uint64_t pages = slots.available() / page();
  pages += (cache_.tree().evictable_tokens() + cache_.tree().protected_tokens()) / page();
  for (const auto& [id, running] : running_) {
    const RadixRequest& held = running.held;
    VACANCY_ASSERT(held.slots.size() == held.tokens.size(), "each token of a request has a slot");
    pages += (held.tokens.size() - held.protected_tokens + page() - 1) / page();
  }
  VACANCY_ASSERT(pages == options_.pages, "a page is free, cached, or a request's own");
}

}  // namespace vacancy
