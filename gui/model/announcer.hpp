// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gui/model/cursor.hpp"
#include "gui/model/marks.hpp"
#include "gui/model/round_scores.hpp"

namespace vacancy::gui {

// Sentences about a run: time, verb, count, owner, reason (numbers as in number_format.hpp). They
// say what the events say; what a policy thought, which they do not tell, where somebody found out.

/// "30.125 s: evict 128 tokens of sequence 129 (random, β = 128).": what will stand out next. Where
/// nothing does: when the run ends, or how far it is.
std::string next_sentence(const Recording& recording, std::uint64_t event);

/// "29.800 s: sequence 88 evicted 128 tokens, 4 blocks came back; block 1,174 stays: …": what stood
/// out last, and of a round that left blocks behind, which of the sequence's blocks had fewest live
/// slots and was kept by them. Empty before the first.
std::string last_sentence(Cursor& cursor, const RoundScores* scores = nullptr);

/// Why a block is as it is: "block 1,174 stays: 3 of 16 slots live (tokens 357, 359, 367)." Of one
/// with one live slot, "1 of 16 slots live (token 357)"; where scores are known, "(token 357, score
/// 0.91)", and of several tokens the highest.
std::string block_sentence(const Replica& replica, std::uint32_t block,
                           const RoundScores* scores = nullptr);

/// Of the block of a sequence that a decision touched last and that fewest tokens keep; nothing if
/// the sequence is gone or none of its blocks has holes.
std::optional<std::uint32_t> least_live_block(const Replica& replica, std::uint32_t sequence);

/// A row of the event list: "128 evicted, 4 blocks back".
std::string mark_text(const Mark& mark);
/// "sequence 88"; of a candidate in beam search "sequence 88, candidate 2"; "pinned prompt of 88".
std::string sequence_name(std::uint32_t sequence);
/// "random, β = 128" of the scenario; "none" without eviction.
std::string policy_text(const Scenario& scenario);

}  // namespace vacancy::gui
