// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/miss_log.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/pool/sequence_ids.hpp"
#include "sim/prefix/hash_chain/hash_chain_index.hpp"
#include "sim/units/overloaded.hpp"

namespace vacancy {

namespace {

std::string_view reason_word(const FirstMiss& miss) {
  // Nobody had the block, but somebody the ones before it: the prompts part here.
  if (miss.reason == MissReason::never_seen && miss.found > 0) return "differs";
  return enum_name(miss.reason);
}

}  // namespace

MissTable::MissTable(std::ostream& out) : out_(out) {
  out_ << "request,prompt_blocks,first_missed_block,reason,evicted_at_ns,evicted_by,"
          "last_shared_block\n";
}

void MissTable::write(const FirstMiss& miss) {
  out_ << miss.request << ',' << miss.blocks << ',' << miss.found << ',' << reason_word(miss)
       << ',';
  if (miss.lost_at) out_ << miss.lost_at->value();
  out_ << ',';
  if (miss.lost_during) out_ << *miss.lost_during;
  out_ << ',';
  if (miss.shared > 0) out_ << miss.shared - 1;
  out_ << '\n';
}

void ReplayMissLog::served(const RequestOutcome& outcome) {
  // A block that was missing at arrival is missing at its touch, unless the request has it twice.
  const auto first = std::find_if(misses_.begin(), misses_.end(), [&](const BlockMiss& miss) {
    return miss.position == outcome.leading;
  });
  if (first != misses_.end()) {
    FirstMiss miss;
    miss.request = outcome.request;
    miss.blocks = outcome.blocks;
    miss.found = outcome.leading;
    miss.reason = first->reason;
    if (first->reason != MissReason::never_seen) {
      miss.lost_at = first->lost_at;
      if (first->reason != MissReason::expired) miss.lost_during = first->lost_during;
    }
    miss.shared = outcome.first_new;
    table_.write(miss);
  }
  misses_.clear();
}

std::size_t EngineMissLog::Hash::operator()(const ContentId& id) const {
  return HashChainIndex::hash(id);
}

EngineMissLog::EngineMissLog(std::ostream& out, std::uint32_t block_size,
                             std::function<const Request&(SequenceId)> request_of)
    : table_(out), block_size_(block_size), request_of_(std::move(request_of)) {}

void EngineMissLog::on_event(const Event& event) {
  std::visit(Overloaded{[&](const ClockAdvanced& e) { now_ = e.now; },
                        [&](const PrefixLookedUp& e) { hit_ = e.hit; },
                        // Before the admission changes what is cached.
                        [&](const SequenceStarted& e) { admitted(e.sequence); },
                        [&](const BlocksCached& e) { cached(e); },
                        [&](const BlocksUncached& e) { uncached(e); },
                        [&](const CacheCleared&) { cleared(); },
                        [&](const BlocksAllocated& e) { made_room(e.sequence); },
                        [&](const BlockCopied& e) { made_room(e.sequence); },
                        [&](const BlocksReleased& e) { releasing_ = request_of(e.sequence); },
                        [&](const RoundStarted& e) { evicting_ = e.sequence; }, [](const auto&) {}},
             event);
}

void EngineMissLog::admitted(SequenceId id) {
  if (seen_.size() <= id.value()) seen_.resize(id.value() + 1);
  if (seen_[id.value()]) return;
  seen_[id.value()] = true;
  const Request& request = request_of_(id);
  FirstMiss miss;
  miss.request = id.value();
  miss.blocks = (request.prompt_tokens - 1) / block_size_;  // V13: the last token is computed
  miss.found = hit_ / block_size_;
  if (miss.found >= miss.blocks) return;
  const auto past = [&](std::uint32_t block) {
    return pasts_.find(block_content(request, block, block_size_, 0, 1));
  };
  if (const auto first = past(miss.found); first != pasts_.end()) {
    miss.reason = first->second.reason;
    miss.lost_at = first->second.lost_at;
    miss.lost_during = first->second.lost_during;
  }
  miss.shared = miss.found;
  while (miss.shared < miss.blocks && past(miss.shared) != pasts_.end())
    ++miss.shared;
  table_.write(miss);
}

void EngineMissLog::cached(const BlocksCached& event) {
  for (std::size_t i = 0; i < event.blocks.size(); ++i) {
    const std::uint32_t block = event.blocks[i].value();
    if (contents_.size() <= block) contents_.resize(block + 1);
    contents_[block] = event.contents[i];
    ++pasts_[event.contents[i]].copies;
  }
}

void EngineMissLog::uncached(const BlocksUncached& event) {
  for (const BlockId block : event.blocks) {
    const ContentId& id = contents_[block.value()];
    switch (event.cause) {
      case UncacheCause::allocation:
        making_room_.push_back(id);
        break;
      case UncacheCause::quota:
        lose(id, MissReason::evicted, releasing_);
        break;
      case UncacheCause::expiry:
        lose(id, MissReason::expired, std::nullopt);
        break;
      case UncacheCause::rewrite:
      case UncacheCause::eviction:
        lose(id, MissReason::evicted, evicting_);
        break;
    }
  }
}

void EngineMissLog::made_room(SequenceId sequence) {
  for (const ContentId& id : making_room_)
    lose(id, MissReason::evicted, request_of(sequence));
  making_room_.clear();
}

void EngineMissLog::cleared() {
  for (auto& [id, past] : pasts_) {
    if (past.copies == 0) continue;
    past.copies = 1;
    lose(id, MissReason::evicted, std::nullopt);
  }
}

void EngineMissLog::lose(const ContentId& id, MissReason reason, std::optional<SequenceId> during) {
  Past& past = pasts_[id];
  if (--past.copies > 0) return;
  past.reason = reason;
  past.lost_at = now_;
  past.lost_during = during ? std::optional(during->value()) : std::nullopt;
}

}  // namespace vacancy
