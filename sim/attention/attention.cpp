// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/attention.hpp"

#include <vector>

#include "sim/units/error.hpp"

namespace vacancy {

void SequenceAttention::add_column_sums(std::uint32_t layer, std::uint32_t kv_head,
                                        std::uint32_t first, std::uint32_t last,
                                        std::span<double> sums) const {
  VACANCY_ASSERT(sums.size() >= last, "a sum for every token");
  const std::uint32_t group = shape().group();
  std::vector<float> buffer(last);
  for (std::uint32_t head = kv_head * group; head < (kv_head + 1) * group; ++head)
    for (std::uint32_t query = first; query < last; ++query) {
      const auto row = std::span(buffer).first(query + 1);
      weights(layer, head, query, row);
      for (std::size_t j = 0; j < row.size(); ++j)
        sums[j] += double{row[j]};
    }
}

// A policy is matched to a source by its features before a run starts, so a call that arrives here
// is a bug.

void SequenceAttention::keys(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float>) const {
  VACANCY_ASSERT(false, "this attention source has no keys");
}

void SequenceAttention::queries(std::uint32_t, std::uint32_t, std::uint32_t,
                                std::span<float>) const {
  VACANCY_ASSERT(false, "this attention source has no queries");
}

void SequenceAttention::values(std::uint32_t, std::uint32_t, std::uint32_t,
                               std::span<float>) const {
  VACANCY_ASSERT(false, "this attention source has no values");
}

void SequenceAttention::output_norms(std::uint32_t, std::uint32_t, std::uint32_t,
                                     std::span<double>) const {
  VACANCY_ASSERT(false, "this attention source has no output projection");
}

void SequenceAttention::reread(std::uint32_t) {
  VACANCY_ASSERT(false, "this attention source cannot read a text twice");
}

void SequenceAttention::reread_maxima(std::uint32_t, std::uint32_t, std::span<double>) const {
  VACANCY_ASSERT(false, "this attention source cannot read a text twice");
}

void SequenceAttention::retain(std::uint32_t, std::uint32_t, std::uint32_t,
                               std::span<const std::uint32_t>) {
  VACANCY_ASSERT(false, "this attention source cannot decode over an evicted cache");
}

std::uint32_t SequenceAttention::same_next_tokens(std::uint32_t, std::uint32_t) {
  VACANCY_ASSERT(false, "this attention source cannot decode over an evicted cache");
  return 0;
}

}  // namespace vacancy
