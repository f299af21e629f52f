// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/units/overloaded.hpp"

namespace vacancy {

namespace {

void raise(Ratio& peak, Ratio now) {
  if (now.denominator == 0) return;
  if (peak.denominator == 0 || now.numerator * peak.denominator > peak.numerator * now.denominator)
    peak = now;
}

}  // namespace

Metrics::Metrics(const CacheConfig& config, std::function<CacheGauges()> gauges, std::uint64_t seed)
    : config_(config), gauges_(std::move(gauges)) {
  summary_.run.seed = seed;
  summary_.reclaim.sets_per_table = config.layout.sets_per_table();
  summary_.reclaim.block_size = config.block_size;
  if (config.blocks_per_page) {
    Summary::Pages pages;
    pages.blocks_per_page = *config.blocks_per_page;
    pages.page_bytes = config.block_bytes * pages.blocks_per_page;
    summary_.pages = pages;
  }
}

Metrics::Metrics(const CacheConfig& config, const BlockPool& pool, std::uint64_t seed)
    : Metrics(
          config, [&pool] { return gauges_of(pool); }, seed) {}

CacheGauges Metrics::sample() {
  const CacheGauges gauges = gauges_();
  const SlotCounts& slots = gauges.slots;
  Summary::Memory& memory = summary_.memory;
  Summary::Sharing& sharing = summary_.sharing;
  memory.held_slots.peak = std::max(memory.held_slots.peak, slots.held);
  memory.live_slots.peak = std::max(memory.live_slots.peak, slots.live);
  raise(memory.hole_ratio.peak, {slots.hole, slots.held});
  raise(memory.tail_ratio.peak, {slots.tail, slots.held});
  sharing.blocks_shared.peak = std::max(sharing.blocks_shared.peak, gauges.shared_blocks);
  sharing.blocks_saved.peak = std::max(sharing.blocks_saved.peak, gauges.saved_blocks);
  if (summary_.pages) {
    Summary::Pages& pages = *summary_.pages;
    pages.mapped.peak = std::max(pages.mapped.peak, gauges.mapped_pages);
    pages.useful_blocks.peak = std::max(pages.useful_blocks.peak, gauges.useful_blocks);
  }
  return gauges;
}

void Metrics::count_step(const StepComposed& step) {
  Summary::Serving& serving = summary_.serving;
  if (!composed_) serving.steps = 0;  // what went before was waiting
  composed_ = true;
  if (step.scheduled.empty()) return;
  ++serving.steps;
  for (const ScheduledTokens& part : step.scheduled) {
    serving.scheduled_tokens += part.tokens;
    serving.recomputed_tokens += part.recomputed;
  }
}

void Metrics::settle_round() {
  if (!after_rounds_) return;
  auto& most = summary_.memory.kv_after_round_blocks;
  most = std::max(most.value_or(0), *after_rounds_);
  after_rounds_.reset();
}

void Metrics::advance(SimTime now) {
  const CacheGauges gauges = sample();
  const SlotCounts& slots = gauges.slots;
  const auto span = static_cast<WideCount>((now - now_).value());
  held_time_ += span * slots.held;
  live_time_ += span * slots.live;
  hole_time_ += span * slots.hole;
  tail_time_ += span * slots.tail;
  shared_time_ += span * gauges.shared_blocks;
  saved_time_ += span * gauges.saved_blocks;
  mapped_time_ += span * gauges.mapped_pages;
  useful_time_ += span * gauges.useful_blocks;
  now_ = now;
}

void Metrics::on_event(const Event& event) {
  ++summary_.run.events;
  Summary::Reclaim& reclaim = summary_.reclaim;
  Summary::Serving& serving = summary_.serving;
  std::visit(Overloaded{
                 [&](const SequenceCompleted&) {
                   settle_round();
                   ++serving.completed;
                 },
                 [&](const TokensAppended&) { settle_round(); },
                 [&](const ClockAdvanced& e) {
                   advance(e.now);
                   if (!composed_) ++serving.steps;
                 },
                 [&](const BlocksAllocated& e) { serving.blocks_allocated += e.blocks.size(); },
                 [&](const BlocksUncached& e) {
                   if (e.cause == UncacheCause::allocation || e.cause == UncacheCause::expiry ||
                       e.cause == UncacheCause::quota)
                     serving.blocks_evicted += e.blocks.size();
                 },
                 [&](const PrefixLookedUp& e) {
                   ++serving.lookups;
                   serving.lookup_hit_tokens += e.hit;
                   serving.lookup_query_tokens += e.known;
                 },
                 [&](const SequenceSwappedOut& e) { serving.swapped_out_blocks += e.blocks; },
                 [&](const SequenceSwappedIn& e) { serving.swapped_in_blocks += e.blocks; },
                 [&](const HostBlocksStored& e) {
                   serving.host_blocks_written += e.blocks;
                   serving.host_blocks_evicted += e.evicted;
                 },
                 [&](const HostBlocksLoaded& e) {
                   serving.hit_tokens_host += std::uint64_t{e.blocks} * config_.block_size;
                 },
                 [&](const RequestAdmitted& e) {
                   if (e.restored > 0) return;
                   (e.again ? serving.hit_tokens_readmission
                            : serving.hit_tokens_first_admission) += e.hit;
                   serving.query_tokens += e.known;
                   serving.hit_blocks += e.hit / config_.block_size;
                   serving.query_blocks += (e.known + config_.block_size - 1) / config_.block_size;
                 },
                 [&](const StepComposed& e) { count_step(e); },
                 [&](const SequencePreempted&) { ++serving.preemptions; },
                 [&](const RequestRejected&) { ++serving.rejected; },
                 [&](const RoundStarted&) {
                   sample();
                   moved_before_round_ = reclaim.moved_set_tokens;
                 },
                 [&](const TokensEvicted& e) {
                   ++reclaim.rounds;
                   reclaim.evicted_set_tokens += e.evicted_set_tokens;
                   reclaim.vacated_tokens += e.vacated_tokens;
                 },
                 [&](const TablePacked& e) { reclaim.moved_set_tokens += e.moved_set_tokens; },
                 [&](const TableCopiedOut& e) { reclaim.moved_set_tokens += e.moved_set_tokens; },
                 [&](const TokensMoved& e) { reclaim.moved_set_tokens += e.moved_set_tokens; },
                 [&](const SequenceForked&) { ++summary_.sharing.sequences_forked; },
                 [&](const BlockCopied& e) {
                   ++serving.blocks_allocated;
                   ++summary_.sharing.blocks_copied;
                   reclaim.moved_by_copy_on_write +=
                       Bytes(2 * e.slots * config_.block_bytes.value() / config_.block_size);
                 },
                 [&](const RoundFinished& e) {
                   reclaim.blocks_freed_by_eviction += e.blocks_freed;
                   reclaim.blocks_taken += e.blocks_taken;
                   reclaim.moving_rounds += reclaim.moved_set_tokens > moved_before_round_;
                   reclaim.moved(e.cause) += e.bytes_moved;
                   after_rounds_ = gauges_().held_blocks;
                   sample();
                 },
                 [&](const RoundSkipped& e) {
                   ++reclaim.skipped_rounds;
                   reclaim.refused_rounds += e.cause == SkipCause::shared_blocks;
                   reclaim.postponed_rounds += e.cause == SkipCause::pool_full;
                 },
                 [&](const FaultDamage& e) {
                   auto& damage = summary_.faults.damage[static_cast<std::size_t>(e.fault)];
                   ++damage.events;
                   damage.count += e.count;
                 },
                 [&](const QualityMeasured& e) {
                   summary_.quality.retained_attention_mass.push_back(e.retained_attention_mass);
                   if (!std::isnan(e.attention_output_error))
                     summary_.quality.attention_output_error.push_back(e.attention_output_error);
                   if (!std::isnan(e.next_token_agreement))
                     summary_.quality.next_token_agreement.push_back(e.next_token_agreement);
                 },
                 [](const auto&) {},
             },
             event);
}

Summary Metrics::summary() const {
  Metrics settled = *this;
  settled.settle_round();
  Summary result = settled.summary_;
  Summary::Memory& memory = result.memory;
  const CacheGauges gauges = gauges_();
  const SlotCounts& slots = gauges.slots;
  const auto length = static_cast<WideCount>(now_.value());
  result.run.virtual_time = now_;
  result.serving.blocks_allocated += gauges.allocated_blocks;
  result.serving.blocks_evicted += gauges.evicted_blocks;
  result.serving.evict_calls += gauges.evict_calls;
  // Window sizes find prefixes of their own, and the longest may be longer than what all share.
  result.serving.hit_tokens_host += std::min(gauges.host_hit_tokens, result.serving.hit_tokens());
  result.serving.host_blocks_written += gauges.host_written_blocks;
  result.serving.host_blocks_evicted += gauges.host_evicted_blocks;
  const std::uint64_t loaded = result.serving.hit_tokens_host / config_.block_size;
  const Bytes over_link = gauges.host_bytes.value_or(config_.block_bytes *
                                                     (loaded + result.serving.host_blocks_written));
  result.reclaim.moved_between_tiers = over_link * 2;
  memory.kv_peak_blocks = gauges.peak_held_blocks;
  memory.kv_peak_bytes =
      gauges.peak_held_bytes.value_or(Bytes(gauges.peak_held_blocks * config_.block_bytes.value()));
  memory.held_slots.end = slots.held;
  memory.live_slots.end = slots.live;
  memory.hole_ratio.end = {slots.hole, slots.held};
  memory.tail_ratio.end = {slots.tail, slots.held};
  Summary::Sharing& sharing = result.sharing;
  sharing.blocks_shared.end = gauges.shared_blocks;
  sharing.blocks_saved.end = gauges.saved_blocks;
  if (length == 0) {  // a run of zero length reports its end values (contract §3)
    memory.held_slots.mean = {slots.held, 1};
    memory.live_slots.mean = {slots.live, 1};
    memory.hole_ratio.mean = memory.hole_ratio.end;
    memory.tail_ratio.mean = memory.tail_ratio.end;
    sharing.blocks_shared.mean = {gauges.shared_blocks, 1};
    sharing.blocks_saved.mean = {gauges.saved_blocks, 1};
  } else {
    memory.held_slots.mean = {held_time_, length};
    memory.live_slots.mean = {live_time_, length};
    memory.hole_ratio.mean = {hole_time_, held_time_};
    memory.tail_ratio.mean = {tail_time_, held_time_};
    sharing.blocks_shared.mean = {shared_time_, length};
    sharing.blocks_saved.mean = {saved_time_, length};
  }
  if (result.pages) {
    Summary::Pages& pages = *result.pages;
    pages.mapped.end = gauges.mapped_pages;
    pages.useful_blocks.end = gauges.useful_blocks;
    pages.mapped.mean = length == 0 ? Ratio{gauges.mapped_pages, 1} : Ratio{mapped_time_, length};
    pages.useful_blocks.mean =
        length == 0 ? Ratio{gauges.useful_blocks, 1} : Ratio{useful_time_, length};
  }
  return result;
}

}  // namespace vacancy
