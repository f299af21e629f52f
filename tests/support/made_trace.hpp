// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/serving/request_source.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy::test {

/// Requests in memory in the place of a file. `block_size`: tokens that one of their keys stands
/// for; 0: they have no keys.
class MadeTrace final : public TraceReader {
 public:
  explicit MadeTrace(std::vector<TraceRequest> requests, std::uint32_t block_size = 0)
      : requests_(std::move(requests)), info_{"made", block_size, false} {}

  const TraceInfo& info() const override { return info_; }
  bool next(TraceRequest& request) override {
    if (next_ == requests_.size()) return false;
    request = requests_[next_++];
    return true;
  }

 private:
  std::vector<TraceRequest> requests_;
  TraceInfo info_;
  std::size_t next_ = 0;
};

/// The same for an engine with blocks of `block_size` tokens.
inline std::unique_ptr<RequestSource> made_requests(std::vector<TraceRequest> requests,
                                                    std::uint32_t block_size,
                                                    std::uint32_t key_tokens = 0,
                                                    std::uint32_t width = 1) {
  return std::make_unique<RequestSource>(
      std::make_unique<MadeTrace>(std::move(requests), key_tokens), block_size, 1, width);
}

/// A request whose tokens nobody shares.
inline TraceRequest plain_request(std::uint32_t prompt_tokens, std::uint32_t output_tokens,
                                  SimTime arrival = {}) {
  TraceRequest request;
  request.arrival = arrival;
  request.prompt_tokens = prompt_tokens;
  request.output_tokens = output_tokens;
  return request;
}

}  // namespace vacancy::test
