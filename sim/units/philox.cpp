// SPDX-License-Identifier: Apache-2.0
#include "sim/units/philox.hpp"

#include "sim/units/error.hpp"

namespace vacancy {

void philox_draws(PhiloxKey key, std::uint32_t sequence, std::uint32_t set, std::uint32_t round,
                  std::span<const std::uint32_t> tokens, std::span<std::uint32_t> out) {
  VACANCY_ASSERT(out.size() == tokens.size(), "one draw per token");
  for (std::size_t i = 0; i < tokens.size(); ++i)
    out[i] = philox4x32_10({sequence, set, round, tokens[i]}, key)[0];
}

}  // namespace vacancy
