// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "sim/workload/trace/trace.hpp"

namespace vacancy::test {

/// A trace out of memory.
class MadeTrace final : public TraceReader {
 public:
  explicit MadeTrace(std::vector<TraceRequest> requests, TraceInfo info = {"made", 0, false})
      : requests_(std::move(requests)), info_(std::move(info)) {}

  const TraceInfo& info() const override { return info_; }
  bool next(TraceRequest& request) override {
    if (at_ == requests_.size()) return false;
    request = requests_[at_++];
    return true;
  }

 private:
  std::vector<TraceRequest> requests_;
  TraceInfo info_;
  std::size_t at_ = 0;
};

}  // namespace vacancy::test
