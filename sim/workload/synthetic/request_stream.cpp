// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/request_stream.hpp"

namespace vacancy {

RequestStream::RequestStream(std::string name, const StreamOptions& options, std::uint64_t seed)
    : info_{std::move(name), options.block_size, false},
      requests_(options.requests),
      draws_(seed),
      arrivals_(options, draws_) {}

bool RequestStream::next(TraceRequest& request) {
  if (arrivals_.number() == requests_) return false;
  request.block_keys.clear();
  request.prompt_ids.clear();
  request.output_ids.clear();
  request.arrival = arrivals_.time();
  fill(arrivals_.number(), request);
  arrivals_.advance();
  return true;
}

}  // namespace vacancy
