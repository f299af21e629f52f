// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gui/model/event_kind.hpp"

namespace vacancy::gui {

/// An event as bytes: its kind, then its fields as numbers of seven bits a byte, small ones short.
/// Ids that follow one another are runs, keep sets the shortest of three forms. Nothing in it
/// refers to another event, so that reading may start anywhere. For one process: not a file format.
void encode(const vacancy::Event& event, std::vector<std::uint8_t>& out);

/// Reads events back. What decode() returns, spans and references in it too, is valid until the
/// next call.
class EventDecoder {
 public:
  const vacancy::Event& decode(std::span<const std::uint8_t> bytes);

 private:
  vacancy::Event event_ = CacheCleared{};
  // What spans and references of the event lead to.
  std::vector<BlockId> blocks_;
  std::vector<std::uint32_t> numbers_;
  std::vector<SequenceId> sequences_;
  std::vector<ScheduledTokens> scheduled_;
  std::vector<ContentId> contents_;
  KeepSets keep_;
  TableMoves moves_;
  friend class EventReading;
};

/// The sequence of which an event tells, of a fork the child; nothing if it tells of none.
struct EventSequence {
  bool any = false;
  SequenceId id{0};
};
EventSequence sequence_of(const vacancy::Event& event);

}  // namespace vacancy::gui
