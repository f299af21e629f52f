// SPDX-License-Identifier: Apache-2.0
// What it costs to record a run and to go to a moment of it, against replaying from the start:
// bytes an event, memory of keyframes, and seconds, over runs of 10^4 to 10^7 events.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gui/model/cursor.hpp"
#include "gui/model/recorded_run.hpp"
#include "sim/study/scenario_run.hpp"
#include "tests/bench/stopwatch.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using vacancy::bench::seconds_of;

namespace {

std::shared_ptr<const Scenario> load(const std::string& text) {
  return std::make_shared<const Scenario>(load_scenario_text(text, "bench.json", ".", {}));
}

/// Decoding sequences with a round every 128 tokens; about 5 events for 4 tokens.
std::shared_ptr<const Scenario> lockstep(std::uint64_t events, const std::string& scope) {
  return load(R"({"seed": 1, "model": "qwen3-8b", "cache": {"block_size": 16, "blocks": 20000},
    "eviction": {"policy": "random", "scope": ")" +
              scope + R"(", "budget": 2048, "interval": 128}, "reclaim": {"kind": "slide"},
    "quality": {"queries": 0}, "workload": {"sequences": 4, "prompt_tokens": 2000,
    "output_tokens": )" +
              std::to_string(events * 4 / 5 / 4) + "}}");
}

/// Conversations under vLLM with a prefix cache; some 3,000 events a request.
std::shared_ptr<const Scenario> serving(std::uint64_t events) {
  return load(R"({"seed": 1, "model": "llama-3-8b", "device": "h100",
    "cache": {"block_size": 16, "blocks": 16384}, "engine": {"profile": "vllm-main-2026-08"},
    "serving": {"max_num_seqs": 128, "max_num_batched_tokens": 8192},
    "workload": {"source": "multi_turn", "multi_turn": {"rate": 0.7, "requests": )" +
              std::to_string(std::max<std::uint64_t>(events / 500, 1)) + "}}}");
}

void measure(const char* name, const std::shared_ptr<const Scenario>& scenario) {
  const double plain = seconds_of([&] {
    const auto run = start_run(*scenario);
    while (run->step()) {
    }
  });
  std::shared_ptr<const Recording> recording;
  const double recorded = seconds_of([&] {
    RecordedRun run(scenario);
    run.run();
    recording = run.recording();
  });
  const auto events = static_cast<double>(recording->events());
  HistoryReader reader(recording->history());
  const double replay = seconds_of([&] {
    Replica replica(recording->shape());
    for (std::uint64_t n = 0; n < recording->events(); ++n)
      replica.apply(reader.event(n));
  });
  Cursor cursor(recording);
  std::mt19937_64 engine(1);
  std::vector<double> seeks, steps;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t target = engine() % (recording->events() + 1);
    seeks.push_back(seconds_of([&] { cursor.seek(target); }));
    steps.push_back(seconds_of([&] {
      cursor.back();
      cursor.forward();
    }));
  }
  std::sort(seeks.begin(), seeks.end());
  std::sort(steps.begin(), steps.end());
  std::printf(
      "%-22s %10.0f events %5.1f B/event (keyframes %3zu, %6.1f MiB; series %5.1f MiB)  run %.2f "
      "s, "
      "recorded %.2f s, replayed %.2f s (%.2f M/s)  seek median %.2f ms, worst %.2f ms = replay / "
      "%.0f; step back and forth worst %.2f ms\n",
      name, events, static_cast<double>(recording->history().bytes()) / events,
      recording->keyframes().size(),
      static_cast<double>(recording->keyframes().bytes()) / (1 << 20),
      static_cast<double>(recording->series().bytes()) / (1 << 20), plain, recorded, replay,
      events / replay / 1e6, seeks[50] * 1e3, seeks.back() * 1e3, replay / seeks.back(),
      steps.back() * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t most = argc > 1 ? std::stoull(argv[1]) : 1'000'000;
  for (std::uint64_t events = 10'000; events <= most; events *= 10) {
    measure("lockstep, one set", lockstep(events, "model"));
    measure("lockstep, 288 sets",
            lockstep(std::min<std::uint64_t>(events, 1'000'000), "per_layer_per_head"));
    measure("vLLM, conversations", serving(events));
  }
}
