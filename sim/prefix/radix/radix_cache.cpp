// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/radix/radix_cache.hpp"

#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

RadixCache::RadixCache(const RadixCacheOptions& options, std::unique_ptr<SlotAllocator> allocator)
    : tree_(options.page_size, options.policy, options.host),
      allocator_(std::move(allocator)),
      evict_shortfall_only_(options.evict_shortfall_only) {}

RadixCache::Stored RadixCache::store(NamespaceId name_space, TokenView tokens,
                                     const RadixTree::Insertion& insertion) {
  Stored stored;
  stored.matched = tree_.match(name_space, tokens, &stored.slots).tokens;
  stored.ok = allocator_->take(tokens.size() - stored.matched, stored.slots);
  if (!stored.ok) return stored;
  stored.insert_matched = tree_.insert(name_space, tokens, stored.slots, insertion);
  const SlotView slots = stored.slots;
  allocator_->give_back(slots.slice(stored.matched, stored.insert_matched));
  allocator_->give_back(slots.slice(tree_.whole_pages(slots.size()), slots.size()));
  return stored;
}

std::uint32_t RadixCache::look_up(RadixRequest& request) {
  VACANCY_ASSERT(request.slots.empty(), "a request that looks up holds nothing");
  const std::uint32_t length = request.tokens.size();
  const TokenView key = request.tokens.view().prefix(length == 0 ? 0 : length - 1);
  const RadixMatch match = tree_.match(request.name_space, key, &request.slots);
  tree_.lock(match.node);
  request.node = match.node;
  request.protected_tokens = match.tokens;
  if (tree_.host() != nullptr && tree_.host()->worth_loading(match.host_tokens)) {
    request.host_tokens = match.host_tokens;
    request.host_node = match.last;
  }
  return match.tokens;
}

std::uint64_t RadixCache::make_room_to_load(const RadixRequest& request) {
  // What makes room may want room on the host for itself.
  tree_.hold_on_host(request.host_node);
  const std::uint64_t evicted = make_room(request.host_tokens);
  tree_.hold_on_host(no_radix_node);
  return evicted;
}

bool RadixCache::load_back(RadixRequest& request) {
  if (!allocator_->take(request.host_tokens, request.slots)) return false;
  const std::uint32_t found = request.slots.size();
  tree_.load_back(request.host_node, request.slots.view().slice(request.protected_tokens, found));
  tree_.lock(request.host_node);
  tree_.unlock(request.node);
  request.node = std::exchange(request.host_node, RadixTree::root());
  request.protected_tokens = found;
  request.host_tokens = 0;
  return true;
}

bool RadixCache::allocate(RadixRequest& request, std::uint32_t ahead) {
  const std::uint32_t needed = request.tokens.size() + ahead, had = request.slots.size();
  return needed <= had || allocator_->take(needed - had, request.slots);
}

void RadixCache::abandon(RadixRequest& request) {
  tree_.unlock(request.node);
  request.node = request.host_node = RadixTree::root();
  request.slots.clear();
  request.protected_tokens = request.host_tokens = 0;
}

RadixCache::Begun RadixCache::begin(RadixRequest& request) {
  Begun begun;
  begun.matched = look_up(request);
  begun.ok = allocate(request);
  if (!begun.ok) abandon(request);
  return begun;
}

bool RadixCache::extend(RadixRequest& request, TokenView tokens) {
  if (!allocate(request, tokens.size())) return false;
  request.tokens.append(tokens);
  return true;
}

void RadixCache::give_back(const RadixRequest& request, std::uint32_t first, std::uint32_t last) {
  allocator_->give_back(request.slots.view().slice(first, last));
}

void RadixCache::unfinished(RadixRequest& request, bool chunked) {
  const std::uint32_t whole = tree_.whole_pages(request.tokens.size());
  const TokenView key = request.tokens.view().prefix(whole);
  const std::uint32_t had =
      tree_.insert(request.name_space, key, request.slots, {request.priority, chunked});
  give_back(request, request.protected_tokens, had);
  found_.clear();
  const RadixMatch match = tree_.match(request.name_space, key, &found_);
  VACANCY_ASSERT(match.tokens == whole, "what was just cached is found");
  found_.append(request.slots.view().slice(whole, request.slots.size()));
  std::swap(request.slots, found_);
  request.protected_tokens = whole;
  tree_.unlock(request.node);
  tree_.lock(match.node);
  request.node = match.node;
}

void RadixCache::finish(RadixRequest& request, bool insert) {
  const std::uint32_t whole = tree_.whole_pages(request.tokens.size());
  const TokenView key = request.tokens.view().prefix(whole);
  const std::uint32_t last =
      insert ? tree_.insert(request.name_space, key, request.slots, {request.priority, false})
             : whole;
  give_back(request, request.protected_tokens, last);
  give_back(request, whole, request.slots.size());
  tree_.unlock(request.node);
  request.node = RadixTree::root();
  request.tokens.clear();
  request.slots.clear();
  request.protected_tokens = 0;
}

std::uint64_t RadixCache::make_room(std::uint64_t slots) {
  const std::uint64_t available = allocator_->available();
  if (available >= slots) return 0;
  return evict(evict_shortfall_only_ ? slots - available : slots);
}

}  // namespace vacancy
