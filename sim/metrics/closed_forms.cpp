// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/closed_forms.hpp"

#include <cmath>

namespace vacancy {

namespace {

/// C(n−b, k) / C(n, k) = Π_{i<b} (n−k−i) / (n−i).
double none_of_block_survives(std::uint64_t n, std::uint64_t k, std::uint64_t b) {
  if (k + b > n) return 0;
  double p = 1;
  for (std::uint64_t i = 0; i < b; ++i)
    p *= static_cast<double>(n - k - i) / static_cast<double>(n - i);
  return p;
}

}  // namespace

EmptyBlocks empty_blocks(std::uint64_t tokens, std::uint64_t kept, std::uint64_t block,
                         std::uint64_t sets) {
  const auto in_all_sets = [&](std::uint64_t slots) {
    const double one = slots <= tokens ? none_of_block_survives(tokens, kept, slots) : 0;
    return std::pow(one, static_cast<double>(sets));
  };
  const std::uint64_t blocks = tokens / block;
  const auto m = static_cast<double>(blocks);
  const double p = in_all_sets(block);
  const double both = in_all_sets(2 * block);
  const double variance = m * p * (1 - p) + m * (m - 1) * (both - p * p);
  return {m * p, std::sqrt(variance > 0 ? variance : 0)};
}

double steady_state_pinned_slots(std::uint64_t kept, std::uint64_t interval, std::uint64_t block,
                                 std::uint64_t sets) {
  const double q = static_cast<double>(kept) / static_cast<double>(kept + interval);
  const double together = static_cast<double>(block * sets);
  double sum = 0, alive = q;
  // Terms fall like together · q^n; stop when the rest cannot matter.
  for (; together * alive > 1e-12; alive *= q)
    sum -= std::expm1(together * std::log1p(-alive));
  return static_cast<double>(interval) * sum;
}

}  // namespace vacancy
