// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vacancy::reuse_tree {

/// What one window size counted (spec engines T14, §7: allocTotal, allocNew, reused, reusedUnique,
/// missed); those from `reused_tokens_secondary` on are ours.
struct Counters {
  std::uint64_t alloc_total = 0;    // blocks taken from the free queues, to onboard into as well
  std::uint64_t alloc_new = 0;      // of these: held no tokens
  std::uint64_t reused = 0;         // prompt blocks found, whole or in part
  std::uint64_t reused_unique = 0;  // blocks that were ever found
  std::uint64_t missed = 0;         // prompt blocks not found
  std::uint64_t reused_tokens = 0;
  std::uint64_t input_tokens = 0;             // of all prompts
  std::uint64_t reused_tokens_secondary = 0;  // of reused_tokens: found in the host's memory
  std::uint64_t offloaded = 0, onboarded = 0;
  std::uint64_t copied = 0, copied_tokens = 0;  // blocks of which a part was copied
  std::uint64_t copied_tokens_secondary = 0;    // of copied_tokens: from the host's memory
  std::uint64_t detached = 0;                   // blocks that left a window
  /// Copies whose source gave its host memory to the very offload that made room for the copy: the
  /// engine does not claim the source first, reads what is no longer there, and counts a reuse.
  std::uint64_t overwritten_sources = 0;

  bool operator==(const Counters&) const = default;

  Counters& operator+=(const Counters& other);
  /// reused / (reused + missed); 0 before the first prompt.
  double hit_ratio() const {
    return reused == 0 ? 0.0 : static_cast<double>(reused) / static_cast<double>(reused + missed);
  }
};

inline Counters& Counters::operator+=(const Counters& other) {
  alloc_total += other.alloc_total;
  alloc_new += other.alloc_new;
  reused += other.reused;
  reused_unique += other.reused_unique;
  missed += other.missed;
  reused_tokens += other.reused_tokens;
  input_tokens += other.input_tokens;
  reused_tokens_secondary += other.reused_tokens_secondary;
  offloaded += other.offloaded;
  onboarded += other.onboarded;
  copied += other.copied;
  copied_tokens += other.copied_tokens;
  copied_tokens_secondary += other.copied_tokens_secondary;
  detached += other.detached;
  overwritten_sources += other.overwritten_sources;
  return *this;
}

}  // namespace vacancy::reuse_tree
