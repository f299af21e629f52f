// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace vacancy {

/// What is told of many values. Nothing where there are none.
struct Distribution {
  std::uint64_t count = 0;
  std::optional<double> mean, p50, p90, p95, p99;

  bool operator==(const Distribution&) const = default;
};

/// A value and how often it occurs.
template <class Value>
struct Sample {
  Value value{};
  std::uint64_t count = 1;
};

/// Percentiles by linear interpolation between the two nearest of the sorted values (spec formats
/// §5): the p-th stands at rank p (N - 1) / 100. Sums of integers are exact; sums of fractions run
/// in ascending order, so that the order of the samples does not matter.
template <class Value>
Distribution describe(std::vector<Sample<Value>> samples) {
  __extension__ using Wide = __int128;
  using Sum = std::conditional_t<std::is_integral_v<Value>, Wide, double>;
  constexpr std::uint64_t hundred = 100;

  std::sort(samples.begin(), samples.end(),
            [](const auto& a, const auto& b) { return a.value < b.value; });
  Distribution result;
  Sum sum = 0;
  for (const Sample<Value>& sample : samples) {
    sum += static_cast<Sum>(sample.value) * static_cast<Sum>(sample.count);
    result.count += sample.count;
  }
  if (result.count == 0) return result;
  result.mean = static_cast<double>(sum) / static_cast<double>(result.count);

  std::size_t at = 0;
  std::uint64_t passed = 0;  // values before samples[at]
  const auto value_at = [&](std::uint64_t rank) {
    while (rank >= passed + samples[at].count)
      passed += samples[at++].count;
    return static_cast<Sum>(samples[at].value);
  };
  /// To be asked in ascending order.
  const auto percentile = [&](std::uint64_t p) {
    const std::uint64_t last = result.count - 1;
    // p · last / 100 without overflow.
    const std::uint64_t rank = last / hundred * p + last % hundred * p / hundred;
    const std::uint64_t part = last % hundred * p % hundred;
    const Sum low = value_at(rank);
    // Looks ahead without moving on: the next percentile may lie between the same two.
    const std::size_t here = at;
    const std::uint64_t here_passed = passed;
    const Sum high = part == 0 ? low : value_at(rank + 1);
    at = here;
    passed = here_passed;
    const Sum weighted = low * static_cast<Sum>(hundred - part) + high * static_cast<Sum>(part);
    return static_cast<double>(weighted) / static_cast<double>(hundred);
  };
  result.p50 = percentile(50);
  result.p90 = percentile(90);
  result.p95 = percentile(95);
  result.p99 = percentile(99);
  return result;
}

}  // namespace vacancy
