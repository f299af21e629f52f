// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/kv_event_log.hpp"

#include "sim/units/overloaded.hpp"

namespace vacancy {

namespace {

std::string hash_text(const ContentId& id) {
  return '"' + std::to_string(id.key) + ':' + std::to_string(id.index) + ':' +
         std::to_string(id.space) + '"';
}

template <class Hashes>
std::string list_text(const Hashes& hashes) {
  std::string text = "[";
  for (const ContentId& id : hashes)
    text += (text.size() > 1 ? "," : "") + hash_text(id);
  return text + ']';
}

}  // namespace

void KvEventLog::on_event(const Event& event) {
  std::visit(Overloaded{
                 [&](const ClockAdvanced& e) { now_ = e.now; },
                 [&](const BlocksAdopted& e) {
                   last_[{e.sequence, e.table}] = e.blocks.back();
                 },
                 [&](const BlocksCached& e) { stored(e); },
                 [&](const BlocksUncached& e) { removed(e); },
                 [&](const CacheCleared&) { cleared(); },
                 [&](const SequenceFinished& e) {
                   last_.erase({e.sequence, 0});
                 },
                 [&](const SequencePreempted& e) {
                   last_.erase({e.sequence, 0});
                 },
                 [](const auto&) {},
             },
             event);
}

void KvEventLog::forget_tables(SequenceId id) {
  last_.erase(last_.lower_bound({id, 0}), last_.lower_bound({SequenceId(id.value() + 1), 0}));
}

std::string KvEventLog::parent(const BlocksCached& event) const {
  const auto last = last_.find({event.sequence, event.table});
  if (event.first_entry == 0 || last == last_.end()) return "null";
  const std::uint32_t block = last->second.value();
  if (block >= contents_.size() || !cached_[block] ||
      contents_[block].index + 1 != event.first_entry)
    return "null";
  return hash_text(contents_[block]);
}

void KvEventLog::stored(const BlocksCached& event) {
  out_ << "{\"type\":\"BlockStored\",\"time_ns\":" << now_.value()
       << ",\"block_hashes\":" << list_text(event.contents)
       << ",\"parent_block_hash\":" << parent(event) << ",\"block_size\":" << block_size_
       << ",\"group\":" << event.table << "}\n";
  for (std::size_t i = 0; i < event.blocks.size(); ++i) {
    const std::uint32_t block = event.blocks[i].value();
    if (contents_.size() <= block) {
      contents_.resize(block + 1);
      cached_.resize(block + 1);
    }
    contents_[block] = event.contents[i];
    cached_[block] = true;
  }
  last_[{event.sequence, event.table}] = event.blocks.back();
}

void KvEventLog::removed(const BlocksUncached& event) {
  std::vector<ContentId> gone;
  for (const BlockId block : event.blocks) {
    gone.push_back(contents_[block.value()]);
    cached_[block.value()] = false;
  }
  out_ << "{\"type\":\"BlockRemoved\",\"time_ns\":" << now_.value()
       << ",\"block_hashes\":" << list_text(gone) << "}\n";
}

void KvEventLog::cleared() {
  cached_.assign(cached_.size(), false);
  out_ << "{\"type\":\"AllBlocksCleared\",\"time_ns\":" << now_.value() << "}\n";
}

}  // namespace vacancy
