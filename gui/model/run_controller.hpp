// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/recorded_run.hpp"

namespace vacancy::gui {

/// What to run: a file, or its text as an editor has it.
struct RunRequest {
  std::filesystem::path file;
  std::optional<std::string>
      text;  // instead of the file's; relative paths start at the file's folder
  ScenarioOverrides overrides;
  RecordingLimits limits;
  std::optional<ForkPlan> fork;
};

/// Loads and runs one scenario after another in threads of their own. All signals come in the
/// thread of the controller. Nothing here waits for a run but the destructor: until the step under
/// way ends.
class RunController : public QObject {
  Q_OBJECT

 public:
  explicit RunController(QObject* parent = nullptr);
  RunController(const RunController&) = delete;
  RunController& operator=(const RunController&) = delete;
  ~RunController() override;

  /// A run that is under way is cancelled; its signals are no longer sent.
  void start(RunRequest request);
  /// A run that `make` makes, in the run's own thread; what it throws is refused().
  void start(std::function<std::unique_ptr<RecordedRun>()> make);
  /// What was recorded stays, finished() follows.
  void cancel();
  /// A run that is under way is cancelled, and nothing is heard of it any more.
  void forget();
  bool busy() const;
  /// Of the present run, from started() on; else null.
  std::shared_ptr<const Recording> recording() const { return recording_; }

 Q_SIGNALS:
  /// The scenario is read and valid, and the run begins.
  void started();
  /// The sentences of the command line, one a line: the scenario cannot be run.
  void refused(const QString& sentences);
  /// Several times a second.
  void progress(quint64 done, quint64 planned);
  /// The run is over: recording()->state() says how.
  void finished();

 private:
  struct Job;
  /// Does what a job handed over.
  Q_INVOKABLE void drain();

  std::shared_ptr<const Recording> recording_;
  std::uint64_t jobs_ = 0;
  std::unique_ptr<Job> job_;
  std::vector<std::unique_ptr<Job>> retired_;  // cancelled, and not at their end yet
};

}  // namespace vacancy::gui
