// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/keep_history.hpp"

#include <algorithm>
#include <bit>

#include "sim/units/bit_mask.hpp"

namespace vacancy {

KeepHistory::KeepHistory(KeepSetReader& reader) : reader_(reader), live_(reader.axes().sets()) {}

bool KeepHistory::next() {
  before_ = step_.length;
  if (!reader_.next(step_)) return false;
  ++steps_;
  if (step_.length < before_)
    reader_.fail_step("has " + std::to_string(step_.length) + " tokens, fewer than the " +
                      std::to_string(before_) +
                      " before; lengths count evicted tokens too and never fall.");
  keep_.reset(live_.size());
  for (std::uint32_t set = 0; set < live_.size(); ++set) {
    live_[set].resize(bits::words(step_.length));
    bits::set_range(live_[set], before_, step_.length);
    if (step_.evicts) decide(set);
  }
  return true;
}

void KeepHistory::decide(std::uint32_t set) {
  std::vector<std::uint64_t>& live = live_[set];
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
