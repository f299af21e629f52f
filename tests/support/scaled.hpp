// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vacancy::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Cases of a random test. A sanitizer finds what is wrong with a path the first time it is taken,
/// and takes ten times as long for each: an eighth will do. How often paths are right is for builds
/// without.
constexpr std::uint32_t scaled(std::uint32_t count) {
  return sanitized ? (count + 7) / 8 : count;
}

/// How often something must have happened in scaled() cases: rare things come in lumps.
constexpr std::uint32_t often(std::uint32_t count) {
  return sanitized ? (count + 31) / 32 : count;
}

}  // namespace vacancy::test
