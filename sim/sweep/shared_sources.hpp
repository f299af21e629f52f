// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "sim/scenario/scenario.hpp"

namespace vacancy {

/// The transformer is what a point with real attention spends its time on: points with the same
/// source and seed share its sequences. Any thread.
class SharedSources {
 public:
  void share(Scenario& scenario);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const AttentionSource>> sources_;
};

}  // namespace vacancy
