// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/page_bounds.hpp"

#include <algorithm>
#include <limits>

namespace vacancy {

PageBounds::PageBounds(std::uint32_t pages, std::uint32_t head_dim)
    : dim_(head_dim),
      low_(std::size_t{pages} * head_dim, std::numeric_limits<float>::infinity()),
      high_(std::size_t{pages} * head_dim, -std::numeric_limits<float>::infinity()) {}

void PageBounds::add(std::uint32_t page, std::span<const float> key) {
  float* const low = low_.data() + page * dim_;
  float* const high = high_.data() + page * dim_;
  for (std::size_t c = 0; c < dim_; ++c) {
    low[c] = std::min(low[c], key[c]);
    high[c] = std::max(high[c], key[c]);
  }
}

double PageBounds::bound(std::uint32_t page, std::span<const float> query) const {
  const float* const low = low_.data() + page * dim_;
  const float* const high = high_.data() + page * dim_;
  if (low[0] > high[0]) return -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t c = 0; c < dim_; ++c) {
    const double q = double{query[c]};
    sum += std::max(q * double{low[c]}, q * double{high[c]});
  }
  return sum;
}

}  // namespace vacancy
