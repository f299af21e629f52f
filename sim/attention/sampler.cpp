// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/sampler.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/units/error.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

namespace {

/// The first token at which the running sum of probability exceeds `target`.
TokenId pick(std::span<const TokenId> candidates, const std::vector<double>& probability,
             double target) {
  double sum = 0.0;
  for (const TokenId token : candidates) {
    sum += probability[token];
    if (sum > target) return token;
  }
  return candidates.back();  // the target lies within the sum's rounding error
}

}  // namespace

TokenId sample_token(std::span<const float> logits, const SamplingOptions& options,
                     double uniform) {
  VACANCY_ASSERT(!logits.empty(), "logits of a vocabulary");
  const auto largest = std::max_element(logits.begin(), logits.end());
  if (options.temperature == 0.0) return static_cast<TokenId>(largest - logits.begin());

  std::vector<double> probability(logits.size());
  double total = 0.0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double exponent = (double{logits[i]} - double{*largest}) / options.temperature;
    probability[i] = portable_exp(std::max(exponent, -700.0));
    total += probability[i];
  }
  std::vector<TokenId> candidates(logits.size());
  std::iota(candidates.begin(), candidates.end(), TokenId{0});
  if (options.top_p >= 1.0) return pick(candidates, probability, uniform * total);

  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](TokenId a, TokenId b) { return probability[a] > probability[b]; });
  double nucleus = 0.0;
  std::size_t count = 0;
  while (count < candidates.size() && nucleus <= options.top_p * total)
    nucleus += probability[candidates[count++]];
  return pick(std::span(candidates).first(count), probability, uniform * nucleus);
}

}  // namespace vacancy
