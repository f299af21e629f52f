// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/model/cursor.hpp"

namespace vacancy::gui {

/// Something that happened to a block.
struct BlockChange {
  std::uint64_t event = 0;
  std::int64_t time_ns = 0;
  std::string text;  // "evict: 2 tokens, 4 of 16 stay"
};

/// What happened to a block before a moment, the newest first: found by walking back with a cursor
/// of its own and looking where the block differs. Tokens that came one after another are one
/// change.
class BlockHistory {
 public:
  explicit BlockHistory(std::shared_ptr<const Recording> recording);

  /// At most so many changes, of at most so many events back; `complete` says whether the walk
  /// ended at the start or with enough changes.
  struct Result {
    std::vector<BlockChange> changes;
    bool complete = true;
  };
  Result before(std::uint64_t event, std::uint32_t block, std::size_t most = 8,
                std::uint64_t most_events = 100'000);

 private:
  Cursor walker_;
};

/// When a sequence held a block: from the event that gave it to the one that took it, the latter
/// one beyond.
struct BlockHolding {
  std::uint32_t sequence = 0;
  std::uint64_t first = 0, last = 0;
};
/// All of them in what is recorded, by first event. Reads all events that name blocks.
std::vector<BlockHolding> holdings_of(const Recording& recording, std::uint32_t block);

}  // namespace vacancy::gui
