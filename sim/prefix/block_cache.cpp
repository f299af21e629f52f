// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/block_cache.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

std::optional<double> ratio(double part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return part / static_cast<double>(whole);
}

}  // namespace

std::optional<double> BlockCacheResult::hit_ratio() const {
  return ratio(static_cast<double>(hits), accesses);
}

std::optional<double> BlockCacheResult::token_hit_ratio() const {
  return ratio(static_cast<double>(hit_tokens), input_tokens);
}

std::optional<double> BlockCacheResult::mean_request_hit_ratio() const {
  return ratio(request_hit_ratios, requests_with_blocks);
}

BlockCache::BlockCache(const ReferenceString& string, const BlockCacheOptions& options,
                       const ReplacementEntry& replacement, const ParameterValues& parameters,
                       BlockCacheObserver* observer)
    : string_(string),
      options_(options),
      observer_(observer),
      // A cache with room for every content is the same as an unlimited one.
      capacity_(std::min(options.capacity.value_or(string.unique()), string.unique())),
      policy_(replacement.make(parameters, {capacity_})),
      entry_of_(string.content_bound(), no_entry),
      content_of_(capacity_, no_content) {
  VACANCY_ASSERT(!options.capacity || *options.capacity > 0, "a cache has a block");
  result_.unique = string.unique();
  if (replacement.needs_next_use) record_next_uses();
  if (observer_ != nullptr) past_.resize(string.content_bound());
  if (!options.tenant_quota) return;
  VACANCY_ASSERT(*options.tenant_quota > 0, "a quota has a block");
  owner_.resize(capacity_);
  for (std::uint32_t tenant = 0; tenant < string.tenants(); ++tenant)
    tenants_.push_back({replacement.make(parameters, {capacity_}), 0});
}

bool BlockCache::serve() {
  if (request_ == string_.requests()) return false;
  forget_expired();
  RequestOutcome outcome;
  outcome.request = request_;
  if (options_.count == HitCount::leading || observer_ != nullptr)
    outcome.leading = leading_blocks();
  if (observer_ != nullptr) outcome.first_new = first_new_block();
  const std::uint32_t cached = touch_all();
  if (!options_.pinned.empty()) pin();
  outcome.hits = options_.count == HitCount::any ? cached : outcome.leading;
  tally(outcome.hits);
  outcome.blocks = blocks();
  if (observer_ != nullptr) observer_->served(outcome);
  ++request_;
  return true;
}

std::uint32_t BlockCache::blocks() const {
  return static_cast<std::uint32_t>(string_.end_block(request_) -
                                    string_.request(request_).first_block);
}

std::uint32_t BlockCache::touch_all() {
  const std::uint64_t first = string_.request(request_).first_block;
  const std::uint32_t count = blocks();
  std::uint32_t cached = 0;
  if (options_.touch == TouchOrder::forward) {
    for (std::uint32_t block = 0; block < count; ++block)
      if (touch(first + block)) ++cached;
  } else {
    for (std::uint32_t block = count; block-- > 0;)
      if (touch(first + block)) ++cached;
  }
  return cached;
}

void BlockCache::tally(std::uint32_t hits) {
  const std::uint32_t tokens = string_.request(request_).tokens;
  ++result_.requests;
  result_.accesses += blocks();
  result_.hits += hits;
  result_.input_tokens += tokens;
  result_.hit_tokens +=
      std::min<std::uint64_t>(std::uint64_t{hits} * string_.block_tokens(), tokens);
  if (blocks() == 0) return;
  ++result_.requests_with_blocks;
  result_.request_hit_ratios += static_cast<double>(hits) / blocks();
}

BlockAccess BlockCache::access(std::uint64_t reference) const {
  const auto& request = string_.request(request_);
  BlockAccess access;
  access.content = string_.contents()[reference];
  access.position = static_cast<std::uint32_t>(reference - request.first_block);
  access.priority = request.priority;
  access.now = request.arrival;
  if (!next_use_.empty() && next_use_[reference] != no_entry)
    access.next_use = next_use_[reference];
  return access;
}

bool BlockCache::touch(std::uint64_t reference) {
  const BlockAccess use = access(reference);
  const std::uint32_t entry = entry_of_[use.content.value()];
  if (entry != no_entry) {
    policy_->hit(EntryId(entry), use);
    if (Tenant* const own = tenant()) own->policy->hit(EntryId(entry), use);
    return true;
  }
  if (observer_ != nullptr) report_miss(use);
  if (make_room(use)) {
    insert(use);
    return false;
  }
  ++result_.refusals;
  if (observer_ != nullptr) past_[use.content.value()] = {MissReason::refused, request_};
  return false;
}

