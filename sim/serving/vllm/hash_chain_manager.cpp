// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/vllm/hash_chain_manager.hpp"

#include <algorithm>
#include <utility>

#include "sim/pool/sequence_ids.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// A policy chooses which cached contents go; the lru of a quota is the order of the free queue.
bool has_replacement(const HashChainOptions& options) {
  return options.replacement != nullptr || options.tenant_quota_blocks > 0;
}

CacheConfig cache_config(const HashChainOptions& options, Bytes block_bytes) {
  const auto groups = static_cast<std::uint32_t>(options.groups.size());
  CacheConfig config;
  config.block_size = options.block_size;
  config.blocks = options.blocks;
  config.blocks_per_page = options.blocks_per_page;
  // A table for each group; within a group all layers and heads share it.
  config.layout =
      groups == 1 ? options.layout : CacheLayout(groups, 1, TableKind::per_layer, Scope::model);
  config.block_bytes = block_bytes;
  config.free_order = has_replacement(options) ? FreeOrder::uncached_first : options.free_order;
  return config;
}

std::optional<ChainReplacement> chain_replacement(const HashChainOptions& options,
                                                  HashChainIndex& index) {
  if (!has_replacement(options)) return std::nullopt;
  VACANCY_ASSERT(options.blocks, "a policy chooses among a known number of blocks");
  const ReplacementEntry* entry =
      options.replacement ? options.replacement : find_replacement("lru");
  return std::optional<ChainReplacement>(
      std::in_place, index,
      [entry, parameters = options.replacement_parameters,
       context = ReplacementContext{*options.blocks, options.blocks_per_page.value_or(0)}] {
        return entry->make(parameters, context);
      },
      *options.blocks, options.tenant_quota_blocks);
}

}  // namespace

HashChainManager::HashChainManager(HashChainOptions options, Bytes block_bytes, Observer& observer)
    : options_(std::move(options)),
      observer_(observer),
      index_(options_.blocks.value_or(0)),
      replacement_(chain_replacement(options_, index_)),
      cache_(cache_config(options_, block_bytes), observer,
             replacement_ ? static_cast<CachedContents*>(&*replacement_) : &index_,
             replacement_ ? &*replacement_ : nullptr),
      window_groups_(static_cast<std::uint32_t>(
          std::count_if(options_.groups.begin(), options_.groups.end(),
                        [](const CacheGroup& group) { return group.window.has_value(); }))),
      hits_(options_.groups.size()),
      block_bytes_(block_bytes) {
  if (options_.host_blocks == 0) return;
  VACANCY_ASSERT(groups() == 1, "host memory is for tables that all layers share");
  host_.emplace(options_.host_blocks, *find_replacement(enum_name(options_.host_replacement)),
                ParameterValues{});
}

HashChainManager::State& HashChainManager::state(const Request& request) {
  if (states_.size() <= request.id.value()) states_.resize(request.id.value() + 1);
  return states_[request.id.value()];
}

ContentId HashChainManager::content(const Request& request, std::uint32_t block,
                                    std::uint32_t group) const {
  return block_content(request, block, options_.block_size, group, groups());
}

std::uint32_t HashChainManager::find_prefix(const Request& request, std::uint32_t group,
                                            std::uint32_t blocks) {
  std::vector<BlockId>& found = hits_[group];
  const auto& window = options_.groups[group].window;
  found.clear();
  if (!window) {
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const BlockId cached = index_.find(content(request, block, group));
      if (cached == null_block) break;
      found.push_back(cached);
    }
    return static_cast<std::uint32_t>(found.size());
  }
  // From the right: the first run that covers the window. A run that reaches the start may be
  // shorter.
  const auto enough = static_cast<std::uint32_t>(ceil_div(*window - 1, options_.block_size));
  found.resize(blocks, null_block);
  std::uint32_t run = 0;
  for (std::uint32_t block = blocks; block-- > 0;) {
    found[block] = index_.find(content(request, block, group));
    if (found[block] == null_block) {
      run = 0;
      continue;
    }
    if (++run < enough) continue;
    found.resize(block + run);
    return block + run;
  }
  found.resize(run);
  return run;
}

