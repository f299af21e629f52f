// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// What compaction does where it would read or write blocks that another table shares.
enum class SharedBlocks {
  suffix,  // it compacts what lies behind the last shared block (TensorRT-LLM, spec policies §5.4)
  refuse,  // the round is skipped
  unshare,  // shared blocks that it would write are copied first
  copy_out  // survivors go to fresh blocks (Zipage): a kind of its own, not a value of the key
};

template <>
struct EnumNames<SharedBlocks> {
  static constexpr EnumName<SharedBlocks> table[] = {{SharedBlocks::suffix, "suffix"},
                                                     {SharedBlocks::refuse, "refuse"},
                                                     {SharedBlocks::unshare, "unshare"}};
};

/// What happens to a round whose reclaim takes more blocks than are free.
enum class WhenFull {
  postpone,  // it is skipped and tried again later
  preempt    // requests that were not compressed yet give way (Zipage, spec policies §3.22)
};

template <>
struct EnumNames<WhenFull> {
  static constexpr EnumName<WhenFull> table[] = {{WhenFull::postpone, "postpone"},
                                                 {WhenFull::preempt, "preempt"}};
};

/// What holds for every reclaimer that moves tokens.
struct ReclaimRules {
  SharedBlocks shared = SharedBlocks::suffix;  // of those that move them in place
  /// Tokens move only where holes are at least this share of a sequence's held slots, and at least
  /// so many blocks come back for it.
  double min_hole_share = 0;
  std::uint32_t min_blocks = 0;

  bool always_moves() const { return min_hole_share <= 0 && min_blocks == 0; }
};

}  // namespace vacancy
