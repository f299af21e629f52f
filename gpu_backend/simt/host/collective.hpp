// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu_backend/simt/host/location.hpp"

namespace vacancy::simt::host {

/// The lanes of a mask that meet in one warp operation. Lanes may be in different operations at a
/// time if their masks differ, as after a divergent branch.
struct Collective {
  std::uint32_t mask = 0;
  std::uint32_t needed = 0;  // lanes of the mask that have not exited
  std::uint32_t arrived = 0, departed = 0, predicates = 0;
  const char* operation = "";
  Location location;
  /// What the race detector takes as order, fresh for each meeting that orders memory: a lane that
  /// runs ahead to the next one has a token of that.
  std::unique_ptr<char> token;
  Collective* next = nullptr;
  std::uint64_t values[32];

  bool complete() const { return (arrived & needed) == needed; }

  /// What a lane brought. Of a lane that is not here a GPU's answer is undefined: all bits set, so
  /// that it shows.
  std::uint64_t value(unsigned lane) const {
    return lane < 32 && (arrived >> lane & 1) != 0 ? values[lane] : ~std::uint64_t{0};
  }
};

/// Collectives to be used again.
class CollectiveStore {
 public:
  Collective& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Collective>());
      free_.push_back(all_.back().get());
    }
    Collective& collective = *free_.back();
    free_.pop_back();
    return collective;
  }
  void give_back(Collective& collective) { free_.push_back(&collective); }

 private:
  std::vector<std::unique_ptr<Collective>> all_;
  std::vector<Collective*> free_;
};

}  // namespace vacancy::simt::host
