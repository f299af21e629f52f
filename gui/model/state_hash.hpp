// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vacancy::gui {

/// Of a list of numbers, to compare two states: 64 bits, mixed as in MurmurHash3's finalizer.
class StateHash {
 public:
  void add(std::uint64_t value) {
    hash_ ^= value + 0x9e3779b97f4a7c15u + (hash_ << 6) + (hash_ >> 2);
    hash_ ^= hash_ >> 33;
    hash_ *= 0xff51afd7ed558ccdu;
    hash_ ^= hash_ >> 33;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace vacancy::gui
