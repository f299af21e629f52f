// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/serving/scheduler.hpp"
#include "sim/serving/trtllm/reuse_tree_options.hpp"

namespace vacancy::test {

/// A request whose tokens nobody shares.
inline Request plain(std::uint32_t id, std::uint32_t prompt, std::uint32_t output) {
  Request request;
  request.id = SequenceId(id);
  request.prompt_tokens = prompt;
  request.output_tokens = output;
  return request;
}

/// One whose prompt is described by keys of `tokens_per_key` tokens.
inline Request keyed(std::uint32_t id, std::vector<std::uint64_t> keys,
                     std::uint32_t tokens_per_key, std::uint32_t output, std::uint32_t tenant = 0) {
  Request request = plain(id, static_cast<std::uint32_t>(keys.size()) * tokens_per_key, output);
  request.contents = {std::move(keys), tokens_per_key, request.prompt_tokens, tenant};
  return request;
}

/// A pool of this many blocks for all layers, in which nothing slides.
inline std::vector<WindowPool> one_pool(std::uint32_t blocks) {
  return {{full_window, {blocks, 0}, Bytes(1)}};
}

class Counting final : public Observer {
 public:
  void on_event(const Event& event) override {
    if (const auto* admitted = std::get_if<RequestAdmitted>(&event)) hits.push_back(admitted->hit);
    if (std::holds_alternative<SequenceCompleted>(event)) ++completed;
    if (std::holds_alternative<SequencePreempted>(event)) ++preempted;
    if (std::holds_alternative<RequestRejected>(event)) ++rejected;
    if (std::holds_alternative<CacheCleared>(event)) ++cleared;
    if (const auto* fresh = std::get_if<BlocksAllocated>(&event)) allocated += fresh->blocks.size();
  }
  std::vector<std::uint32_t> hits;  // of each admission
  std::uint64_t completed = 0, preempted = 0, rejected = 0, allocated = 0, cleared = 0;
};

/// An engine whose steps are completed before the next is composed.
class EngineRun {
 public:
  EngineRun(const SchedulerOptions& options, CacheManager& cache, Observer& observer)
      : scheduler(options, cache, observer) {}

  const Step& compose() {
    scheduler.compose(step);
    return step;
  }
  const Step& advance() {
    scheduler.compose(step);
    scheduler.complete(step);
    return step;
  }
  void drain(const std::function<void()>& after_step = [] {}) {
    for (std::uint32_t steps = 0; scheduler.unfinished() > 0; ++steps) {
      REQUIRE(steps < 100'000);
      advance();
      after_step();
    }
  }
  std::vector<std::uint32_t> scheduled() const {
    std::vector<std::uint32_t> ids;
    for (const ScheduledTokens& part : step.scheduled)
      ids.push_back(part.sequence.value());
    return ids;
  }

  Scheduler scheduler;
  Step step;
};

using Ids = std::vector<std::uint32_t>;

}  // namespace vacancy::test
