// SPDX-License-Identifier: Apache-2.0
// What a RunSession says about its moment in words and figures.
#include <algorithm>
#include <cmath>

#include "gui/model/announcer.hpp"
#include "gui/widgets/run_session.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

QString ago(std::int64_t now_ns, std::int64_t then_ns) {
  return then_ns < 0 ? QObject::tr("never")
                     : QObject::tr("%1 ago").arg(text_of(seconds(now_ns - then_ns)));
}

/// "352 – 367": positions of what is or was in the slots.
QString positions(const std::vector<SlotView>& views) {
  std::uint32_t least = UINT32_MAX, most = 0;
  for (const SlotView& slot : views)
    if (slot.position != UINT32_MAX) {
      least = std::min(least, slot.position);
      most = std::max(most, slot.position);
    }
  return least == UINT32_MAX ? QStringLiteral("–") : text_of(range(least, most));
}

/// Of a slot whose score somebody found out.
QString score_words(const SlotView& slot) {
  if (std::isnan(slot.score)) return {};
  return QObject::tr("<br>score %1: so many of the others in its round scored less")
      .arg(text_of(score_text(slot.score)));
}

}  // namespace

std::uint64_t RunSession::evicted_tokens() const {
  return replica().figures().evicted_set_tokens /
         std::max(1U, recording().shape().sets_per_table());
}

std::vector<Figure> RunSession::figures() const {
  const ReplicaFigures& f = replica().figures();
  const ReplicaShape& shape = recording().shape();
  const std::uint64_t evicted = evicted_tokens();
  const double efficiency =
      reclaim_efficiency(f.blocks_freed, shape.block_size,
                         static_cast<std::int64_t>(f.evicted_set_tokens), shape.sets_per_table());
  const std::uint64_t promised = evicted / shape.block_size;
  const auto freed = f.blocks_freed;
  const std::int64_t short_by = static_cast<std::int64_t>(promised) - freed;
  const SlotClasses slots = slots_now();
  const std::uint64_t held = slots.held();
  const BlockCounts blocks = block_counts();
  const std::uint64_t free = blocks.all - std::min(blocks.all, blocks.held);
  std::vector<Figure> all;
  all.push_back({tr("Reclaim efficiency"), text_of(percent(efficiency)), tr("of the promise"),
                 tr("Blocks freed by eviction × block size / tokens evicted: the share of the "
                    "promised memory that came back."),
                 std::isnan(efficiency) ? std::nullopt : std::optional(efficiency)});
  all.push_back({tr("Tokens evicted"), grouped(evicted),
                 tr("= %1").arg(text_of(counted(promised, "block"))),
                 tr("What the method claims: tokens dropped, per table the mean over its sets, "
                    "summed over tables."),
                 std::nullopt});
  all.push_back(
      {tr("Blocks freed by eviction"), text_of(number(freed)),
       short_by > 0 ? tr("%1 short").arg(grouped(static_cast<std::uint64_t>(short_by))) : QString(),
       tr("Blocks that returned to the pool because of eviction, less those that reclaim "
          "took."),
       std::nullopt});
  all.push_back({tr("Hole ratio"),
                 held == 0 ? QStringLiteral("–") : share_of(slots[SlotClass::hole], held),
                 tr("of held slots"),
                 tr("Slots whose token was evicted while their block is held."), std::nullopt});
  all.push_back({tr("Free blocks"), grouped(free),
                 tr("%1 of %2").arg(share_of(free, blocks.all), grouped(blocks.all)),
                 tr("Blocks that no table refers to, cached ones included."), std::nullopt});
  return all;
}

