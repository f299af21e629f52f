// SPDX-License-Identifier: Apache-2.0
// Times a random eviction round: draws, selection, both, and the obvious way for comparison.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/philox.hpp"

using namespace vacancy;

namespace {

/// Best of several repetitions, in nanoseconds per token: the least disturbed one.
double nanoseconds_per_token(std::size_t tokens, const std::function<void(std::uint32_t)>& work) {
  double best = 1e30;
  for (int repetition = 0; repetition < 30; ++repetition) {
    constexpr std::uint32_t calls = 288;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t call = 0; call < calls; ++call)
      work(call);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / (static_cast<double>(tokens) * calls));
  }
  return best;
}

void bench(std::uint32_t live, std::uint32_t keep) {
  constexpr PhiloxKey key{1, 2};
  std::vector<std::uint32_t> tokens(live), draws(live);
  std::iota(tokens.begin(), tokens.end(), 0u);
  const std::vector<std::uint64_t> guarded(bits::words(live), 0);
  std::vector<std::uint64_t> kept(bits::words(live));
  std::vector<double> scores(live), copy(live);
  SelectionScratch scratch;

  const auto draw = [&](std::uint32_t set) { philox_draws(key, 0, set, 0, tokens, draws); };
  const auto select = [&](std::uint32_t) {
    std::fill(kept.begin(), kept.end(), 0);
    keep_best_draws(draws, guarded, keep, kept, scratch);
  };
  const double draw_one = nanoseconds_per_token(live, [&](std::uint32_t set) {
    for (std::uint32_t i = 0; i < live; ++i)
      draws[i] = philox4x32_10({0, set, 0, tokens[i]}, key)[0];
  });
  const double draw_all = nanoseconds_per_token(live, draw);
  const double select_draws = nanoseconds_per_token(live, select);
  const double round = nanoseconds_per_token(live, [&](std::uint32_t set) {
    draw(set);
    select(set);
  });
  std::copy(draws.begin(), draws.end(), scores.begin());
  const double select_scores = nanoseconds_per_token(live, [&](std::uint32_t) {
    std::fill(kept.begin(), kept.end(), 0);
    keep_best(scores, guarded, keep, kept, scratch);
  });
  const double nth_element = nanoseconds_per_token(live, [&](std::uint32_t) {
    copy = scores;
    std::nth_element(copy.begin(), copy.begin() + keep, copy.end(), std::greater<>());
  });

  std::printf("\n%u live tokens, %u kept               ns per token   against nth_element\n", live,
              keep);
  const auto row = [&](const char* name, double ns) {
    std::printf("  %-40s %8.2f %16.2f\n", name, ns, ns / nth_element);
  };
  row("std::nth_element over doubles", nth_element);
  row("philox, token by token", draw_one);
  row("philox_draws", draw_all);
  row("keep_best_draws", select_draws);
  row("philox_draws + keep_best_draws", round);
  row("keep_best (doubles)", select_scores);
  std::printf("  rounds per second of 288 sets: %.0f\n", 1e9 / (round * live * 288));
}

}  // namespace

int main() {
  bench(2176, 2048);
  bench(16000, 2000);
  bench(512, 64);
}
