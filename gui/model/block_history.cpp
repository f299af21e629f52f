// SPDX-License-Identifier: Apache-2.0
#include "gui/model/block_history.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "gui/model/announcer.hpp"
#include "gui/model/number_format.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/units/overloaded.hpp"

namespace vacancy::gui {

namespace {

struct Cell {
  std::uint32_t live, fill, references;
  std::uint8_t flags;
  std::int64_t changed;
  bool operator==(const Cell&) const = default;
};

Cell cell_of(const Replica& replica, std::uint32_t block) {
  const PoolView view = replica.view();
  if (block >= view.live.size()) return {0, 0, 0, 0, -1};
  return {view.live[block], view.fill[block], view.references[block], view.flags[block],
          view.changed_ns[block]};
}

std::string stay(const Cell& cell, std::uint32_t block_size) {
  return std::to_string(cell.live) + " of " + std::to_string(block_size) + " stay";
}

/// What an event did to a block; `before` and `after` differ.
std::string describe(const vacancy::Event& event, const Cell& before, const Cell& after,
                     std::uint32_t b) {
  return std::visit(
      Overloaded{
          [&](const BlocksAllocated& e) {
            return "allocated to " + sequence_name(e.sequence.value());
          },
          [&](const BlocksAdopted& e) { return "adopted by " + sequence_name(e.sequence.value()); },
          [&](const TokensAppended&) {
            return "written, " + std::to_string(after.fill) + " of " + std::to_string(b);
          },
          [&](const TokensEvicted&) {
            return "evict: " + counted(before.live - after.live, "token") + ", " + stay(after, b);
          },
          [&](const TablePacked&) {
            return "compacted: " + std::to_string(after.live) + " of " + std::to_string(b) +
                   " live";
          },
          [&](const TokensMoved&) {
            return "tokens moved: " + std::to_string(after.live) + " of " + std::to_string(b) +
                   " live";
          },
          [&](const TableCopiedOut&) {
            return "copied out: " + std::to_string(after.live) + " of " + std::to_string(b) +
                   " live";
          },
          [&](const BlocksReleased& e) {
            std::string text = after.references == 0 ? "freed" : "one table let go";
            text += e.cause == FreeCause::eviction     ? " by eviction"
                    : e.cause == FreeCause::window     ? ": outside the window"
                    : e.cause == FreeCause::preemption ? ": preempted"
                                                       : ": the sequence ended";
            return text;
          },
          [&](const BlocksCached&) { return std::string("contents can be found"); },
          [&](const BlocksUncached& e) {
            return "contents lost (" + std::string(enum_name(e.cause)) + ")";
          },
          [&](const BlockCopied&) {
            return std::string(before.references == 0 ? "a private copy of a shared block"
                                                      : "copied for one of its tables");
          },
          [&](const SequenceForked& e) { return "shared with " + sequence_name(e.child.value()); },
          [&](const BlockOffloaded&) { return std::string("memory exchanged with the host's"); },
          [&](const BlockOnboarded&) { return std::string("memory exchanged with the host's"); },
          [&](const CacheCleared&) { return std::string("contents lost: the cache was cleared"); },
          [&](const auto&) { return std::string("changed"); },
      },
      event);
}

}  // namespace

BlockHistory::BlockHistory(std::shared_ptr<const Recording> recording)
    : walker_(std::move(recording)) {}

BlockHistory::Result BlockHistory::before(std::uint64_t event, std::uint32_t block,
                                          std::size_t most, std::uint64_t most_events) {
  Result result;
  const std::uint32_t b = walker_.recording().shape().block_size;
  walker_.seek(event);
  Cell after = cell_of(walker_.replica(), block);
  bool writing = false;  // the change found last is tokens that came
  for (std::uint64_t left = most_events; left > 0 && result.changes.size() < most; --left) {
    const std::int64_t time = walker_.time_ns();
    if (!walker_.back()) return result;
    const Cell before = cell_of(walker_.replica(), block);
    if (before == after) continue;
    const vacancy::Event& what = walker_.reader().event(walker_.event());
    const bool appended = std::holds_alternative<TokensAppended>(what);
    if (!(appended && writing))
      result.changes.push_back({walker_.event(), time, describe(what, before, after, b)});
    writing = appended;
    after = before;
  }
  result.complete = result.changes.size() == most || walker_.event() == 0;
  return result;
}

std::vector<BlockHolding> holdings_of(const Recording& recording, std::uint32_t block) {
  std::vector<BlockHolding> all;
  // Of the sequences that hold it now, where theirs stands in `all`, and by how many tables.
  std::map<std::uint32_t, std::pair<std::size_t, std::uint32_t>> open;
  const BlockId id(block);
  HistoryReader reader(recording.history());
  const std::uint64_t size = recording.events();
  constexpr std::uint64_t kinds =
      kinds_of<BlocksAllocated, BlocksAdopted, BlocksReleased, BlockCopied, SequenceForked>;
  const auto take = [&](SequenceId sequence, std::uint64_t n) {
    auto& [place, tables] = open[sequence.value()];
    if (tables++ > 0) return;
    place = all.size();
    all.push_back({sequence.value(), n, size});
  };
  const auto leave = [&](SequenceId sequence, std::uint64_t n) {
    const auto found = open.find(sequence.value());
    if (found == open.end() || --found->second.second > 0) return;
    all[found->second.first].last = n + 1;
    open.erase(found);
  };
  const auto named = [&](std::span<const BlockId> blocks) {
    return std::find(blocks.begin(), blocks.end(), id) != blocks.end();
  };
  for (std::uint64_t n = reader.find(kinds, 0, size); n < size; n = reader.find(kinds, n + 1, size))
    std::visit(Overloaded{
                   [](const auto&) {},
                   [&](const BlocksAllocated& e) {
                     if (named(e.blocks)) take(e.sequence, n);
                   },
                   [&](const BlocksAdopted& e) {
                     if (named(e.blocks)) take(e.sequence, n);
                   },
                   [&](const BlocksReleased& e) {
                     if (named(e.blocks)) leave(e.sequence, n);
                   },
                   [&](const BlockCopied& e) {
                     if (e.to == id) take(e.sequence, n);
                     if (e.from == id) leave(e.sequence, n);
                   },
                   [&](const SequenceForked& e) {
                     const auto parent = open.find(e.parent.value());
                     if (parent == open.end()) return;
                     const std::uint32_t tables = parent->second.second;
                     for (std::uint32_t i = 0; i < tables; ++i)
                       take(e.child, n);
                   },
               },
               reader.event(n));
  return all;
}

}  // namespace vacancy::gui
