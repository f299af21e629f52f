// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace vacancy::gui {

/// A number that nobody else has: who may write a shared part of a replica. 0 is nobody.
inline std::uint64_t new_writer_number() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace vacancy::gui
