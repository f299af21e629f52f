// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vacancy {

/// The least and the largest component of each channel over the keys of a page, from which follows
/// an upper bound of every logit in it. Speaks of the keys that were added: a page that gets other
/// keys, because tokens moved, is to be built anew (E-09).
class PageBounds {
 public:
  PageBounds(std::uint32_t pages, std::uint32_t head_dim);

  void add(std::uint32_t page, std::span<const float> key);
  /// No key of the page has a larger dot product with the query; minus infinity without keys.
  double bound(std::uint32_t page, std::span<const float> query) const;
  /// Of the page's keys, which has some.
  float low(std::uint32_t page, std::size_t channel) const { return low_[page * dim_ + channel]; }
  float high(std::uint32_t page, std::size_t channel) const { return high_[page * dim_ + channel]; }
  std::uint32_t pages() const { return static_cast<std::uint32_t>(low_.size() / dim_); }

 private:
  std::size_t dim_;
  std::vector<float> low_, high_;  // [page][channel]
};

}  // namespace vacancy
