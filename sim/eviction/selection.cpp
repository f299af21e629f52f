// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/selection.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"
#include "sim/units/marked.hpp"

namespace vacancy {
namespace {

/// True if guarded tokens and keep decide alone: everything stays, or only the guarded ones do.
bool decided_by_count(std::size_t size, std::span<const std::uint64_t> guarded, std::uint32_t keep,
                      std::size_t guarded_count, std::span<std::uint64_t> kept) {
  VACANCY_ASSERT(guarded_count <= keep, "guarded tokens fit in the keep set");
  if (keep >= size) {
    bits::set_range(kept, 0, size);
  } else if (keep == guarded_count) {
    std::copy(guarded.begin(), guarded.end(), kept.begin());
  } else {
    return false;
  }
  return true;
}

/// Bit j: scores[j] > bound, for up to 64 scores.
std::uint64_t bits_above(const double* scores, std::size_t count, double bound) {
  std::uint64_t word = 0;
  for (std::size_t j = 0; j < count; ++j)
    word |= std::uint64_t{scores[j] > bound} << j;
  return word;
}

/// Where the cut between kept and dropped draws lies, but for a chance of about 1 in 2,000.
struct Band {
  std::uint32_t low, high;  // draws above `high` stay, draws up to `low` go
};

Band expected_band(std::size_t candidates, std::size_t wanted) {
  const double n = static_cast<double>(candidates);
  const double share = static_cast<double>(wanted) / n;
  // Standard deviations of the binomial count, and a floor for tiny counts.
  const double margin = 3.5 * std::sqrt(share * (1 - share) / n) + 2 / n;
  const auto bound = [](double u) {
    return static_cast<std::uint32_t>(std::clamp(u, 0.0, 1.0) * 4294967295.0);
  };
  return {bound(1 - share - margin), bound(1 - share + margin)};
}

/// Orders draws by value, equal ones by ascending token, in one integer: the larger key stays.
std::uint64_t draw_key(std::uint32_t draw, std::size_t token) {
  return std::uint64_t{draw} << 32 | (0xffffffffu - static_cast<std::uint32_t>(token));
}
std::size_t token_of_key(std::uint64_t key) {
  return 0xffffffffu - static_cast<std::uint32_t>(key);
}

/// Clears the bits of the `dropped` lowest keys. Draws are spread evenly over the band, so counting
/// them in buckets leaves a handful to order, and no branch that a CPU would guess wrong half the
/// time.
void drop_lowest(std::size_t dropped, Band band, std::vector<std::uint64_t>& keys,
                 std::span<std::uint64_t> kept) {
  constexpr int bucket_bits = 8;
  const int shift =
      std::max(0, static_cast<int>(std::bit_width(band.high - band.low)) - bucket_bits);
  const auto bucket_of = [&](std::uint64_t key) {
    return (static_cast<std::uint32_t>(key >> 32) - band.low) >> shift;
  };
  std::array<std::uint32_t, 1 << bucket_bits> count{};
  for (const std::uint64_t key : keys)
    ++count[bucket_of(key)];
  std::size_t cut = 0, below = 0;
  while (cut < count.size() && below + count[cut] <= dropped)
    below += count[cut++];

  std::size_t undecided = 0;
  for (const std::uint64_t key : keys) {
    const std::size_t token = token_of_key(key), bucket = bucket_of(key);
    kept[token / bits::per_word] &= ~(std::uint64_t{bucket < cut} << (token % bits::per_word));
    keys[undecided] = key;
    undecided += bucket == cut ? 1 : 0;
  }
  const auto first = keys.begin(), last = first + static_cast<std::ptrdiff_t>(undecided);
  std::sort(first, last);
  for (std::size_t i = 0; i < dropped - below; ++i)
    bits::clear(kept, token_of_key(keys[i]));
}

/// Keeps the `wanted` best unguarded draws if they are all above band.low and all draws above
/// band.high are among them; otherwise says no.
bool keep_draws_within(Band band, std::span<const std::uint32_t> draws,
                       std::span<const std::uint64_t> guarded, std::size_t wanted,
                       std::span<std::uint64_t> kept, SelectionScratch& scratch) {
  const std::size_t above_low = mark_above(draws, band.low, guarded, kept);
  scratch.marks.resize(kept.size());
  const std::size_t above_high = mark_above(draws, band.high, guarded, scratch.marks);
  if (above_low < wanted || above_high > wanted) return false;
  scratch.keys.clear();
  for (std::size_t word = 0; word < kept.size(); ++word) {
    std::uint64_t near = kept[word] & ~scratch.marks[word];
    kept[word] |= guarded[word];
    for (; near != 0; near &= near - 1) {
      const std::size_t token =
          word * bits::per_word + static_cast<std::size_t>(std::countr_zero(near));
      scratch.keys.push_back(draw_key(draws[token], token));
    }
  }
  drop_lowest(above_low - wanted, band, scratch.keys, kept);
  return true;
}

/// The sure way, for draws that are not spread as expected.
void keep_draws_by_order(std::span<const std::uint32_t> draws,
                         std::span<const std::uint64_t> guarded, std::size_t wanted,
                         std::span<std::uint64_t> kept, SelectionScratch& scratch) {
  scratch.keys.clear();
  for (std::size_t i = 0; i < draws.size(); ++i)
    if (!bits::test(guarded, i)) scratch.keys.push_back(draw_key(draws[i], i));
  const auto cut = scratch.keys.begin() + static_cast<std::ptrdiff_t>(wanted);
  std::nth_element(scratch.keys.begin(), cut, scratch.keys.end(), std::greater<>());
  std::copy(guarded.begin(), guarded.end(), kept.begin());
  for (auto key = scratch.keys.begin(); key != cut; ++key)
    bits::set(kept, token_of_key(*key));
}

}  // namespace

void keep_best(std::span<const double> scores, std::span<const std::uint64_t> guarded,
               std::uint32_t keep, std::span<std::uint64_t> kept, SelectionScratch& scratch) {
  const std::size_t guarded_count = bits::count(guarded);
  if (decided_by_count(scores.size(), guarded, keep, guarded_count, kept)) return;
  const std::size_t wanted = keep - guarded_count;

  std::vector<double>& candidates = scratch.parts;
  candidates.clear();
  bool ordered = true;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (bits::test(guarded, i)) continue;
    ordered &= scores[i] == scores[i];
    candidates.push_back(scores[i]);
  }
  VACANCY_ASSERT(ordered, "a score is a number");
  const auto cut = candidates.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
  std::nth_element(candidates.begin(), cut, candidates.end(), std::greater<>());
  const double threshold = *cut;

