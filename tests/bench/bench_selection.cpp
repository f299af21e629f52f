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

constexpr std::uint32_t inputs = 64;  // as many different draws, so that no branch is learnt

/// Best of many repetitions, in nanoseconds per token: the least disturbed one.
double nanoseconds_per_token(std::size_t tokens, const std::function<void(std::uint32_t)>& work) {
  double best = 1e30;
  for (int repetition = 0; repetition < 150; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t input = 0; input < inputs; ++input)
      work(input);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / (static_cast<double>(tokens) * inputs));
  }
  return best;
}

void bench(std::uint32_t live, std::uint32_t keep) {
  constexpr PhiloxKey key{1, 2};
  std::vector<std::uint32_t> tokens(live), made(live);
  std::iota(tokens.begin(), tokens.end(), 0u);
  std::vector<std::vector<std::uint32_t>> draws(inputs, made);
  std::vector<std::vector<double>> scores(inputs);
  for (std::uint32_t input = 0; input < inputs; ++input) {
    philox_draws(key, 0, input, 0, tokens, draws[input]);
    scores[input].assign(draws[input].begin(), draws[input].end());
  }
  const std::vector<std::uint64_t> guarded(bits::words(live), 0);
  std::vector<std::uint64_t> kept(bits::words(live));
  std::vector<double> copy(live);
  SelectionScratch scratch;

  const auto draw = [&](std::uint32_t set) { philox_draws(key, 0, set, 0, tokens, made); };
  const auto select = [&](const std::vector<std::uint32_t>& values) {
    std::fill(kept.begin(), kept.end(), 0);
    keep_best_draws(values, guarded, keep, kept, scratch);
  };
  const double draw_one = nanoseconds_per_token(live, [&](std::uint32_t set) {
    for (std::uint32_t i = 0; i < live; ++i)
      made[i] = philox4x32_10({0, set, 0, tokens[i]}, key)[0];
  });
  const double draw_all = nanoseconds_per_token(live, draw);
  const double select_draws =
      nanoseconds_per_token(live, [&](std::uint32_t input) { select(draws[input]); });
  const double round = nanoseconds_per_token(live, [&](std::uint32_t set) {
    draw(set);
    select(made);
  });
  const double select_scores = nanoseconds_per_token(live, [&](std::uint32_t input) {
    std::fill(kept.begin(), kept.end(), 0);
    keep_best(scores[input], guarded, keep, kept, scratch);
  });
  const double nth_element = nanoseconds_per_token(live, [&](std::uint32_t input) {
    copy = scores[input];
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
