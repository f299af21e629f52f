// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/hash_chain_window.hpp"

#include <utility>

namespace vacancy {

namespace {

CacheConfig gauged(const HashChainOptions& options, Bytes block_bytes) {
  CacheConfig config;
  config.block_size = options.block_size;
  config.block_bytes = block_bytes;
  return config;
}

}  // namespace

HashChainWindow::HashChainWindow(const HashChainOptions& options, Bytes block_bytes,
                                 std::uint32_t window, std::unique_ptr<RequestSource> requests)
    : metrics_(
          gauged(options, block_bytes), [this] { return manager_.gauges(); }, 0),
      manager_(options, block_bytes, metrics_),
      window_(window),
      source_(std::move(requests)) {}

bool HashChainWindow::serve() {
  Request request;
  if (!source_->next(request)) {
    while (!active_.empty())
      finish_oldest();
    return false;
  }
  ++requests_;
  const std::uint32_t all = request.prompt_tokens + request.output_tokens;
  std::uint32_t hit = 0;
  const auto fits = [&] {
    hit = manager_.lookup(request, request.prompt_tokens);
    metrics_.on_event(PrefixLookedUp{request.id, request.prompt_tokens, hit});
    return manager_.admit(request, all, all - hit, !active_.empty());
  };
  while (!fits()) {
    if (active_.empty()) {
      metrics_.on_event(RequestRejected{request.id});
      return true;
    }
    finish_oldest();
  }
  metrics_.on_event(RequestAdmitted{request.id, request.prompt_tokens, hit, false});
  active_.push_back(std::move(request));
  while (active_.size() > window_)
    finish_oldest();
  return true;
}

void HashChainWindow::finish_oldest() {
  metrics_.on_event(SequenceCompleted{active_.front().id});
  manager_.finish(active_.front());
  active_.pop_front();
}

Summary HashChainWindow::summary() const {
  Summary summary = metrics_.summary();
  summary.serving.unfinished = summary.serving.rejected + active_.size();
  return summary;
}

}  // namespace vacancy
