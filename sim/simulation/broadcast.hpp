// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/pool/events.hpp"

namespace vacancy {

/// Passes every event on to several observers, in their order.
struct Broadcast final : Observer {
  void on_event(const Event& event) override {
    for (Observer* observer : observers)
      observer->on_event(event);
  }
  std::vector<Observer*> observers;
};

}  // namespace vacancy
