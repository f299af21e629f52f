// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/random.hpp"

namespace vacancy::test {

/// Keys of prompts that have a few beginnings in common, each as far as chance wants. Equal keys,
/// equal prefixes.
class SharedKeys {
 public:
  explicit SharedKeys(std::uint32_t families) : families_(families) {}

  std::vector<std::uint64_t> next(Random& random, std::uint32_t count) {
    const std::uint64_t family = random.below(families_);
    const std::uint32_t shared = random.below(count + 1);
    std::vector<std::uint64_t> keys(count);
    for (std::uint32_t i = 0; i < count; ++i)
      keys[i] = i < shared ? family << 32 | i : own_++;
    return keys;
  }

 private:
  std::uint32_t families_;
  std::uint64_t own_ = std::uint64_t{1} << 60;
};

}  // namespace vacancy::test
