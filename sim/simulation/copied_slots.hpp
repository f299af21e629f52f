// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "sim/pool/events.hpp"

namespace vacancy {

/// Slots of shared blocks that were copied before a write.
class CopiedSlots final : public Observer {
 public:
  void on_event(const Event& event) override {
    if (const auto* copied = std::get_if<BlockCopied>(&event)) slots_ += copied->slots;
  }
  /// Since the last call.
  std::uint64_t take() { return std::exchange(slots_, 0); }

 private:
  std::uint64_t slots_ = 0;
};

}  // namespace vacancy