std::uint32_t HashChainManager::lookup(const Request& request, std::uint32_t known) {
  State& own = state(request);
  own.boundary = 0;
  hit_blocks_ = 0;
  host_hits_.clear();
  if (!options_.prefix_caching || (own.preempted && !options_.lookup_after_preemption)) return 0;
  // V13: the last token is always computed.
  std::uint32_t blocks = (known - 1) / options_.block_size;
  // V26: full attention first, whose prefixes are all there; then windows, until they agree.
  const auto search = [&](bool windows) {
    for (std::uint32_t group = 0; group < groups(); ++group)
      if (options_.groups[group].window.has_value() == windows)
        blocks = find_prefix(request, group, blocks);
  };
  search(false);
  const std::uint32_t full_attention = blocks;
  for (std::uint32_t before = blocks + 1; before != blocks && window_groups_ > 0;) {
    before = blocks;
    search(true);
  }
  for (auto& found : hits_)
    found.resize(blocks, null_block);
  if (window_groups_ < groups() && full_attention > blocks)
    own.boundary = full_attention * options_.block_size;
  hit_blocks_ = blocks;
  if (host_) look_up_host(request, (known - 1) / options_.block_size);
  return (hit_blocks_ + host_hit_blocks()) * options_.block_size;
}

void HashChainManager::look_up_host(const Request& request, std::uint32_t blocks) {
  contents_.clear();
  for (std::uint32_t block = 0; block < blocks; ++block)
    contents_.push_back(content(request, block, 0));
  host_->touch(contents_);
  const auto found = host_->leading(std::span(contents_).subspan(hit_blocks_));
  host_hits_.assign(found.begin(), found.end());
}

std::uint64_t HashChainManager::needed(std::uint32_t tokens) const {
  const std::uint64_t blocks = ceil_div(tokens, options_.block_size);
  std::uint64_t free_hits = 0;
  for (const auto& found : hits_)
    for (std::uint32_t i = 0; i < hit_blocks_; ++i)
      free_hits += found[i] != null_block && cache_.pool().references(found[i]) == 0;
  return groups() * (blocks - hit_blocks_) + free_hits;
}

std::uint64_t HashChainManager::whole_sequence_excess(std::uint32_t known) const {
  if (window_groups_ == 0) return 0;
  const std::uint64_t blocks = ceil_div(known, options_.block_size);
  std::uint64_t excess = 0;
  for (const CacheGroup& group : options_.groups) {
    if (!group.window) continue;
    const std::uint64_t most =
        ceil_div(*group.window - 1 + std::uint64_t{options_.max_in_flight_tokens},
                 options_.block_size) +
        1;
    // The cap is on the whole table; what was found, null entries included, counts in it.
    excess += blocks - std::clamp<std::uint64_t>(most, hit_blocks_, blocks);
  }
  return excess;
}

bool HashChainManager::fits(const Request& request, std::uint32_t known, std::uint32_t count,
                            bool others_run, MoreBlocks more) const {
  const std::uint64_t free = cache_.pool().available();
  const std::uint64_t watermark = others_run ? options_.watermark_blocks : 0;
  count += host_hit_blocks() * options_.block_size;
  if (options_.full_sequence_gate &&
      needed(known) - whole_sequence_excess(known) + more.whole + watermark > free)
    return false;
  if (needed(hit_tokens() + count) + more.now + watermark > free) return false;
  return !options_.reserve_output ||
         needed(request.prompt_tokens + request.output_tokens) + reserved_ + watermark <= free;
}

bool HashChainManager::admit(const Request& request, std::uint32_t known, std::uint32_t count,
                             bool others_run) {
  if (!fits(request, known, count, others_run)) return false;
  take(request, known, count);
  return true;
}

void HashChainManager::take(const Request& request, std::uint32_t known, std::uint32_t count) {
  const std::uint32_t hit = hit_tokens();
  count += host_hit_blocks() * options_.block_size;
  cache_.start(request.id, request.prompt_tokens);
  if (hit_blocks_ > 0) {
    adopted_.clear();
    for (const auto& found : hits_)
      adopted_.insert(adopted_.end(), found.begin(), found.begin() + hit_blocks_);
    cache_.adopt(request.id, adopted_);
    if (replacement_) report_hits(request);
    if (follows_sharing_)
      for (const BlockId block : adopted_)
        if (block != null_block) ++lineage_[block.value()].hits;
  }
  const bool appended = cache_.append(request.id, count);
  VACANCY_ASSERT(appended, "an admission that fits gets its blocks");
  if (!host_hits_.empty()) {
    host_traffic_.loaded += block_bytes_ * host_hit_blocks();
    observer_.on_event(HostBlocksLoaded{request.id, host_hit_blocks(), hit_blocks_, host_hits_});
  }
  state(request).considered.assign(groups(), hit_blocks_);
  reserve_rest(request, hit + count);
  cache_full_blocks(request, std::min(hit + count, known));
}

