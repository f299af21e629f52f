// SPDX-License-Identifier: Apache-2.0
#include "gui/model/prefix_tree.hpp"

#include <algorithm>
#include <variant>

#include "gui/model/state_hash.hpp"
#include "sim/units/overloaded.hpp"

namespace vacancy::gui {

namespace {

constexpr std::uint64_t telling =
    kinds_of<BlocksCached, BlocksUncached, BlocksAdopted, CacheCleared, SequenceFinished,
             SequencePreempted, SequenceForked>;

}  // namespace

std::size_t PrefixTree::Hash::operator()(const ContentId& id) const {
  StateHash hash;
  hash.add(id.key);
  hash.add(std::uint64_t{id.index} << 32 | id.space);
  return hash.value();
}

PrefixTree::PrefixTree(std::shared_ptr<const Recording> recording)
    : recording_(std::move(recording)), reader_(recording_->history()) {}

void PrefixTree::seek(std::uint64_t event) {
  event = std::min(event, recording_->events());
  if (event < event_) {
    event_ = 0;
    blocks_.clear();
    found_.clear();
    last_.clear();
  }
  while ((event_ = reader_.find(telling, event_, event)) < event)
    apply(reader_.event(event_++));
}

void PrefixTree::forget(BlockId block) {
  const auto place = blocks_.find(block);
  if (place == blocks_.end()) return;
  const auto same = found_.find(place->second.own);
  std::erase(same->second, block);
  if (same->second.empty()) found_.erase(same);
  blocks_.erase(place);
}

void PrefixTree::leave(SequenceId sequence) {
  const auto first = last_.lower_bound({sequence, 0});
  auto end = first;
  while (end != last_.end() && end->first.first == sequence)
    ++end;
  last_.erase(first, end);
}

void PrefixTree::apply(const vacancy::Event& event) {
  std::visit(Overloaded{
                 [](const auto&) {},
                 [&](const BlocksCached& e) {
                   const Table table{e.sequence, e.table};
                   const auto before = last_.find(table);
                   std::optional<ContentId> previous;
                   if (e.first_entry > 0 && before != last_.end()) previous = before->second;
                   for (std::size_t i = 0; i < e.blocks.size(); ++i) {
                     forget(e.blocks[i]);
                     blocks_[e.blocks[i]] = {e.contents[i], previous};
                     found_[e.contents[i]].push_back(e.blocks[i]);
                     previous = e.contents[i];
                   }
                   if (previous) last_[table] = *previous;
                 },
                 [&](const BlocksUncached& e) {
                   for (const BlockId block : e.blocks)
                     forget(block);
                 },
                 [&](const BlocksAdopted& e) {
                   for (const BlockId block : e.blocks)
                     if (const auto place = blocks_.find(block); place != blocks_.end())
                       last_[{e.sequence, e.table}] = place->second.own;
                 },
                 [&](const CacheCleared&) {
                   blocks_.clear();
                   found_.clear();
                 },
                 [&](const SequenceFinished& e) { leave(e.sequence); },
                 [&](const SequencePreempted& e) { leave(e.sequence); },
                 [&](const SequenceForked& e) {
                   for (std::uint32_t table = 0; table < recording_->shape().tables(); ++table)
                     if (const auto place = last_.find({e.parent, table}); place != last_.end())
                       last_[{e.child, table}] = place->second;
                 },
             },
             event);
}

std::vector<PrefixNode> PrefixTree::nodes() const {
  std::vector<PrefixNode> nodes;
  std::map<BlockId, std::uint32_t> places;
  for (const auto& [block, contents] : blocks_) {
    places[block] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({block.value(), PrefixNode::none, 0});
  }
  std::size_t i = 0;
  for (const auto& [block, contents] : blocks_) {
    PrefixNode& node = nodes[i++];
    if (!contents.before) continue;
    const auto above = found_.find(*contents.before);
    if (above == found_.end()) continue;
    node.parent = places.at(above->second.front());
    ++nodes[node.parent].children;
  }
  return nodes;
}

}  // namespace vacancy::gui