bool BlockCache::make_room(const BlockAccess& incoming) {
  const Tenant* const own = tenant();
  const bool at_quota = own != nullptr && own->cached == *options_.tenant_quota;
  if (size_ < capacity_ && !at_quota) return true;
  ReplacementPolicy& policy = at_quota ? *own->policy : *policy_;
  if (!policy.admits(incoming)) return false;
  const auto victim = policy.victim(incoming);
  VACANCY_ASSERT(victim || !pinned_.empty(), "a cache without pins has a victim");
  if (!victim) return false;
  remove(*victim, Removal::evicted);
  return true;
}

void BlockCache::insert(const BlockAccess& access) {
  EntryId entry(fresh_);
  if (free_.empty()) {
    ++fresh_;
  } else {
    entry = free_.back();
    free_.pop_back();
  }
  entry_of_[access.content.value()] = entry.value();
  content_of_[entry.value()] = access.content;
  ++size_;
  policy_->inserted(entry, access);
  if (Tenant* const own = tenant()) {
    own->policy->inserted(entry, access);
    ++own->cached;
    owner_[entry.value()] = string_.request(request_).tenant;
  }
}

void BlockCache::pin() {
  const ReferenceString::Request& request = string_.request(request_);
  const std::uint32_t count = options_.pinned.of(request_, request.tokens) / string_.block_tokens();
  pinned_.resize(capacity_);
  for (std::uint32_t block = 0; block < count; ++block) {
    const ContentIndex content = string_.contents()[request.first_block + block];
    if (!contains(content)) continue;
    const EntryId entry(entry_of_[content.value()]);
    if (pinned_[entry.value()]) continue;
    pinned_[entry.value()] = true;
    policy_->pinned(entry);
    if (!tenants_.empty()) tenants_[owner_[entry.value()]].policy->pinned(entry);
  }
}

void BlockCache::remove(EntryId entry, Removal how) {
  const ContentIndex content = content_of_[entry.value()];
  policy_->removed(entry, how);
  if (!tenants_.empty()) {
    Tenant& owner = tenants_[owner_[entry.value()]];
    owner.policy->removed(entry, how);
    --owner.cached;
  }
  entry_of_[content.value()] = no_entry;
  free_.push_back(entry);
  --size_;
  const bool evicted = how == Removal::evicted;
  ++(evicted ? result_.evictions : result_.expirations);
  if (observer_ != nullptr)
    past_[content.value()] = {evicted ? MissReason::evicted : MissReason::expired, request_};
}

void BlockCache::forget_expired() {
  while (const auto entry = policy_->expired(string_.request(request_).arrival))
    remove(*entry, Removal::dropped);
}

std::uint32_t BlockCache::leading_blocks() const {
  const std::uint64_t first = string_.request(request_).first_block;
  std::uint64_t reference = first;
  while (reference < string_.end_block(request_) && contains(string_.contents()[reference]))
    ++reference;
  return static_cast<std::uint32_t>(reference - first);
}

std::uint32_t BlockCache::first_new_block() const {
  const std::uint64_t first = string_.request(request_).first_block;
  std::uint64_t reference = first;
  for (; reference < string_.end_block(request_); ++reference) {
    const ContentIndex content = string_.contents()[reference];
    if (!contains(content) && past_[content.value()].reason == MissReason::never_seen) break;
  }
  return static_cast<std::uint32_t>(reference - first);
}

void BlockCache::report_miss(const BlockAccess& access) {
  const Past& past = past_[access.content.value()];
  BlockMiss miss;
  miss.request = request_;
  miss.position = access.position;
  miss.content = access.content;
  miss.reason = past.reason;
  miss.lost_during = past.reason == MissReason::never_seen ? request_ : past.lost_during;
  miss.lost_at = string_.request(miss.lost_during).arrival;
  observer_->missed(miss);
}

void BlockCache::record_next_uses() {
  const auto contents = string_.contents();
  next_use_.resize(contents.size());
  std::vector<std::uint32_t> later(string_.content_bound(), no_entry);
  for (std::uint32_t request = string_.requests(); request-- > 0;) {
    const std::uint64_t first = string_.request(request).first_block;
    const std::uint64_t blocks = string_.end_block(request) - first;
    for (std::uint64_t back = 0; back < blocks; ++back) {
      // Backwards in the order of touches, whichever that is.
      const bool forward = options_.touch == TouchOrder::forward;
      const std::uint64_t reference = first + (forward ? blocks - 1 - back : back);
      std::uint32_t& next = later[contents[reference].value()];
      next_use_[reference] = next;
      next = static_cast<std::uint32_t>(first + blocks - 1 - back);
    }
  }
}

BlockCacheResult replay_blocks(const ReferenceString& string, const BlockCacheOptions& options,
                               const ReplacementEntry& replacement,
                               const ParameterValues& parameters, BlockCacheObserver* observer) {
  BlockCache cache(string, options, replacement, parameters, observer);
  while (cache.serve()) {
  }
  return cache.result();
}

}  // namespace vacancy
