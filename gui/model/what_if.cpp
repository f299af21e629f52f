// SPDX-License-Identifier: Apache-2.0
#include "gui/model/what_if.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gui/model/number_format.hpp"

namespace vacancy::gui {

namespace {

/// Carries a plan out on copies of the tables and notes what it does to the pool, as
/// KvCache::reclaim would.
class Trial {
 public:
  Trial(const CachedSequence& sequence, const BlockPool& pool, ReclaimPreview& out)
      : sequence_(sequence), pool_(pool), out_(out) {}

  void carry_out(const ReclaimPlan& plan) {
    for (std::size_t i = 0; i < plan.tables.size(); ++i)
      table(sequence_.tables[i], plan.tables[i]);
    std::sort(out_.freed.begin(), out_.freed.end());
    // Blocks that were taken only to be let go again come in the order of their placeholders.
    out_.freed.erase(std::lower_bound(out_.freed.begin(), out_.freed.end(), first_taken_),
                     out_.freed.end());
  }

 private:
  /// Blocks that the plan takes have no number yet.
  static constexpr std::uint32_t first_taken_ = 0xf0000000u;

  void table(BlockTable& table, const TablePlan& plan) {
    const std::uint32_t b = table.block_size();
    for (const std::uint32_t entry : plan.unshare) {
      out_.copied_set_tokens +=
          std::uint64_t{std::min(b, table.length() - entry * b)} * table.sets();
      table.replace_entry(entry, take());
    }
    if (!plan.moves.empty()) {
      for (const SlotMove& move : plan.moves.all())
        note_move(table, move.source, move.target);
      out_.moved_set_tokens += plan.moves.all().size();
      table.move(plan.moves);
      for (std::uint32_t entry = 0; entry < table.entries().size(); ++entry)
        table.set_entry_pairs(entry, pairs(table, entry));
    }
    if (!plan.release.empty()) release(table, plan.release, plan.shift);
    if (plan.pack_from) pack(table, *plan.pack_from, plan.fresh_blocks);
  }

  void pack(BlockTable& table, std::uint32_t first_slot, std::uint32_t fresh) {
    const std::uint32_t b = table.block_size();
    std::vector<std::uint32_t> counts(table.sets()), gone;
    if (fresh == 0) {
      note_packing(table, first_slot, first_slot);
      const auto entries = static_cast<std::uint32_t>(table.entries().size());
      out_.moved_set_tokens += table.pack(first_slot, counts);
      for (std::uint32_t entry = (table.length() + b - 1) / b; entry < entries; ++entry)
        gone.push_back(entry);
    } else {
      const auto old_end = static_cast<std::uint32_t>(table.entries().size());
      for (std::uint32_t n = 0; n < fresh; ++n)
        table.push_entry(take());
      note_packing(table, first_slot, old_end * b);
      table.copy_out(first_slot, old_end * b, counts);
      out_.moved_set_tokens += std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
      for (std::uint32_t entry = first_slot / b; entry < old_end; ++entry)
        gone.push_back(entry);
    }
    if (!gone.empty()) release(table, gone, true);
  }

  void release(BlockTable& table, std::span<const std::uint32_t> entries, bool shift) {
    for (const std::uint32_t entry : entries) {
      const BlockId block = table.entries()[entry];
      if (block == null_block) continue;
      // Tables of one sequence have blocks of their own.
      if (block.value() >= first_taken_ || pool_.references(block) == 1)
        out_.freed.push_back(block.value());
    }
    table.remove_entries(entries, shift);
  }

  static std::uint32_t pairs(const BlockTable& table, std::uint32_t entry) {
    std::uint32_t count = 0;
    const std::uint32_t first = entry * table.block_size();
    const std::uint32_t last = std::min(first + table.block_size(), table.length());
    for (std::uint32_t set = 0; first < last && set < table.sets(); ++set)
      table.for_each_live(set, first, last, [&](std::uint32_t, std::uint32_t) { ++count; });
    return count;
  }

  /// Survivors of the first set at or beyond a slot, in their order, to the slots from `target` on.
  void note_packing(const BlockTable& table, std::uint32_t first_slot, std::uint32_t target) {
    table.for_each_live(0, first_slot, table.length(), [&](std::uint32_t slot, std::uint32_t) {
      if (slot != target) note_move(table, slot, target);
      ++target;
    });
  }

  void note_move(const BlockTable& table, std::uint32_t source, std::uint32_t target) {
    if (out_.moves.size() == ReclaimPreview::max_moves) return;
    const std::uint32_t b = table.block_size();
    if (target / b >= table.entries().size()) return;
    const std::uint32_t to = table.entries()[target / b].value();
    if (to >= first_taken_) return;  // where it goes has no place on the map yet
    out_.moves.push_back({table.entries()[source / b].value(), source % b, to, target % b});
  }

  BlockId take() { return BlockId(first_taken_ + taken_++); }

