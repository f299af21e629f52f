// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/rocketkv.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/window_scores.hpp"
#include "sim/units/format.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

RocketShares rocket_shares(std::uint32_t max_length, std::uint32_t budget, std::uint32_t head_dim) {
  RocketShares shares;
  const double n = max_length, b = std::clamp(budget, 1u, std::max(1u, max_length));
  const double ratio = std::max(1.0, n / b);
  const double split = std::min(0.2 + 0.06 * portable_log(ratio) / std::numbers::ln2, 0.8);
  shares.capacity = static_cast<std::uint32_t>(n / portable_pow(ratio, split));
  const double second = std::max(1.0, shares.capacity / b);
  const double chunk = std::min(std::floor(second), std::ceil(std::sqrt(second)));
  shares.chunk = static_cast<std::uint32_t>(chunk);
  const auto channels =
      static_cast<std::uint32_t>(std::nearbyint(static_cast<double>(head_dim) * chunk / second));
  shares.channels = std::min(head_dim, std::max(1u, channels));
  shares.attended = std::min(static_cast<std::uint32_t>(std::nearbyint(b / 2)), shares.capacity);
  return shares;
}

namespace {

struct Options : WindowOptions {
  Options() : WindowOptions{32, 63, Pooling::max} {}
  std::uint32_t max_length = 32768;
  std::uint32_t new_tokens = 0;
};

const OptionTable<Options>& option_table() {
  static const auto table =
      window_options<Options>()
          .add("max_length", &Options::max_length, "tokens", {1, 1 << 24},
               "The longest sequence that the engine is set up for. With eviction.budget, here the "
               "tokens that a step attends to, it makes the capacity, which is what stays.")
          .add("new_tokens", &Options::new_tokens, "tokens", {0, 1 << 24},
               "Part of the capacity that is left to tokens yet to come.");
  return table;
}

/// SnapKV's scores, and a budget between what a step attends to and the full length. The second
/// stage chooses among what is left at every step and evicts nothing.
class RocketKv final : public WindowPolicy {
 public:
  RocketKv(const Options& options, const PolicyContext& context)
      : WindowPolicy("rocketkv", options), options_(options) {
    if (!context.note || context.budget == 0) return;
    const RocketShares shares = rocket_shares(options.max_length, context.budget, context.head_dim);
    context.note("RocketKV keeps " + format_count(capacity(context.budget)) +
                 " tokens a set for a budget of " + format_count(context.budget) +
                 ": memory follows its capacity of " + format_count(shares.capacity) +
                 ". Its second stage would attend to " + format_count(shares.attended) +
                 " of them a step, chosen in chunks of " + format_count(shares.chunk) + " by " +
                 format_count(shares.channels) + " channels.");
  }

  std::uint32_t capacity(std::uint32_t budget) const override {
    const std::uint32_t all =
        std::min(rocket_shares(options_.max_length, budget, 0).capacity, options_.max_length);
    return all - std::min(all, options_.new_tokens);
  }

 private:
  Options options_;
};

}  // namespace

PolicyEntry rocketkv_entry() {
  return prompt_entry_of<RocketKv, option_table>(
      "rocketkv",
      "RocketKV, first stage: what the last queries attend to, as much of it as the method's "
      "capacity for the budget.",
      "arXiv 2502.14051; NVlabs/RocketKV");
}

}  // namespace vacancy
