// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "sim/prefix/replacement/keyed_policy.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"

namespace vacancy {
namespace {

/// Key: uses since insertion, then the position in the request, then the last use.
class LengthAware final : public KeyedPolicy {
 public:
  using KeyedPolicy::KeyedPolicy;

  void inserted(EntryId entry, const BlockAccess& access) override {
    place(entry, {one_use | access.position, tick()});
  }
  void hit(EntryId entry, const BlockAccess& access) override {
    const std::uint64_t uses = std::min(key(entry).rank / one_use + 1, most_uses);
    move(entry, {uses * one_use | access.position, tick()});
  }
  void released(EntryId entry) override { move(entry, {key(entry).rank, tick()}); }

 private:
  // The position stands in the low half of the rank.
  static constexpr std::uint64_t one_use = std::uint64_t{1} << 32;
  static constexpr std::uint64_t most_uses = std::numeric_limits<std::uint32_t>::max();
};

}  // namespace

ReplacementEntry length_aware_entry() {
  return entry_of<LengthAware>(
      "length_aware",
      "Evicts the block with the fewest uses since its insertion, of those the one nearest to the "
      "start of its request, of those the least recently used one.",
      "Mooncake, arXiv 2407.00079, Table 1 (LengthAwareCache)");
}

}  // namespace vacancy
