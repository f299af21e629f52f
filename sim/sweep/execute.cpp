// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/execute.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "sim/sweep/parallel.hpp"
#include "sim/sweep/point_runner.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Executor {
 public:
  Executor(const Sweep& sweep, Journal& journal, const Execution& how)
      : sweep_(sweep), journal_(journal), how_(how), runner_(sweep) {
    progress_.total = how.points * sweep.runs_per_point();
    for (std::uint64_t run = 0; run < progress_.total; ++run) {
      const auto known = journal.records().find(run);
      if (known == journal.records().end())
        lacking_.push_back(run);
      else
        count(known->second);
    }
  }

  SweepTiming run() {
    in_parallel(
        lacking_.size(), how_.jobs, [this](std::size_t i) { work(lacking_[i]); },
        [this] { watch(); });
    return timing_;
  }

 private:
  void work(std::uint64_t run) {
    if (stop_) return;
    const auto start = Clock::now();
    auto record = runner_.run(run, [this] { return stop_.load(std::memory_order_relaxed); });
    if (!record) return;
    const double seconds = seconds_since(start);
    const std::uint64_t point = run / sweep_.runs_per_point();
    const std::lock_guard lock(mutex_);
    count(*record);
    ++timing_.runs;
    timing_.seconds += seconds;
    if (seconds > timing_.slowest_seconds) {
      timing_.slowest_seconds = seconds;
      timing_.slowest_point = point;
    }
    journal_.add(std::move(*record), point, seconds);
  }

  void watch() {
    if (how_.cancelled()) stop_ = true;
    const std::lock_guard lock(mutex_);
    how_.tell(progress_);
  }

  void count(const RunRecord& record) {
    ++progress_.done;
    if (record.state == RunState::empty) ++progress_.refused;
    if (record.state == RunState::unfinished || record.state == RunState::failed) ++progress_.early;
  }

  const Sweep& sweep_;
  Journal& journal_;
  const Execution& how_;
  PointRunner runner_;
  std::vector<std::uint64_t> lacking_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // of what follows, and of the journal
  SweepProgress progress_;
  SweepTiming timing_;
};

}  // namespace

SweepTiming execute(const Sweep& sweep, Journal& journal, const Execution& how) {
  return Executor(sweep, journal, how).run();
}

bool complete(const Sweep& sweep, const Journal& journal, std::uint64_t points) {
  for (std::uint64_t run = 0; run < points * sweep.runs_per_point(); ++run)
    if (!journal.records().contains(run)) return false;
  return true;
}

std::vector<std::string> sweep_notes(const Sweep& sweep) {
  constexpr std::uint64_t most = 100;
  std::string reason;
  const std::uint64_t tried = std::min(most, sweep.points());
  for (std::uint64_t point = 0; point < tried; ++point) {
    Diagnostics faults = sweep.origins;
    if (const auto scenario = scenario_of_run(sweep, point * sweep.runs_per_point(), faults))
      return scenario->notes;
    if (reason.empty()) reason = reason_of(faults);
  }
  return {"None of " + (tried < sweep.points() ? "the first " : std::string()) +
          counted(tried, "point") + " can run: " + reason};
}

}  // namespace vacancy
