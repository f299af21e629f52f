// SPDX-License-Identifier: Apache-2.0
#include "gui/model/sweep/sweep_session.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "sim/json/json_text.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/sweep/journal.hpp"
#include "sim/sweep/point_runner.hpp"
#include "sim/units/error.hpp"
#include "sim/units/fault_sentence.hpp"

namespace vacancy::gui {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Points from the first on whose runs are all there.
std::uint64_t complete_points(const Sweep& sweep, const std::map<std::uint64_t, RunRecord>& records,
                              std::uint64_t from) {
  const std::uint64_t runs = sweep.runs_per_point();
  std::uint64_t run = from * runs;
  while (run < sweep.points() * runs && records.contains(run))
    ++run;
  return run / runs;
}

}  // namespace

std::optional<double> seconds_left(const SweepProgress& now, std::uint64_t done_at_start,
                                   double seconds) {
  if (now.done <= done_at_start) return std::nullopt;
  const auto done = static_cast<double>(now.done - done_at_start);
  return static_cast<double>(now.total - now.done) * seconds / done;
}

/// The thread's part. It talks to the session by queued calls only.
class SweepSession::Worker {
 public:
  Worker(SweepSession& session, std::shared_ptr<const Sweep> sweep, std::filesystem::path folder,
         std::size_t jobs, bool fresh)
      : session_(session),
        sweep_(std::move(sweep)),
        folder_(std::move(folder)),
        jobs_(jobs),
        fresh_(fresh),
        start_(session.starts_) {}

  void operator()() {
    try {
      run();
    } catch (const std::exception& error) {
      end(Status::failed, fault_sentence(error));
    }
  }

 private:
  void run() {
    std::filesystem::create_directories(folder_);
    Journal journal(folder_, sweep_identity(*sweep_), fresh_);
    begun_ = Clock::now();
    shown_ = begun_;
    done_at_start_ = journal.records().size();
    Execution how;
    how.points = sweep_->points();
    how.jobs = jobs_;
    how.cancelled = [this] { return session_.stop_.load(); };
    how.tell = [&](const SweepProgress& now) { tell(now, journal); };
    execute(*sweep_, journal, how);
    send(final_progress(journal), &journal);
    const bool whole = complete(*sweep_, journal, sweep_->points());
    end(whole ? Status::finished : Status::cancelled, "");
  }

  SweepProgress final_progress(const Journal& journal) const {
    SweepProgress now;
    now.total = sweep_->points() * sweep_->runs_per_point();
    for (const auto& [run, record] : journal.records()) {
      ++now.done;
      if (record.state == RunState::empty) ++now.refused;
      if (record.state == RunState::unfinished || record.state == RunState::failed) ++now.early;
    }
    return now;
  }

  /// Ten times a second, while nobody writes the journal. Fronts and means of large sweeps take
  /// their time, so that results come once a second, and of the largest at the end only.
  void tell(const SweepProgress& now, const Journal& journal) {
    constexpr std::uint64_t most_points = 5'000;
    const bool due = seconds_since(shown_) >= 1 && sweep_->points() <= most_points;
    if (due) shown_ = Clock::now();
    send(now, due ? &journal : nullptr);
  }

  void send(const SweepProgress& now, const Journal* journal) {
    News news{now, seconds_left(now, done_at_start_, seconds_since(begun_)), nullptr};
    if (journal) {
      points_ = complete_points(*sweep_, journal->records(), points_);
      news.results =
          std::make_shared<const SweepResults>(results_of(*sweep_, journal->records(), points_));
    }
    QMetaObject::invokeMethod(
        &session_, [&session = session_, news] { session.take(news); }, Qt::QueuedConnection);
  }

  void end(Status status, const std::string& error) {
    QMetaObject::invokeMethod(
        &session_,
        [&session = session_, status, error, start = start_] { session.end(status, error, start); },
        Qt::QueuedConnection);
  }

  SweepSession& session_;
  std::shared_ptr<const Sweep> sweep_;
  std::filesystem::path folder_;
  std::size_t jobs_;
  bool fresh_;
  std::uint64_t start_;
  Clock::time_point begun_, shown_;
  std::uint64_t done_at_start_ = 0, points_ = 0;
};

SweepSession::~SweepSession() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void SweepSession::open(const std::filesystem::path& file) {
  if (status_ == Status::running) return;
  sweep_ = std::make_shared<const Sweep>(load_sweep(file, {}));
  file_ = file;
  results_.reset();
  progress_ = {};
  progress_.total = sweep_->points() * sweep_->runs_per_point();
  left_.reset();
  error_.clear();
  status_ = Status::ready;
  Q_EMIT results_changed();
  Q_EMIT status_changed();
}

void SweepSession::start(const std::filesystem::path& folder, std::size_t jobs, bool fresh) {
  if (!sweep_ || status_ == Status::running) return;
  if (thread_.joinable()) thread_.join();
  stop_ = false;
  error_.clear();
  status_ = Status::running;
  ++starts_;
  thread_ = std::thread(Worker(*this, sweep_, folder, jobs, fresh));
  Q_EMIT status_changed();
}

void SweepSession::wait() {
  if (thread_.joinable()) thread_.join();
}

void SweepSession::take(const News& news) {
  progress_ = news.progress;
  left_ = news.left;
  if (news.results) {
    results_ = news.results;
    Q_EMIT results_changed();
  }
  Q_EMIT progressed();
}

void SweepSession::end(Status status, const std::string& error, std::uint64_t start) {
  if (start != starts_) return;  // of a start that another one followed
  status_ = status;
  error_ = error;
  left_.reset();
  Q_EMIT status_changed();
}

std::string scenario_text(const Sweep& sweep, std::uint64_t point) {
  Diagnostics faults = sweep.origins;
  const auto scenario = scenario_of_run(sweep, point * sweep.runs_per_point(), faults);
  if (!scenario) throw UserError(reason_of(faults));
  return json_text(resolved_json(*scenario));
}

}  // namespace vacancy::gui

#include "moc_sweep_session.cpp"
