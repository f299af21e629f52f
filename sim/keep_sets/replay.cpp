// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/replay.hpp"

#include <algorithm>
#include <variant>

#include "sim/reclaim/carry_out.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr SequenceId only_sequence(0);

std::unique_ptr<Reclaimer> make_by_default(const ReclaimerEntry& entry) {
  ParameterValues values;
  for (const Parameter& parameter : entry.info.parameters)
    values.emplace(parameter.name, parameter.default_value);
  return make_reclaimer(entry, values);
}

}  // namespace

KeepSetReplay::KeepSetReplay(const CacheConfig& cache, const KeepSetAxes& axes,
                             const ReclaimerEntry& reclaimer)
    : axes_(axes),
      entry_(reclaimer),
      reclaimer_(make_by_default(reclaimer)),
      metrics_(
          cache, [this] { return gauges_of(cache_.pool()); }, 0),
      cache_(cache, *this) {
  plan_.tables.resize(cache.layout.tables());
  cache_.start(only_sequence, 0);
}

void KeepSetReplay::step(std::uint32_t appended, const KeepSets* decision) {
  if (!obstacle_.empty()) return;
  const bool found = cache_.append(only_sequence, appended);
  VACANCY_ASSERT(found, "an unlimited pool has room for all that is recorded");
  if (!decision) return;
  on_event(RoundStarted{only_sequence, cache_.sequence(only_sequence).rounds});
  carry_out(cache_, only_sequence, *decision, *reclaimer_, plan_);
}

void KeepSetReplay::on_event(const Event& event) {
  metrics_.on_event(event);
  if (const auto* eviction = std::get_if<TokensEvicted>(&event); eviction && entry_.whole_blocks())
    check_blocks(*eviction);
}

void KeepSetReplay::check_blocks(const TokensEvicted& eviction) {
  const CacheLayout& layout = cache_.config().layout;
  const auto& tables = cache_.sequence(only_sequence).tables;
  for (std::uint32_t index = 0; index < tables.size() && obstacle_.empty(); ++index) {
    const BlockTable& table = tables[index];
    const auto entries = static_cast<std::uint32_t>(table.entries().size());
    for (std::uint32_t set = 0; set < table.sets() && obstacle_.empty(); ++set)
      table.for_each_entry(0, entries, [&](std::uint32_t entry) {
        const std::uint32_t first = entry * table.block_size();
        const std::uint32_t last = std::min(first + table.block_size(), table.length());
        std::uint32_t kept = 0;
        table.for_each_live(set, first, last, [&](std::uint32_t, std::uint32_t) { ++kept; });
        // A newest block that is not full always stays: the next token goes there.
        const bool full = last - first == table.block_size();
        const bool whole = kept == last - first || (kept == 0 && full);
        if (whole || !obstacle_.empty()) return;
        obstacle_ = "step " + std::to_string(eviction.round) +
                    axes_.place_of(layout.policy_set(index, set)) + " keeps " +
                    std::to_string(kept) + " of the " + std::to_string(last - first) +
                    " tokens in " + (full ? "a block" : "the newest block");
      });
  }
}

void add_counts(Summary::Reclaim& sum, const Summary::Reclaim& other) {
  VACANCY_ASSERT(sum.sets_per_table == other.sets_per_table && sum.block_size == other.block_size,
                 "only counts of equal tables add up");
  sum.rounds += other.rounds;
  sum.evicted_set_tokens += other.evicted_set_tokens;
  sum.moved_set_tokens += other.moved_set_tokens;
  sum.vacated_tokens += other.vacated_tokens;
  sum.blocks_freed_by_eviction += other.blocks_freed_by_eviction;
  for (std::size_t cause = 0; cause < sum.moved_by.size(); ++cause)
    sum.moved_by[cause] += other.moved_by[cause];
}

}  // namespace vacancy
