// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/random_draws.hpp"

#include <algorithm>
#include <cmath>

#include "sim/units/error.hpp"
#include "sim/workload/draws.hpp"

namespace vacancy {

PhiloxCounter RandomDraws::words(std::uint32_t entity, std::uint32_t index, DrawPurpose purpose,
                                 std::uint32_t attempt) const {
  return philox4x32_10({entity, index, attempt, static_cast<std::uint32_t>(purpose)}, key_);
}

double RandomDraws::uniform(std::uint32_t entity, std::uint32_t index, DrawPurpose purpose,
                            std::uint32_t attempt) const {
  const PhiloxCounter w = words(entity, index, purpose, attempt);
  return open_unit_interval(w[0], w[1]);
}

std::uint32_t RandomDraws::tokens(double median, double sigma, std::uint32_t maximum,
                                  std::uint32_t entity, std::uint32_t index,
                                  DrawPurpose purpose) const {
  const double tokens = median * portable_exp(normal_draw(sigma, words(entity, index, purpose, 0)));
  return static_cast<std::uint32_t>(std::clamp(std::floor(tokens + 0.5), 1.0, double(maximum)));
}

double RandomDraws::exponential(std::uint32_t entity, std::uint32_t index,
                                DrawPurpose purpose) const {
  return -portable_log(uniform(entity, index, purpose));
}

double RandomDraws::gamma(double cv, std::uint32_t entity, std::uint32_t index,
                          DrawPurpose purpose) const {
  if (cv == 0) return 1;
  if (cv == 1) return exponential(entity, index, purpose);
  const double shape = 1 / (cv * cv);
  // Below 1 a variate of shape + 1 is scaled by u^(1 / shape).
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (std::uint32_t attempt = 0;; attempt += 2) {
    const double x = normal_draw(1, words(entity, index, purpose, attempt));
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v <= 0) continue;
    const PhiloxCounter w = words(entity, index, purpose, attempt + 1);
    const double u = open_unit_interval(w[0], w[1]);
    if (portable_log(u) >= x * x / 2 + d - d * v + d * portable_log(v)) continue;
    if (shape >= 1) return d * v / shape;
    // A power below the smallest normal number is 0 for any clock.
    const double exponent = portable_log(open_unit_interval(w[2], w[3])) / shape;
    return exponent < -700 ? 0 : d * v * portable_exp(exponent) / shape;
  }
}

std::uint32_t RandomDraws::geometric(double mean, std::uint32_t entity, std::uint32_t index,
                                     DrawPurpose purpose) const {
  const double failure = 1 - 1 / mean;
  if (failure <= 0) return 1;
  const double trials =
      1 + std::floor(portable_log(uniform(entity, index, purpose)) / portable_log(failure));
  return static_cast<std::uint32_t>(std::min(trials, 1e9));
}

Zipf::Zipf(std::uint32_t n, double exponent) {
  double sum = 0;
  cumulative_.reserve(n);
  for (std::uint32_t rank = 0; rank < n; ++rank)
    cumulative_.push_back(sum += portable_pow(rank + 1.0, -exponent));
}

std::uint32_t Zipf::rank(double uniform) const {
  const auto above =
      std::upper_bound(cumulative_.begin(), cumulative_.end(), uniform * cumulative_.back());
  return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(
      above - cumulative_.begin(), static_cast<std::ptrdiff_t>(cumulative_.size()) - 1));
}

}  // namespace vacancy
