// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sim/device/step_work.hpp"
#include "sim/pool/events.hpp"

namespace vacancy {

/// The work of a composed step. A sequence with a single token decodes, whatever it is about: to
/// the attention kernel it is one query. `window`: of the model's sliding layers, 0 without any.
inline StepWork step_work(std::span<const ScheduledTokens> scheduled, std::uint32_t window = 0) {
  StepWork work;
  work.window = window;
  for (const ScheduledTokens& part : scheduled)
    if (part.tokens == 1)
      work.add_decode(part.context + 1);
    else
      work.add_chunk(part.context, part.tokens);
  return work;
}

}  // namespace vacancy
