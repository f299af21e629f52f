// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sim/reclaim/compactable.hpp"
#include "sim/reclaim/entries.hpp"

namespace vacancy {

namespace {

/// The survivors stay in as many blocks as they fill, those with most of them, and the others come
/// into the holes there: of all ways to hold them in so many blocks, the fewest moves (spec
/// block_aware P5, A2). The newest block is always among them, since the next token goes there; the
/// holes that are left over are the last ones. Where sets share a table, it is the sum over sets
/// that is least.
class FullestBlocks final : public Reclaimer {
 public:
  explicit FullestBlocks(SharedBlocks shared) : shared_(shared) {}

  void plan(const CachedSequence& sequence, const BlockPool& pool,
            ReclaimPlan& plan) const override {
    plan.cause = MoveCause::fullest_blocks;
    for (std::size_t i = 0; i < sequence.tables.size(); ++i)
      plan_table(sequence.tables[i], pool, plan.tables[i], plan.refused);
  }
  bool may_decline() const override { return shared_ != SharedBlocks::suffix; }

 private:
  /// Which entries stay: bit by entry.
  static std::vector<bool> fullest(const BlockTable& table, const Compactable& own) {
    const std::size_t blocks = own.blocks_filled(own.entries());
    std::vector<bool> stays(table.entries().size(), false);
    if (blocks == 0) return stays;
    std::vector<std::uint32_t> others(own.entries().begin(), own.entries().end() - 1);
    std::ranges::stable_sort(others, std::ranges::greater{},
                             [&](std::uint32_t entry) { return table.live_pairs(entry); });
    for (std::size_t i = 0; i + 1 < blocks; ++i)
      stays[others[i]] = true;
    stays[own.entries().back()] = true;
    return stays;
  }

  void plan_table(const BlockTable& table, const BlockPool& pool, TablePlan& plan,
                  bool& refused) const {
    const std::uint32_t b = table.block_size();
    const Compactable own(table, pool, shared_);
    plan.moves.first_slot = own.first() * b;
    const std::vector<bool> stays = fullest(table, own);
    std::vector<std::uint32_t> outside;
    std::vector<bool> live(table.entries().size() * b);
    for (std::uint32_t set = 0; set < table.sets(); ++set) {
      outside.clear();
      std::fill(live.begin(), live.end(), false);
      table.for_each_live(set, own.first() * b, table.length(),
                          [&](std::uint32_t slot, std::uint32_t) {
                            live[slot] = true;
                            if (!stays[slot / b]) outside.push_back(slot);
                          });
      auto source = outside.begin();
      for (const std::uint32_t entry : own.entries()) {
        if (!stays[entry]) continue;
        for (std::uint32_t slot = entry * b; slot < (entry + 1) * b; ++slot)
          if (!live[slot] && source != outside.end()) plan.moves.add({*source++, slot});
      }
      plan.moves.end_set();
    }
    own.release_empty(plan);
    for (const std::uint32_t entry : own.entries())
      if (!stays[entry]) plan.release.push_back(entry);
    std::ranges::sort(plan.release);
    plan.shift = true;
    if (!own.entries().empty()) own.settle_shared_moves(own.entries().back(), plan, refused);
  }

  SharedBlocks shared_;
};

}  // namespace

ReclaimerEntry fullest_blocks_entry() {
  return {{"fullest_blocks",
           "Survivors stay in the blocks that have most of them and the others move into the holes "
           "there: the fewest moves for the blocks they fill; slot order is lost.",
           "Vacancy's own",
           {}},
          Movement::in_place,
          [](const ParameterValues&, SharedBlocks shared) -> std::unique_ptr<Reclaimer> {
            return std::make_unique<FullestBlocks>(shared);
          }};
}

}  // namespace vacancy
