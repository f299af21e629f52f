// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_facts.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

namespace vacancy {

namespace {

std::uint64_t held_blocks(const CachedSequence& sequence) {
  std::uint64_t held = 0;
  for (const BlockTable& table : sequence.tables) {
    const auto entries = table.entries();
    held += entries.size() -
            static_cast<std::uint64_t>(std::count(entries.begin(), entries.end(), null_block));
  }
  return held;
}

}  // namespace

void RunFacts::on_event(const Event& event) {
  if (const auto* appended = std::get_if<TokensAppended>(&event)) {
    tokens_appended_ += appended->count;
  } else if (const auto* round = std::get_if<RoundStarted>(&event)) {
    blocks_before_rounds_ += held_blocks(cache_.sequence(round->sequence));
    round_in_step_ = true;
  } else if (std::holds_alternative<ClockAdvanced>(event)) {
    if (round_in_step_) held_after_rounds_.push_back(cache_.pool().slots().held);
    round_in_step_ = false;
  }
}

std::optional<double> RunFacts::steady_held_slots() const {
  const auto later =
      held_after_rounds_.begin() + static_cast<std::ptrdiff_t>(held_after_rounds_.size() / 2);
  if (later == held_after_rounds_.end()) return std::nullopt;
  const auto sum = std::accumulate(later, held_after_rounds_.end(), std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(held_after_rounds_.end() - later);
}

std::uint64_t blocks_if_packed(const KvCache& cache) {
  const std::uint64_t block_size = cache.config().block_size;
  std::uint64_t blocks = 0;
  for (const auto& [id, sequence] : cache.sequences())
    for (const BlockTable& table : sequence.tables) {
      std::uint64_t longest = 0;
      for (std::uint32_t set = 0; set < table.sets(); ++set)
        longest = std::max<std::uint64_t>(longest, table.live_count(set));
      blocks += (longest + block_size - 1) / block_size;
    }
  return blocks;
}

}  // namespace vacancy
