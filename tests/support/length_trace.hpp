// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/workload/trace/trace.hpp"

namespace vacancy::test {

/// Prompt and output tokens of a request.
struct Lengths {
  std::uint32_t prompt = 0, output = 0;
};

/// A trace of requests that are nothing but their lengths.
class LengthTrace final : public TraceReader {
 public:
  explicit LengthTrace(std::vector<Lengths> lengths) : lengths_(std::move(lengths)) {}

  const TraceInfo& info() const override { return info_; }
  bool next(TraceRequest& request) override {
    if (next_ == lengths_.size()) return false;
    request = {};
    request.prompt_tokens = lengths_[next_].prompt;
    request.output_tokens = lengths_[next_].output;
    ++next_;
    return true;
  }

 private:
  std::vector<Lengths> lengths_;
  std::size_t next_ = 0;
  TraceInfo info_;
};

}  // namespace vacancy::test