bool HashChainManager::extend(const Request& request, std::uint32_t computed, std::uint32_t count,
                              std::uint32_t known) {
  // V15b, V27: also if the room is not there then.
  for (std::uint32_t group = 0; window_groups_ > 0 && group < groups(); ++group) {
    const auto& window = options_.groups[group].window;
    if (window && computed + 1 > *window)
      cache_.leave_window(request.id, group, computed + 1 - *window);
  }
  if (window_groups_ > 0) keep_quotas();
  if (!append_late(request, count)) return false;
  reserve_rest(request, computed + count);
  cache_full_blocks(request, std::min(computed + count, known));
  return true;
}

bool HashChainManager::append_late(const Request& request, std::uint32_t count) {
  const CachedSequence& sequence = cache_.sequence(request.id);
  if (options_.allocation_lag == 0 || sequence.rounds == 0) return cache_.append(request.id, count);
  State& own = state(request);
  const BlockTable& table = sequence.tables.front();
  const auto slots = static_cast<std::uint32_t>(table.entries().size() * options_.block_size);
  const std::uint32_t waiting = own.without_slot, end = table.length() + waiting;
  const std::uint32_t wait_on = std::min(options_.allocation_lag, waiting + count);
  if (!cache_.append(request.id, waiting + count - wait_on)) return false;
  own.without_slot = wait_on;
  if (table.entries().size() * options_.block_size > slots && end > slots)
    observer_.on_event(FaultDamage{EvictionFault::offset_overstated, request.id, end - slots});
  return true;
}

void HashChainManager::reserve_rest(const Request& request, std::uint64_t tokens) {
  if (!options_.reserve_output) return;
  const std::uint64_t whole = std::uint64_t{request.prompt_tokens} + request.output_tokens;
  drop_reservation(request);
  State& own = state(request);
  own.reserved = groups() * (ceil_div(whole, options_.block_size) -
                             ceil_div(std::min(tokens, whole), options_.block_size));
  reserved_ += own.reserved;
}

void HashChainManager::drop_reservation(const Request& request) {
  State& own = state(request);
  reserved_ -= own.reserved;
  own.reserved = 0;
}

void HashChainManager::cache_full_blocks(const Request& request, std::uint32_t tokens) {
  if (!options_.prefix_caching) return;
  // Blocks of a request that was evicted from do not hold what their place says (engines C3).
  if (cache_.sequence(request.id).rounds > 0) return;
  const std::uint32_t full = tokens / options_.block_size;
  State& own = state(request);
  for (std::uint32_t group = 0; group < groups(); ++group) {
    std::uint32_t& considered = own.considered[group];
    if (considered >= full) continue;
    const auto entries = cache_.sequence(request.id).tables[group].entries();
    for (std::uint32_t first = considered; first < full;) {
      contents_.clear();
      std::uint32_t last = first;
      for (; last < full && entries[last] != null_block && gets_hash(request, group, last);
           ++last) {
        contents_.push_back(content(request, last, group));
        // A window needs the blocks inside it only.
        if (replacement_)
          replacement_->inserted(entries[last], contents_.back(), request.contents.tenant,
                                 access(request, last), !options_.groups[group].window);
        if (follows_sharing_)
          note_parent(entries[last],
                      last > 0 ? std::optional(content(request, last - 1, group)) : std::nullopt);
      }
      index_.insert(entries.subspan(first, contents_.size()), contents_);
      cache_.set_cached(request.id, group, first, contents_);
      if (host_) store_on_host(request, first);
      first = std::max(last, first + 1);
    }
    considered = full;
  }
}

void HashChainManager::store_on_host(const Request& request, std::uint32_t first) {
  const HostCopies::Stored& stored = host_->store(contents_, now_);
  if (stored.copied() == 0) return;
  host_traffic_.written += block_bytes_ * stored.copied();
  stored_entries_.clear();
  for (const std::uint32_t content : stored.contents)
    stored_entries_.push_back(first + content);
  observer_.on_event(HostBlocksStored{request.id, stored.copied(), stored.evicted, stored_entries_,
                                      stored.blocks});
}

BlockAccess HashChainManager::access(const Request& request, std::uint32_t block) const {
  BlockAccess access;
  access.position = block;
  access.priority = ~request.priority;  // what runs earlier stays longer
  access.now = now_;
  return access;
}

void HashChainManager::report_hits(const Request& request) {
  for (const auto& found : hits_)
    for (std::uint32_t block = 0; block < hit_blocks_; ++block)
      if (found[block] != null_block) replacement_->hit(found[block], access(request, block));
}

