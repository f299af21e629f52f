// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sim/device/step_work.hpp"
#include "sim/pool/events.hpp"

namespace vacancy {

/// The work of a composed step. A sequence with a single token decodes, whatever it is about: to
/// the attention kernel it is one query.
inline StepWork step_work(std::span<const ScheduledTokens> scheduled) {
  StepWork work;
  for (const ScheduledTokens& part : scheduled)
    if (part.tokens == 1)
      work.add_decode(part.context + 1);
    else
      work.add_chunk(part.context, part.tokens);
  return work;
}

}  // namespace vacancy
