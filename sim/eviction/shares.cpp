// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/shares.hpp"

#include <algorithm>
#include <vector>

namespace vacancy {

void JoinedValues::count_best(std::size_t first_set, std::size_t last_set, std::size_t wanted,
                              std::span<std::uint32_t> counts, SelectionScratch& scratch) const {
  const std::span<const double> values =
      std::span(values_).subspan(begin(first_set), ends_[last_set - 1] - begin(first_set));
  const std::size_t words = bits::words(values.size());
  scratch.marks.assign(2 * words, 0);
  const auto none = std::span<const std::uint64_t>(scratch.marks).first(words);
  const auto taken = std::span(scratch.marks).subspan(words);
  keep_best(values, none, static_cast<std::uint32_t>(std::min(wanted, values.size())), taken,
            scratch);
  for (std::size_t set = first_set; set < last_set; ++set)
    counts[set - first_set] = static_cast<std::uint32_t>(
        bits::count_range(taken, begin(set) - begin(first_set), ends_[set] - begin(first_set)));
}

void score_all(const EvictionPolicy& policy, std::span<EvictionRound> sets,
               SelectionScratch& scratch) {
  std::size_t tokens = 0;
  for (const EvictionRound& set : sets)
    tokens += set.live.size();
  scratch.of_sets.resize(tokens);
  std::span<double> rest = scratch.of_sets;
  for (EvictionRound& set : sets) {
    const std::span<double> own = rest.first(set.live.size());
    policy.score(set, own, scratch);
    set.scores = own;
    rest = rest.subspan(own.size());
  }
}

std::span<double> open_scores(const EvictionRound& round, SelectionScratch& scratch) {
  std::vector<double>& scores = scratch.scores;
  scores.clear();
  for (std::size_t i = 0; i < round.scores.size(); ++i)
    if (!bits::test(round.guarded, i)) scores.push_back(round.scores[i]);
  return scores;
}

void share_by_score(std::span<const EvictionRound> sets, std::size_t first, std::size_t last,
                    const JoinedValues& scores, std::span<std::uint32_t> shares,
                    SelectionScratch& scratch) {
  std::size_t room = 0;
  for (std::size_t set = first; set < last; ++set)
    room += open_room(sets[set]);
  scores.count_best(first, last, room, shares.subspan(first, last - first), scratch);
  for (std::size_t set = first; set < last; ++set)
    shares[set] += guarded_tokens(sets[set]);
}

}  // namespace vacancy
