// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/pool/events.hpp"

namespace vacancy::verify {

/// Where the simulator, its event stream and the memory that follows it first disagree.
struct Difference {
  std::string operation;    // the event's type, as events.jsonl spells it
  std::uint64_t event = 0;  // its line in events.jsonl, from 1 on; 0: after the last
  SimTime time;             // virtual
  std::optional<SequenceId> sequence;
  std::optional<std::uint32_t> table, slot;
  std::optional<BlockId> block;
  std::string expected, found;
};

/// All of it in one sentence.
std::string sentence(const Difference& difference);

/// Thrown out of the run that is verified.
struct DifferenceFound {
  Difference difference;
};

/// The type of an event, as events.jsonl spells it.
const char* event_name(const Event& event);

}  // namespace vacancy::verify
