// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/device/step_time_model.hpp"
#include "sim/run_log/run_log.hpp"
#include "sim/run_log/simulated_run.hpp"
#include "sim/units/philox.hpp"

namespace vacancy::test {

/// A toy of continuous batching: first come, first served, at most `seats` at a time and no more
/// than fit into `pool` tokens whole, decodes before chunks, one step after another. Its schedule
/// depends on step times as long as requests still arrive.
class MadeEngine {
 public:
  std::uint32_t seats = 24;
  std::uint32_t budget = 1024;
  std::uint32_t pool = 20'000;

  /// Requests of made lengths that arrive `gap` apart on average.
  MadeEngine(std::uint32_t count, SimTime gap) {
    SimTime at;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto words = philox4x32_10({i, 0, 0, 0}, {3, 4});
      requests_.push_back({at, 50 + words[0] % 1500, 2 + words[1] % 250});
      at += SimTime(static_cast<std::int64_t>(words[2] % (2 * gap.value())));
    }
  }

  SimulatedRun run(const StepTimeCoefficients& prices) const {
    SimulatedRun result;
    result.requests.resize(requests_.size());
    struct Live {
      std::uint32_t id, computed = 0, made = 0;
    };
    std::vector<Live> running;
    std::vector<std::uint32_t> waiting;
    std::size_t next = 0;
    std::uint32_t reserved = 0;
    SimTime now;
    while (next < requests_.size() || !running.empty() || !waiting.empty()) {
      if (running.empty() && waiting.empty()) now = std::max(now, requests_[next].arrival);
      for (; next < requests_.size() && requests_[next].arrival <= now; ++next) {
        result.requests[next].queued = now;
        waiting.push_back(static_cast<std::uint32_t>(next));
      }
      while (!waiting.empty() && running.size() < seats &&
             reserved + requests_[waiting.front()].tokens() <= pool) {
        reserved += requests_[waiting.front()].tokens();
        running.push_back({waiting.front()});
        waiting.erase(waiting.begin());
      }
      const auto index = static_cast<std::uint32_t>(result.steps.size());
      SimulatedStep step;
      std::uint32_t left = budget;
      std::vector<std::size_t> produced;
      for (std::size_t i = 0; i < running.size(); ++i) {
        Live& live = running[i];
        const Shape& shape = requests_[live.id];
        const std::uint32_t tokens =
            live.made > 0 ? 1 : std::min(shape.prompt - live.computed, left);
        if (tokens == 0) continue;
        if (live.made > 0)
          step.work.add_decode(live.computed + 1);
        else
          step.work.add_chunk(live.computed, tokens);
        left -= std::min(tokens, left);
        live.computed += tokens;
        SimulatedRequest& of = result.requests[live.id];
        if (of.first_scheduled == no_step) of.first_scheduled = index;
        if (live.computed >= shape.prompt) produced.push_back(i);
      }
      step.composed = step.begin = now;
      step.end = now = now + step_time(prices, step.work);
      for (const std::size_t i : produced) {
        SimulatedRequest& of = result.requests[running[i].id];
        if (running[i].made++ == 0) of.first_token = index;
        of.last_token = index;
      }
      std::erase_if(running, [&](const Live& live) {
        const bool done = live.made == requests_[live.id].output;
        if (done) reserved -= requests_[live.id].tokens();
        return done;
      });
      step.running = static_cast<std::uint32_t>(running.size());
      step.waiting = static_cast<std::uint32_t>(waiting.size());
      step.used_blocks = step.running * 10;
      result.steps.push_back(step);
    }
    return result;
  }

  /// What a logger would have written of a run whose steps end `jitter` late, each its own draw; a
  /// step in `outlier_every` by 20 times as much.
  RunLog log(const SimulatedRun& run, SimTime jitter = {}, std::uint32_t outlier_every = 0) const {
    const auto stamp = [&](std::uint32_t step) {
      const auto words = philox4x32_10({step, 1, 0, 0}, {3, 4});
      std::int64_t late = jitter.value() > 0 ? words[0] % jitter.value() : 0;
      if (outlier_every > 0 && words[1] % outlier_every == 0) late *= 20;
      return run.steps[step].end + SimTime(late);
    };
    RunLog result;
    result.meta.blocks = 1 + 10 * seats;
    result.meta.requests = static_cast<std::uint32_t>(requests_.size());
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      MeasuredRequest request;
      request.prompt_tokens = requests_[i].prompt;
      request.output_tokens = requests_[i].output;
      request.arrival = requests_[i].arrival;
      request.queued = run.requests[i].queued;
      request.scheduled = run.steps[run.requests[i].first_scheduled].begin;
      request.first_token = stamp(run.requests[i].first_token);
      request.last_token = stamp(run.requests[i].last_token);
      result.requests.push_back(request);
    }
    return result;
  }

 private:
  struct Shape {
    SimTime arrival;
    std::uint32_t prompt, output;
    std::uint32_t tokens() const { return prompt + output; }
  };
  std::vector<Shape> requests_;
};

/// Prices of the size of a real card's, apart in both kinds of step.
inline StepTimeCoefficients true_prices() {
  StepTimeCoefficients prices;
  prices.decode[StepTerm::step] = 16.6e6;
  prices.decode[StepTerm::context_token] = 126;
  prices.decode[StepTerm::longest_token] = 593;
  prices.decode[StepTerm::decode] = 47e3;
  prices.prefill[StepTerm::step] = 3.1e6;
  prices.prefill[StepTerm::prefill_token] = 85.5e3;
  prices.prefill[StepTerm::context_token] = 152;
  prices.prefill[StepTerm::longest_token] = 1970;
  prices.prefill[StepTerm::decode] = 306e3;
  prices.prefill[StepTerm::attention_pair] = 3.5;
  return prices;
}

/// The same prices in both kinds of step, as the forms s4 and below have them.
inline StepTimeCoefficients shared_prices() {
  StepTimeCoefficients prices;
  for (StepTerms* side : {&prices.decode, &prices.prefill}) {
    (*side)[StepTerm::step] = 16.3e6;
    (*side)[StepTerm::context_token] = 216;
  }
  prices.prefill[StepTerm::prefill_token] = 85.4e3;
  prices.prefill[StepTerm::attention_pair] = 2.9;
  return prices;
}

}  // namespace vacancy::test