BlockFacts RunSession::facts(std::uint32_t block) const {
  BlockFacts f;
  f.block = block;
  if (block >= replica().blocks()) return f;
  const PoolView view = replica().view();
  const std::uint8_t flags = view.flags[block];
  f.rows.emplace_back(tr("Last event"), ago(view.time_ns, view.changed_ns[block]));
  if (replica().allocated_ns(block) >= 0)
    f.rows.emplace_back(tr("Allocated"),
                        tr("at %1").arg(text_of(seconds(replica().allocated_ns(block)))));
  if ((flags & BlockFlag::held) == 0) {
    f.kind = (flags & BlockFlag::host_tier) != 0 && (flags & BlockFlag::cached) != 0
                 ? BlockClass::host
             : (flags & BlockFlag::cached) != 0 ? BlockClass::cached_free
                                                : BlockClass::free;
    if (f.kind == BlockClass::cached_free)
      f.why = tr("No table holds it; its contents can still be found by hash.");
    return f;
  }
  const std::span<const SlotView> slots = slots_of(block);
  f.slot_views.assign(slots.begin(), slots.end());
  f.kind = live_class_of(flags, view.references[block]);
  f.live = view.live[block];
  f.holes = static_cast<std::uint32_t>(view.fill[block] - view.live[block]);
  f.tail = view.block_size - view.fill[block];
  const auto places = replica().places(block);
  QString owner = QStringLiteral("–"), entry = owner;
  if (!places.empty()) {
    owner = text_of(sequence_name(places.front().sequence));
    entry = grouped(places.front().entry);
    if (places.size() > 1) owner += tr(" and %1 more").arg(places.size() - 1);
  }
  f.rows.insert(f.rows.begin(), {{tr("Owner"), owner},
                                 {tr("Logical"), entry},
                                 {tr("Positions"), positions(f.slot_views)},
                                 {tr("References"), grouped(view.references[block])}});
  f.why = text_of(block_sentence(replica(), block, finder_.scores()));
  if (!f.why.isEmpty()) f.why[0] = f.why[0].toUpper();
  return f;
}

void RunSession::add_history(BlockFacts& facts) {
  // Walking back costs: of what is farther away nothing is said.
  constexpr std::size_t most = 8;
  constexpr std::uint64_t most_events = 20'000;
  if (!block_history_) block_history_.emplace(shared_recording());
  for (const BlockChange& change :
       block_history_->before(moment(), facts.block, most, most_events).changes)
    facts.history.emplace_back(text_of(seconds(change.time_ns)), text_of(change.text));
}

QString RunSession::tooltip(std::uint32_t block, std::optional<std::uint32_t> slot) const {
  if (!has_map()) return {};
  const QString head = QStringLiteral("<b>%1</b><br>%2");
  const QString b = grouped(block);
  if (block >= replica().blocks()) return head.arg(tr("Block %1").arg(b), tr("not there yet"));
  const PoolView view = replica().view();
  const QString last = tr("last event %1").arg(ago(view.time_ns, view.changed_ns[block]));
  if ((view.flags[block] & BlockFlag::held) == 0)
    return head.arg(
        tr("Block %1 · %2")
            .arg(b, (view.flags[block] & BlockFlag::cached) != 0 ? tr("cached-free") : tr("free")),
        last);
  if (slot) {
    const std::span<const SlotView> slots = slots_of(block);
    const SlotView& s = slots[std::min<std::size_t>(*slot, slots.size() - 1)];
    const QString title =
        s.position == UINT32_MAX
            ? tr("Slot %1 of block %2 · tail").arg(*slot).arg(b)
            : tr("Slot %1 of block %2 · token %3").arg(*slot).arg(b).arg(s.position);
    const QString state =
        s.state == SlotState::live ? tr("live, kept by %1").arg(text_of(counted(s.holders, "set")))
        : s.state == SlotState::hole ? tr("hole since %1").arg(text_of(seconds(s.evicted_ns)))
                                     : tr("never written");
    return head.arg(title, state + score_words(s));
  }
  const QString owner =
      view.owner[block] == no_sequence ? tr("no owner") : tr("sequence %1").arg(view.owner[block]);
  return head.arg(
      tr("Block %1 · %2/%3 live").arg(b).arg(view.live[block]).arg(view.block_size),
      tr("%1, %2, %3<br>%4")
          .arg(owner,
               text_of(counted(static_cast<std::uint64_t>(view.fill[block] - view.live[block]),
                               "hole")),
               text_of(counted(view.references[block], "reference")), last));
}

}  // namespace vacancy::gui