  // Those above the threshold stay; of those that equal it, the first ones fill the rest.
  std::size_t taken = 0;
  for (std::size_t word = 0; word < kept.size(); ++word) {
    const std::size_t first = word * bits::per_word;
    const std::size_t count = std::min(scores.size() - first, bits::per_word);
    kept[word] = bits_above(scores.data() + first, count, threshold) & ~guarded[word];
    taken += static_cast<std::size_t>(std::popcount(kept[word]));
    kept[word] |= guarded[word];
  }
  for (std::size_t i = 0; taken < wanted; ++i) {
    if (scores[i] != threshold || bits::test(guarded, i)) continue;
    bits::set(kept, i);
    ++taken;
  }
}

void keep_best_draws(std::span<const std::uint32_t> draws, std::span<const std::uint64_t> guarded,
                     std::uint32_t keep, std::span<std::uint64_t> kept, SelectionScratch& scratch) {
  const std::size_t guarded_count = bits::count(guarded);
  if (decided_by_count(draws.size(), guarded, keep, guarded_count, kept)) return;
  const std::size_t wanted = keep - guarded_count;
  const Band band = expected_band(draws.size() - guarded_count, wanted);
  if (!keep_draws_within(band, draws, guarded, wanted, kept, scratch))
    keep_draws_by_order(draws, guarded, wanted, kept, scratch);
}

std::span<const double> scores_of(const EvictionPolicy& policy, const EvictionRound& round,
                                  SelectionScratch& scratch) {
  if (!round.scores.empty()) return round.scores;
  scratch.scores.resize(round.live.size());
  policy.score(round, scratch.scores, scratch);
  return scratch.scores;
}

std::uint32_t guard_tokens(std::span<const std::uint32_t> live, std::uint32_t next_position,
                           std::uint32_t pinned_prompt, Protection protection,
                           std::span<std::uint64_t> guarded) {
  const auto ordinal_of = [&](std::uint32_t position) {
    return static_cast<std::size_t>(std::lower_bound(live.begin(), live.end(), position) -
                                    live.begin());
  };
  const std::size_t head_end = ordinal_of(std::max(pinned_prompt, protection.sinks));
  const std::size_t tail_begin =
      std::max(head_end, ordinal_of(next_position - std::min(next_position, protection.recent)));
  bits::set_range(guarded, 0, head_end);
  bits::set_range(guarded, tail_begin, live.size());
  return static_cast<std::uint32_t>(head_end + (live.size() - tail_begin));
}

}  // namespace vacancy
