// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "sim/prefix/replacement/keyed_policy.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"

namespace vacancy {
namespace {

/// Shifts the signed range so that unsigned order is its order.
std::uint64_t rank_of(std::int32_t priority) {
  return static_cast<std::uint64_t>(std::int64_t{priority} -
                                    std::numeric_limits<std::int32_t>::min());
}

/// Key: priority, then the last use. A block that requests of several priorities use has the
/// highest of them, as a node of SGLang's tree has.
class Priority final : public KeyedPolicy {
 public:
  using KeyedPolicy::KeyedPolicy;

  void inserted(EntryId entry, const BlockAccess& access) override {
    place(entry, {rank_of(access.priority), tick()});
  }
  void hit(EntryId entry, const BlockAccess& access) override {
    move(entry, {std::max(key(entry).rank, rank_of(access.priority)), tick()});
  }
  void released(EntryId entry) override { move(entry, {key(entry).rank, tick()}); }
};

}  // namespace

ReplacementEntry priority_entry() {
  return entry_of<Priority>(
      "priority",
      "Evicts the block of the lowest priority, of those the least recently used one; requests "
      "bring their priority.",
      "TensorRT-LLM evictionPolicy.cpp (free queues by priority); SGLang evict_policy.py");
}

}  // namespace vacancy