void HashChainManager::begin_step() {
  if (!replacement_) return;
  while (const auto block = replacement_->expired(now_))
    cache_.drop_cached(*block, UncacheCause::expiry);
}

void HashChainManager::keep_quotas() {
  if (!replacement_) return;
  while (const auto block = replacement_->evict_over_quota())
    cache_.drop_cached(*block, UncacheCause::quota);
}

void HashChainManager::note_parent(BlockId block, const std::optional<ContentId>& parent) {
  if (lineage_.size() <= block.value()) lineage_.resize(block.value() + 1);
  lineage_[block.value()] = {parent, 0};
}

std::vector<SharingNode> HashChainManager::sharing() const {
  std::vector<std::uint32_t> place(lineage_.size(), no_sharing_parent);
  std::uint32_t nodes = 0;
  for (std::uint32_t id = 0; id < lineage_.size(); ++id)
    if (index_.contains(BlockId(id))) place[id] = nodes++;
  std::vector<SharingNode> result;
  result.reserve(nodes);
  for (std::uint32_t id = 0; id < lineage_.size(); ++id) {
    if (place[id] == no_sharing_parent) continue;
    SharingNode& node = result.emplace_back();
    node.requests = cache_.pool().references(BlockId(id));
    node.hits = lineage_[id].hits;
    const BlockId above = lineage_[id].parent ? index_.find(*lineage_[id].parent) : null_block;
    if (above != null_block) node.parent = place[above.value()];
  }
  return result;
}

bool HashChainManager::reset_prefix_cache() {
  if (used_blocks() > 0) return false;
  cache_.forget_all();
  return true;
}

bool HashChainManager::gets_hash(const Request& request, std::uint32_t group,
                                 std::uint32_t block) const {
  const auto& window = options_.groups[group].window;
  if (!window || !options_.sparse_window_hashes) return true;
  const auto reach = static_cast<std::uint32_t>(ceil_div(*window - 1, options_.block_size));
  const auto ends_at = [&](std::uint32_t tokens) {
    const std::uint32_t end = tokens / options_.block_size;
    return block < end && block + reach >= end;
  };
  return ends_at(request.prompt_tokens - 1) || ends_at(shared_prefix_boundary(request));
}

void HashChainManager::preempt(const Request& request) {
  cache_.preempt(request.id);
  keep_quotas();
  drop_reservation(request);
  state(request).without_slot = 0;
  state(request).preempted = true;
}

void HashChainManager::pin_prompt(const Request& request) {
  const std::uint32_t pinned =
      options_.pinned.of(request.id.value(), request.prompt_tokens) / options_.block_size;
  const auto entries = cache_.sequence(request.id).tables.front().entries();
  adopted_.clear();
  for (const BlockId block : entries.first(std::min<std::size_t>(pinned, entries.size()))) {
    if (block == null_block || !cache_.pool().cached(block)) break;
    adopted_.push_back(block);
  }
  if (adopted_.empty()) return;
  const SequenceId pin = pin_id(request.id);
  cache_.start(pin, static_cast<std::uint32_t>(adopted_.size()) * options_.block_size);
  cache_.adopt(pin, adopted_);
}

void HashChainManager::finish(const Request& request) {
  if (!options_.pinned.empty()) pin_prompt(request);
  cache_.finish(request.id);
  keep_quotas();
  drop_reservation(request);
}

std::uint32_t HashChainManager::stored_blocks(const Request& /*request*/,
                                              std::uint32_t computed) const {
  return groups() * static_cast<std::uint32_t>(ceil_div(computed, options_.block_size));
}

bool HashChainManager::admit_swapped(const Request& request, std::uint32_t known,
                                     std::uint32_t present, std::uint32_t count, bool others_run) {
  hit_blocks_ = 0;
  host_hits_.clear();
  return admit(request, known, present + count, others_run);
}

std::uint32_t HashChainManager::context(const Request& request) const {
  const CachedSequence& sequence = cache_.sequence(request.id);
  if (sequence.rounds == 0) return sequence.next_position;
  return sequence.tables.front().held_slots();
}

double HashChainManager::usage() const {
  const std::uint64_t blocks = std::uint64_t{options_.blocks.value_or(cache_.pool().created())} +
                               (options_.usage_counts_null_block ? 1 : 0);
  if (blocks == 0) return 0;
  const std::uint64_t free = options_.blocks ? free_blocks() : blocks - used_blocks();
  return 1.0 - static_cast<double>(free) / static_cast<double>(blocks);
}

}  // namespace vacancy
