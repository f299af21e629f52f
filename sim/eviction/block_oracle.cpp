// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/block_oracle.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace vacancy {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

/// sums[n]: the n heaviest together.
std::vector<double> prefix_sums(std::vector<double> weights) {
  std::sort(weights.begin(), weights.end(), std::greater<>());
  std::vector<double> sums = {0};
  for (const double weight : weights)
    sums.push_back(sums.back() + weight);
  return sums;
}

/// Values by (blocks held, a, b), each up to its bound.
class Table {
 public:
  Table(std::size_t held, std::size_t a, std::size_t b, double value)
      : a_(a + 1), b_(b + 1), values_((held + 1) * a_ * b_, value) {}
  double& at(std::size_t held, std::size_t a, std::size_t b) {
    return values_[(held * a_ + a) * b_ + b];
  }
  void raise(std::size_t held, std::size_t a, std::size_t b, double value) {
    at(held, a, b) = std::max(at(held, a, b), value);
  }

 private:
  std::size_t a_, b_;
  std::vector<double> values_;
};

}  // namespace

std::vector<double> most_weight_by_moves(const BlockWeights& blocks, std::uint32_t block_size,
                                         std::uint32_t held, std::uint32_t moves) {
  // best[held][imported][room]: imported tokens come from blocks that are not held; room is what
  // held blocks have beside the tokens that stay there, as far as it is of use.
  Table best(held, moves, moves, impossible);
  best.at(0, 0, 0) = 0;
  for (const std::vector<double>& block : blocks) {
    const std::vector<double> sums = prefix_sums(block);
    Table next(held, moves, moves, impossible);
    for (std::uint32_t j = 0; j <= held; ++j)
      for (std::uint32_t a = 0; a <= moves; ++a)
        for (std::uint32_t room = 0; room <= moves; ++room) {
          const double value = best.at(j, a, room);
          if (value == impossible) continue;
          for (std::uint32_t n = 0; n < sums.size(); ++n) {
            if (a + n <= moves) next.raise(j, a + n, room, value + sums[n]);
            if (j < held)
              next.raise(j + 1, a, std::min(moves, room + block_size - n), value + sums[n]);
          }
        }
    best = std::move(next);
  }
  std::vector<double> result(moves + 1, impossible);
  for (std::uint32_t j = 0; j <= held; ++j)
    for (std::uint32_t a = 0; a <= moves; ++a)
      for (std::uint32_t room = a; room <= moves; ++room)
        result[a] = std::max(result[a], best.at(j, a, room));
  for (std::uint32_t x = 1; x <= moves; ++x)
    result[x] = std::max(result[x], result[x - 1]);
  return result;
}

double most_weight_of_tokens(const BlockWeights& blocks, std::uint32_t keep, std::uint32_t held) {
  Table best(held, keep, 0, 0.0);
  for (const std::vector<double>& block : blocks) {
    const std::vector<double> sums = prefix_sums(block);
    for (std::uint32_t j = held; j > 0; --j)
      for (std::uint32_t k = keep; k > 0; --k)
        for (std::uint32_t n = 1; n < sums.size() && n <= k; ++n)
          best.raise(j, k, 0, best.at(j - 1, k - n, 0) + sums[n]);
  }
  return best.at(held, keep, 0);
}

}  // namespace vacancy
