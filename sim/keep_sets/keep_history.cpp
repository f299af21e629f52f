// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/keep_history.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/units/bit_mask.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

KeepHistory::KeepHistory(KeepSetReader& reader) : reader_(reader), sets_(reader.axes().sets()) {}

bool KeepHistory::next() {
  before_ = step_.length;
  if (!reader_.next(step_)) return false;
  ++steps_;
  if (step_.length < before_)
    reader_.fail_length("says " + counted(step_.length, "token") + ", fewer than the " +
                        format_count(before_) +
                        " before; lengths count evicted tokens too and never fall.");
  widen(bits::words(step_.length));
  keep_.reset(sets_);
  for (std::uint32_t set = 0; set < sets_; ++set) {
    bits::set_range(live(set), before_, step_.length);
    if (step_.evicts) decide(set);
  }
  return true;
}

void KeepHistory::widen(std::size_t words) {
  if (words == words_) return;
  std::vector<std::uint64_t> wider(sets_ * words);
  for (std::size_t set = 0; set < sets_; ++set)
    std::copy_n(live_.data() + set * words_, words_, wider.data() + set * words);
  live_ = std::move(wider);
  words_ = words;
}

void KeepHistory::decide(std::uint32_t set) {
  const auto live = this->live(set);
  const auto kept = step_.mask(set);
  for (std::size_t word = 0; word < live.size(); ++word)
    if (const std::uint64_t back = kept[word] & ~live[word]; back != 0)
      reader_.fail_token(set, word * bits::per_word + static_cast<unsigned>(std::countr_zero(back)),
                         "is kept, but a step before evicted it; a token never returns.");
  const auto mask = keep_.begin(set, static_cast<std::uint32_t>(bits::count(live)));
  std::size_t nth = 0;
  bits::for_each(live, 0, step_.length, [&](std::size_t token) {
    mask[nth / bits::per_word] |= std::uint64_t{bits::test(kept, token)} << (nth % bits::per_word);
    ++nth;
  });
  std::ranges::copy(kept, live.begin());
}

}  // namespace vacancy
