// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {
namespace {

class Full final : public EvictionPolicy {
 public:
  KeepRule keep_rule() const override { return KeepRule::all; }

  void score(const EvictionRound&, std::span<double> scores, SelectionScratch&) const override {
    std::fill(scores.begin(), scores.end(), 0.0);
  }
  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch&) const override {
    bits::set_range(keep, 0, round.live.size());
  }
};

}  // namespace

PolicyEntry full_entry() {
  return entry_of<Full>("full", "Keeps every token: the uncompressed cache to compare with.", "");
}

}  // namespace vacancy
