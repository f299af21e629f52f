// SPDX-License-Identifier: Apache-2.0
// What it costs to record a run and to go to a moment of it, against replaying from the start:
// bytes an event, memory of keyframes, and seconds of the thread, over runs of 10^4 to 10^7 events
// and pools of 10^4 to 4·10^6 blocks.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gui/model/cursor.hpp"
#include "gui/model/recorded_run.hpp"
#include "sim/study/scenario_run.hpp"
#include "tests/bench/bench_runs.hpp"
#include "tests/bench/stopwatch.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using vacancy::bench::own_seconds_of;

namespace {

std::shared_ptr<const Scenario> load(const std::string& text) {
  return std::make_shared<const Scenario>(load_scenario_text(text, "bench.json", ".", {}));
}

void measure(const char* name, const std::string& text) {
  const auto scenario = load(text);
  const double plain = own_seconds_of([&] {
    const auto run = start_run(*scenario);
    while (run->step()) {
    }
  });
  std::shared_ptr<const Recording> recording;
  const double recorded = own_seconds_of([&] {
    RecordedRun run(scenario);
    run.run();
    recording = run.recording();
  });
  const auto events = static_cast<double>(recording->events());
  HistoryReader reader(recording->history());
  const double replay = own_seconds_of([&] {
    Replica replica(recording->shape());
    for (std::uint64_t n = 0; n < recording->events(); ++n)
      replica.apply(reader.event(n));
  });
  Cursor cursor(recording);
  std::mt19937_64 engine(1);
  std::vector<double> seeks, steps;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t target = engine() % (recording->events() + 1);
    seeks.push_back(own_seconds_of([&] { cursor.seek(target); }));
    steps.push_back(own_seconds_of([&] {
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
    measure("lockstep, one set", bench::lockstep_text(events, "model", 20'000));
    measure("lockstep, 288 sets", bench::lockstep_text(events, "per_layer_per_head", 20'000));
    measure("vLLM, conversations", bench::serving_text(events, 16'384));
  }
  for (const std::uint32_t blocks : {10'000U, 100'000U, 1'000'000U, 4'000'000U})
    measure(("lockstep, " + std::to_string(blocks) + " blocks").c_str(),
            bench::lockstep_text(std::min<std::uint64_t>(most, 1'000'000), "model", blocks));
}
