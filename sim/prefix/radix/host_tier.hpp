// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/prefix/radix/leaf_heap.hpp"
#include "sim/registry/parameter.hpp"

namespace vacancy {

/// When a node of the device's tree is copied to the host (spec engines S14).
enum class HostWrite {
  write_through,            // when it is inserted
  write_through_selective,  // when it is inserted again
  write_back                // when the device gives it up
};

template <>
struct EnumNames<HostWrite> {
  static constexpr EnumName<HostWrite> table[] = {
      {HostWrite::write_through, "write_through"},
      {HostWrite::write_through_selective, "write_through_selective"},
      {HostWrite::write_back, "write_back"}};
};

struct HostTierOptions {
  std::uint32_t pages = 0;  // 0: there is no host tier
  HostWrite write = HostWrite::write_through;
  /// Fewer tokens of a found prefix than this are not loaded back, but computed again.
  std::uint32_t load_threshold = 10;
};

/// Host memory behind a radix tree: how much of it is taken, and which of its contents may go. What
/// node stands where is the tree's business. Of places on the host nothing is known but how many
/// tokens fill them: nodes are whole pages, so any free ones will do.
class HostTier {
 public:
  HostTier(const HostTierOptions& options, std::uint32_t page_size)
      : options_(options), capacity_(std::uint64_t{options.pages} * page_size) {}

  /// Whether a node that insertions have hit so often is due to be copied.
  bool copies_at(std::uint32_t hit_count) const {
    return options_.write != HostWrite::write_back &&
           hit_count >= (options_.write == HostWrite::write_through ? 1u : 2u);
  }
  bool copies_on_eviction() const { return options_.write == HostWrite::write_back; }
  bool worth_loading(std::uint32_t tokens) const {
    return tokens > 0 && tokens >= options_.load_threshold;
  }

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used() const { return used_; }
  bool has_room(std::uint64_t tokens) const { return tokens <= capacity_ - used_; }

  void write(std::uint64_t tokens) {
    used_ += tokens;
    counts_.written += tokens;
  }
  void load(std::uint64_t tokens) { counts_.loaded += tokens; }
  void drop(std::uint64_t tokens) {
    used_ -= tokens;
    counts_.evicted += tokens;
  }

  /// Tokens since the start.
  struct Counts {
    std::uint64_t written = 0;  // device to host
    std::uint64_t loaded = 0;   // host to device
    std::uint64_t evicted = 0;  // lost from the host
  };
  const Counts& counts() const { return counts_; }

  /// What may go: leaves of the tree that the device has given up.
  LeafHeap& leaves() { return leaves_; }
  const LeafHeap& leaves() const { return leaves_; }

 private:
  HostTierOptions options_;
  std::uint64_t capacity_, used_ = 0;  // tokens
  Counts counts_;
  LeafHeap leaves_;
};

}  // namespace vacancy
