// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vacancy {

/// One sequence of the workload: every prompt and output token takes a slot.
struct SequencePlan {
  std::uint32_t prompt_tokens = 0;
  std::uint32_t output_tokens = 0;

  bool operator==(const SequencePlan&) const = default;
};

}  // namespace vacancy
