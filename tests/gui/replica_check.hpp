// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "gui/model/replica.hpp"
#include "gui/model/replica_undo.hpp"
#include "sim/pool/cache_gauges.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/serving/cache_manager.hpp"

namespace vacancy::test {

/// Whether the cache is between two operations when an observer hears the event: within one it may
/// have done more than it has told.
inline bool at_rest(const vacancy::Event& event) {
  return std::visit(
      [](const auto& e) {
        using E = std::decay_t<decltype(e)>;
        return !std::is_same_v<E, BlocksAllocated> && !std::is_same_v<E, BlocksUncached> &&
               !std::is_same_v<E, BlocksAdopted> && !std::is_same_v<E, BlockCopied> &&
               !std::is_same_v<E, TablePacked> && !std::is_same_v<E, TableCopiedOut> &&
               !std::is_same_v<E, TokensMoved> && !std::is_same_v<E, BlocksReleased>;
      },
      event);
}

inline void check_figures(const gui::Replica& replica, const CacheGauges& gauges) {
  const gui::ReplicaFigures& figures = replica.figures();
  const SlotCounts slots{figures.slots.held(), figures.slots.all_live(),
                         figures.slots[gui::SlotClass::hole], figures.slots[gui::SlotClass::tail]};
  // Asked after millions of events: assertions are for the one that fails.
  if (slots == gauges.slots && figures.held_blocks == gauges.held_blocks &&
      figures.shared_blocks == gauges.shared_blocks &&
      figures.saved_blocks == gauges.saved_blocks &&
      figures.slots.total() == figures.blocks * replica.shape().block_size)
    return;
  REQUIRE(figures.held_blocks == gauges.held_blocks);
  REQUIRE(figures.slots.held() == gauges.slots.held);
  REQUIRE(figures.slots.all_live() == gauges.slots.live);
  REQUIRE(figures.slots[gui::SlotClass::hole] == gauges.slots.hole);
  REQUIRE(figures.slots[gui::SlotClass::tail] == gauges.slots.tail);
  REQUIRE(figures.shared_blocks == gauges.shared_blocks);
  REQUIRE(figures.saved_blocks == gauges.saved_blocks);
  REQUIRE(figures.slots.total() == figures.blocks * replica.shape().block_size);
}

/// Every block, slot, table and the free queue as the cache itself has them.
inline void check_all(const gui::Replica& replica, const KvCache& cache) {
  const BlockPool& pool = cache.pool();
  check_figures(replica, gauges_of(pool));
  const gui::PoolView view = replica.view();
  REQUIRE(replica.blocks() == pool.created());
  std::vector<gui::SlotView> slots;
  for (std::uint32_t id = 0; id < pool.created(); ++id) {
    const BlockId block(id);
    REQUIRE(view.references[id] == pool.references(block));
    REQUIRE(view.live[id] == pool.live(block));
    REQUIRE(view.fill[id] == pool.fill(block));
    REQUIRE(((view.flags[id] & gui::cached) != 0) == pool.cached(block));
    REQUIRE(((view.flags[id] & gui::held) != 0) == (pool.references(block) > 0));
    REQUIRE(replica.places(id).size() == pool.references(block));
    replica.slots(id, slots);
    for (std::uint32_t offset = 0; offset < pool.block_size(); ++offset)
      REQUIRE(slots[offset].holders == pool.holders(block, offset));
  }
  std::vector<std::uint32_t> queue;
  pool.free_queue().for_each([&](BlockId block) { queue.push_back(block.value()); });
  REQUIRE(replica.free_queue() == queue);
  REQUIRE(replica.sequences().size() == cache.sequences().size());
  for (const auto& [id, sequence] : cache.sequences()) {
    const gui::ReplicaSequence* const own = replica.sequence(id.value());
    REQUIRE(own != nullptr);
    REQUIRE(own->next_position == sequence.next_position);
    for (std::size_t t = 0; t < sequence.tables.size(); ++t) {
      const BlockTable& table = sequence.tables[t];
      REQUIRE(own->tables[t].length == table.length());
      REQUIRE(own->tables[t].entries.size() == table.entries().size());
      for (std::size_t i = 0; i < table.entries().size(); ++i)
        REQUIRE(own->tables[t].entries[i] == table.entries()[i].value());
      for (std::uint32_t set = 0; set < table.sets(); ++set) {
        std::vector<std::uint32_t> mine, theirs;
        own->tables[t].for_each_live(set, [&](std::uint32_t slot, std::uint32_t token) {
          mine.insert(mine.end(), {slot, token});
        });
        table.for_each_live(set, [&](std::uint32_t slot, std::uint32_t token) {
          theirs.insert(theirs.end(), {slot, token});
        });
        REQUIRE(mine == theirs);
      }
    }
  }
}

/// Follows a run with a replica and compares the two: figures whenever the cache is at rest, all of
/// it at every `every`-th such event.
class Comparison final : public Observer {
 public:
  Comparison(const gui::ReplicaShape& shape, const KvCache& cache, std::uint64_t every)
      : replica_(shape), cache_(cache), every_(every) {}

  void on_event(const vacancy::Event& event) override {
    replica_.apply(event);
    if (!at_rest(event)) return;
    if (rest_++ % every_ == 0)
      check_all(replica_, cache_);
    else
      check_figures(replica_, gauges_of(cache_.pool()));
  }
  const gui::Replica& replica() const { return replica_; }

 private:
  gui::Replica replica_;
  const KvCache& cache_;
  std::uint64_t every_, rest_ = 0;
};

/// The same of a cache that is no KvCache: its figures at the end of each step.
class GaugeComparison final : public Observer {
 public:
  GaugeComparison(const gui::ReplicaShape& shape, const CacheManager& cache)
      : replica_(shape), cache_(cache) {}

  void on_event(const vacancy::Event& event) override {
    replica_.apply(event);
    if (!std::holds_alternative<StepComposed>(event)) return;
    check_figures(replica_, cache_.gauges());
    ++compared;
  }
  const gui::Replica& replica() const { return replica_; }
  std::uint64_t compared = 0;

 private:
  gui::Replica replica_;
  const CacheManager& cache_;
};

}  // namespace vacancy::test