  CachedSequence sequence_;  // a copy
  const BlockPool& pool_;
  ReclaimPreview& out_;
  std::uint32_t taken_ = 0;
};

std::string block_list(const std::vector<std::uint32_t>& blocks) {
  if (blocks.empty()) return "";
  std::string text = " (";
  for (std::size_t i = 0; i < blocks.size() && i < 4; ++i)
    text += (i > 0 ? ", " : "") + number(blocks[i]);
  return text + (blocks.size() > 4 ? ", …)" : ")");
}

std::string sentence_of(const ReclaimPreview& preview, std::uint32_t sets, bool refused,
                        std::uint64_t available) {
  if (refused)
    return preview.reclaimer + " would not: it would touch blocks that other tables share.";
  if (preview.blocks_taken > available)
    return preview.reclaimer + " could not: it takes " + counted(preview.blocks_taken, "block") +
           " first, and " + number(static_cast<std::int64_t>(available)) + " are free.";
  const std::uint64_t moved = preview.moved_set_tokens;
  std::string text = preview.reclaimer + " would ";
  if (moved > 0)
    text += "move " + counted(moved, "token") +
            (sets > 1 ? " of " + number(sets) + " sets and " : " and ");
  text += "free " + counted(preview.freed.size(), "block") + block_list(preview.freed);
  if (preview.blocks_taken > 0) text += ", and take " + counted(preview.blocks_taken, "block");
  return text + ".";
}

}  // namespace

CachedSequence cached_sequence(const Replica& replica, std::uint32_t id) {
  const ReplicaSequence& own = *replica.sequence(id);
  CachedSequence sequence;
  sequence.id = SequenceId(id);
  sequence.prompt_tokens = own.prompt_tokens;
  sequence.next_position = own.next_position;
  sequence.rounds = static_cast<std::uint32_t>(own.round_times.size());
  std::vector<BlockId> entries;
  for (const ReplicaTable& table : own.tables) {
    entries.clear();
    for (const std::uint32_t entry : table.entries)
      entries.push_back(entry == null_entry ? null_block : BlockId(entry));
    std::vector<std::vector<BlockTable::LiveSlot>> live(table.sets);
    for (std::uint32_t set = 0; set < table.sets; ++set) {
      table.for_each_live(set, [&](std::uint32_t slot, std::uint32_t token) {
        live[set].push_back({token, slot});
      });
      sequence.live = std::max(sequence.live, static_cast<std::uint32_t>(live[set].size()));
    }
    sequence.tables.push_back(BlockTable::restored(table.block_size, own.next_position,
                                                   {entries, table.length, table.ordered, live}));
  }
  return sequence;
}

BlockPool block_pool(const Replica& replica) {
  const ReplicaShape& shape = replica.shape();
  const PoolView view = replica.view();
  BlockPool pool(shape.block_size, shape.blocks);
  pool.prepare(replica.blocks());
  std::vector<SlotView> slots;
  std::vector<std::uint32_t> holders;
  for (std::uint32_t id = 0; id < replica.blocks(); ++id) {
    const BlockId block(id);
    pool.set_cached(block, (view.flags[id] & cached) != 0);
    if (view.references[id] == 0) continue;
    for (std::uint32_t n = 0; n < view.references[id]; ++n)
      pool.add_reference(block);
    replica.slots(id, slots);
    holders.clear();
    for (std::uint32_t offset = 0; offset < view.fill[id]; ++offset)
      holders.push_back(slots[offset].holders);
    pool.rewrite(block, holders);
  }
  const std::vector<std::uint32_t> queue = replica.free_queue();
  for (auto it = queue.rbegin(); it != queue.rend(); ++it)
    pool.advance(BlockId(*it));
  return pool;
}

ParameterValues default_values(const EntryInfo& info) {
  ParameterValues values;
  for (const Parameter& parameter : info.parameters)
    values[parameter.name] = parameter.default_value;
  return values;
}

ReclaimRules preview_rules(const Scenario& scenario) {
  ReclaimRules rules = scenario.reclaim_rules;
  rules.min_hole_share = 0;
  rules.min_blocks = 0;
  return rules;
}

std::vector<ReclaimPreview> what_if(const Replica& replica, std::uint32_t id,
                                    const Scenario& scenario) {
  std::vector<ReclaimPreview> previews;
  const ReplicaShape& shape = replica.shape();
  if (!shape.has_map || !shape.has_queue || replica.sequence(id) == nullptr) return previews;
  const CachedSequence sequence = cached_sequence(replica, id);
  const BlockPool pool = block_pool(replica);
  const std::uint64_t of_block = std::uint64_t{shape.block_size} * shape.layout.sets_per_table();
  for (const ReclaimerEntry& entry : reclaimers()) {
    ReclaimPlan plan;
    plan.tables.resize(sequence.tables.size());
    make_reclaimer(entry, default_values(entry.info), preview_rules(scenario))
        ->plan(sequence, pool, plan);
    ReclaimPreview preview;
    preview.reclaimer = entry.info.name;
    preview.blocks_taken = plan.blocks_taken();
    preview.possible = !plan.refused && preview.blocks_taken <= pool.available();
    if (preview.possible) Trial(sequence, pool, preview).carry_out(plan);
    preview.bytes_moved = 2 * (preview.moved_set_tokens + preview.copied_set_tokens) *
                          scenario.cache.block_bytes.value() / of_block;
    preview.sentence =
        sentence_of(preview, shape.layout.sets_per_table(), plan.refused, pool.available());
    previews.push_back(std::move(preview));
  }
  return previews;
}

}  // namespace vacancy::gui
