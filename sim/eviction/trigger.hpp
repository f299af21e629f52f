// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// When a sequence is due for a round.
enum class TriggerKind {
  interval,  // generated length crosses a multiple of beta (TensorRT-LLM, spec engines C1)
  aligned,   // position is a multiple of beta and the length at least the budget (TriAttention
             // without slack, spec policies §4.4): a round just at the budget drops nothing
  slack,     // length reaches budget + beta (TriAttention, spec policies §4.4)
  usage,     // the pool is nearly full, with hysteresis (spec engines C2)
  allocation_failure,  // an append found no block
  once,                // at one length
};

template <>
struct EnumNames<TriggerKind> {
  static constexpr EnumName<TriggerKind> table[] = {
      {TriggerKind::interval, "interval"},
      {TriggerKind::aligned, "aligned"},
      {TriggerKind::slack, "slack"},
      {TriggerKind::usage, "usage"},
      {TriggerKind::allocation_failure, "allocation_failure"},
      {TriggerKind::once, "once"}};
};

/// Where `TriggerKind::once` fires.
enum class OnceAt { length, prompt_end, sequence_end };

}  // namespace vacancy
