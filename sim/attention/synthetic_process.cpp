// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/synthetic_process.hpp"

#include <algorithm>
#include <limits>

#include "sim/units/portable_math.hpp"

namespace vacancy {

void HeavyProcess::advance(std::uint32_t length, const SyntheticSourceOptions& options,
                           const AttentionDraws& draws) {
  const double start =
      options.heavy_fraction / ((1.0 - options.heavy_fraction) * options.heavy_run);
  for (; next_ < length; ++next_) {
    const auto words = draws(DrawPurpose::heavy_token, stream_, 0, next_);
    const double coin = unit_interval(words[0]);
    in_run_ = in_run_ ? coin >= 1.0 / options.heavy_run : coin < start;
    if (!in_run_) continue;

    const double tail = unit_interval_above_zero(words[1]);
    const double weight =
        std::min(portable_pow(tail, -1.0 / options.heavy_tail), options.heavy_cap);
    const double last_query = unit_interval(words[2]) < options.heavy_permanent
                                  ? std::numeric_limits<double>::infinity()
                                  : next_ + exponential(words[3], options.heavy_life);
    tokens_.push_back({next_, weight, last_query});
  }
}

double HeavyProcess::attend(double share, std::span<float> row,
                            const SyntheticSourceOptions& options,
                            const AttentionDraws& draws) const {
  const auto query = static_cast<std::uint32_t>(row.size() - 1);
  const std::uint32_t window = query / options.heavy_window;
  std::vector<const Token*> on;
  double total = 0.0;
  for (const Token& token : tokens_) {
    if (token.position > query) break;
    if (token.last_query < query) continue;
    const auto words = draws(DrawPurpose::heavy_window, stream_, window, token.position);
    if (unit_interval(words[0]) >= options.heavy_on) continue;
    on.push_back(&token);
    total += token.weight;
  }
  if (on.empty()) return share;
  for (const Token* token : on)
    row[token->position] += static_cast<float>(share * token->weight / total);
  return 0.0;
}

void BurstProcess::advance(std::uint32_t length, const SyntheticSourceOptions& options,
                           const AttentionDraws& draws) {
  for (next_ = std::max(next_, options.burst_first_query); next_ < length; ++next_) {
    const auto words = draws(DrawPurpose::burst, stream_, 0, next_);
    if (unit_interval(words[0]) >= 1.0 / options.burst_interval) continue;
    const auto first = static_cast<std::uint32_t>(unit_interval(words[1]) * next_);
    const auto end = std::min(next_, first + geometric(words[2], options.burst_length));
    bursts_.push_back({first, end, next_, next_ + geometric(words[3], options.burst_duration)});
  }
}

double BurstProcess::attend(double share, std::span<float> row) const {
  const auto query = static_cast<std::uint32_t>(row.size() - 1);
  const auto active = [query](const Burst& burst) {
    return burst.first_query <= query && query < burst.end_query;
  };
  const auto count = std::count_if(bursts_.begin(), bursts_.end(), active);
  if (count == 0) return share;
  for (const Burst& burst : bursts_) {
    if (!active(burst)) continue;
    const auto tokens = row.subspan(burst.first_token, burst.end_token - burst.first_token);
    const double part = share / static_cast<double>(count) / static_cast<double>(tokens.size());
    for (float& weight : tokens)
      weight += static_cast<float>(part);
  }
  return 0.0;
}

}  // namespace vacancy
