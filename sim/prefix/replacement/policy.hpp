// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "sim/units/units.hpp"

namespace vacancy {

/// What a prefix cache evicts as one: a physical block, a node of a tree. Used again for another
/// content after it was removed.
using EntryId = StrongType<struct EntryIdTag, std::uint32_t>;
/// What a block holds: dense numbers, the same for the same prefix, also after its eviction. Two
/// entries may hold the same content.
using ContentIndex = StrongType<struct ContentIndexTag, std::uint32_t>;

/// A content that is not known yet, such as that of a block still to be decoded.
inline constexpr ContentIndex no_content{std::numeric_limits<std::uint32_t>::max()};
/// The next use of a content that is not used again.
inline constexpr std::uint64_t never_used = std::numeric_limits<std::uint64_t>::max();

/// One use of a block, with all that a policy may go by.
struct BlockAccess {
  ContentIndex content = no_content;
  std::uint32_t position = 0;  // blocks before it in its request
  std::int32_t priority = 0;   // a larger one stays longer
  /// Price of computing the block again, in a unit of the caller's choice; 0: unknown.
  std::uint64_t cost = 0;
  SimTime now;
  /// When the content is used next, on any clock that grows from use to use. Only an oracle knows.
  std::uint64_t next_use = never_used;
};

enum class Removal {
  evicted,  // to make room: policies with a memory of evicted contents remember it
  dropped,  // expired or made invalid: no sign that the cache was too small
};

/// Decides which entry of a full prefix cache goes. The cache reports every event and does what
/// the policy says; the policy holds order, never contents. All calls are O(1) or O(log entries),
/// amortised where a policy ages its counters, and allocate only when contents with larger numbers
/// appear than ever before. Order depends on the sequence of events alone.
class ReplacementPolicy {
 public:
  virtual ~ReplacementPolicy() = default;

  /// A block entered the cache; entries start unpinned.
  virtual void inserted(EntryId entry, const BlockAccess& access) = 0;
  /// A cached block was used again, pinned or not.
  virtual void hit(EntryId entry, const BlockAccess& access) = 0;
  /// Its last user let go of it. Recency counts from here; no use more is counted.
  virtual void released(EntryId entry) = 0;
  /// The entry may not be a victim until `unpinned`. Nothing else changes: not its place in the
  /// order, not its share of the cache. Calls do not nest (EvictionGuard counts).
  virtual void pinned(EntryId entry) = 0;
  virtual void unpinned(EntryId entry) = 0;
  virtual void removed(EntryId entry, Removal how) = 0;

  /// The entry to evict so that `incoming` can enter, or nothing if all are pinned. Ask only if the
  /// entry is going to be removed: looking for it may age others.
  virtual std::optional<EntryId> victim(const BlockAccess& incoming) = 0;

  /// Whether a full cache should take `incoming` at all. Serving engines do not ask: they write
  /// every block that they compute.
  virtual bool admits(const BlockAccess& /*incoming*/) const { return true; }
  /// An unpinned entry whose time has run out, to be dropped now; nothing if there is none.
  virtual std::optional<EntryId> expired(SimTime /*now*/) const { return std::nullopt; }
};

}  // namespace vacancy
