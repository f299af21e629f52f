// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/evicted_tokens.hpp"

#include "sim/units/error.hpp"

namespace vacancy {

void EvictedTokens::retain(std::uint32_t from, std::span<const std::uint32_t> kept) {
  VACANCY_ASSERT(gone_from_.size() <= from, "evictions come in the order of positions");
  if (kept.size() == from) return;
  gone_from_.resize(from, never);
  std::size_t next = 0;
  for (std::uint32_t token = 0; token < from; ++token) {
    if (next < kept.size() && kept[next] == token) {
      VACANCY_ASSERT(gone_from_[token] == never, "an evicted token does not come back");
      ++next;
    } else if (gone_from_[token] == never) {
      gone_from_[token] = from;
    }
  }
  VACANCY_ASSERT(next == kept.size(), "kept tokens ascend and stand before the next position");
}

void EvictedTokens::list_read(std::uint32_t query, std::vector<std::uint32_t>& out) const {
  out.clear();
  for (std::uint32_t token = 0; token <= query; ++token)
    if (token >= gone_from_.size() || query < gone_from_[token]) out.push_back(token);
}

}  // namespace vacancy
