// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "sim/sweep/execute.hpp"
#include "sim/sweep/results.hpp"
#include "sim/sweep/sweep.hpp"

namespace vacancy::gui {

/// Seconds until all runs are done if they go on as they went since this start; nothing before the
/// first of them.
std::optional<double> seconds_left(const SweepProgress& now, std::uint64_t done_at_start,
                                   double seconds);

/// A sweep that runs in threads of its own and keeps its finished runs in a folder, where a later
/// start goes on. Results come while it runs, of the points that are complete from the first on.
class SweepSession : public QObject {
  Q_OBJECT

 public:
  enum class Status { empty, ready, running, cancelled, finished, failed };

  explicit SweepSession(QObject* parent = nullptr) : QObject(parent) {}
  /// Cancels and waits.
  ~SweepSession() override;

  /// Throws UserError with the faults of the file. Not while it runs.
  void open(const std::filesystem::path& file);
  /// Runs what the folder's journal lacks, `jobs` runs at a time. `fresh`: throws away what another
  /// sweep left there. Without effect unless a sweep is open and none runs.
  void start(const std::filesystem::path& folder, std::size_t jobs, bool fresh = false);
  /// Finished runs stay; the next start goes on from there.
  void cancel() { stop_ = true; }
  /// Waits until nothing runs any more.
  void wait();

  Status status() const { return status_; }
  const std::filesystem::path& file() const { return file_; }
  const Sweep* sweep() const { return sweep_.get(); }
  std::shared_ptr<const SweepResults> results() const { return results_; }
  const SweepProgress& progress() const { return progress_; }
  std::optional<double> left() const { return left_; }
  const std::string& error() const { return error_; }

 Q_SIGNALS:
  void status_changed();
  void progressed();
  void results_changed();

 private:
  struct News {
    SweepProgress progress;
    std::optional<double> left;
    std::shared_ptr<const SweepResults> results;  // null: no new ones
  };
  class Worker;

  void take(const News& news);
  void end(Status status, const std::string& error, std::uint64_t start);

  std::filesystem::path file_;
  std::shared_ptr<const Sweep> sweep_;
  std::shared_ptr<const SweepResults> results_;
  SweepProgress progress_;
  std::optional<double> left_;
  std::string error_;
  Status status_ = Status::empty;
  std::atomic<bool> stop_ = false;
  std::uint64_t starts_ = 0;
  std::thread thread_;
};

/// The scenario of a point's first run with every default explicit; loading it gives the same run.
/// Throws UserError with the reason where the point is void.
std::string scenario_text(const Sweep& sweep, std::uint64_t point);

}  // namespace vacancy::gui
