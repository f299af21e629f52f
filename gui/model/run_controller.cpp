// SPDX-License-Identifier: Apache-2.0
#include "gui/model/run_controller.hpp"

#include <QMetaObject>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "sim/units/fault_sentence.hpp"

namespace vacancy::gui {

namespace {

constexpr std::chrono::milliseconds between_reports{100};

std::unique_ptr<RecordedRun> made(const RunRequest& request) {
  const auto load = [&](const ScenarioOverrides& overrides) {
    return std::make_shared<const Scenario>(
        request.text ? load_scenario_text(*request.text, request.file.string(),
                                          request.file.parent_path(), overrides)
                     : load_scenario(request.file, overrides));
  };
  std::optional<Fork> fork;
  if (request.fork) {
    ScenarioOverrides overrides = request.overrides;
    for (std::string& assignment : assignments_of(request.fork->reclaimer))
      overrides.assignments.push_back(std::move(assignment));
    fork = Fork{*request.fork, load(overrides)};
  }
  return std::make_unique<RecordedRun>(load(request.overrides), request.limits, std::move(fork));
}

}  // namespace

/// A thread, and what it and the controller both know of it. Nothing is posted any more once
/// `controller` is null: it is gone, or has another job.
struct RunController::Job {
  std::function<std::unique_ptr<RecordedRun>()> make;
  std::uint64_t number = 0;
  std::atomic<bool> cancelled{false}, over{false};
  std::mutex mutex;
  RunController* controller = nullptr;
  std::vector<std::function<void(RunController&)>> posted;
  std::thread thread;

  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  /// In the controller's thread.
  ~Job() {
    if (thread.joinable()) thread.join();
  }

  /// Calls f(controller) in the controller's thread, if this is still its job by then. What is
  /// handed over goes through our own mutex; Qt only wakes the other thread up.
  void post(std::function<void(RunController&)> f) {
    const std::scoped_lock lock(mutex);
    if (controller == nullptr) return;
    posted.push_back(std::move(f));
    if (posted.size() == 1) QMetaObject::invokeMethod(controller, "drain", Qt::QueuedConnection);
  }
  void detach() {
    cancelled = true;
    const std::scoped_lock lock(mutex);
    controller = nullptr;
  }

  void run();
};

void RunController::Job::run() {
  std::unique_ptr<RecordedRun> run;
  try {
    run = make();
  } catch (const std::exception& error) {
    over.store(true, std::memory_order_release);
    post([text = QString::fromStdString(fault_sentence(error))](RunController& c) {
      Q_EMIT c.refused(text);
    });
    return;
  }
  auto recording = run->recording();
  post([recording](RunController& c) {
    c.recording_ = recording;
    Q_EMIT c.started();
  });
  auto reported = std::chrono::steady_clock::now();
  run->run([&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - reported >= between_reports) {
      reported = now;
      post([done = recording->done(), planned = recording->planned()](RunController& c) {
        Q_EMIT c.progress(done, planned);
      });
    }
    return cancelled.load(std::memory_order_relaxed);
  });
  over.store(true, std::memory_order_release);
  post([recording](RunController& c) {
    Q_EMIT c.progress(recording->done(), recording->planned());
    Q_EMIT c.finished();
  });
}

RunController::RunController(QObject* parent) : QObject(parent) {}

RunController::~RunController() {
  if (job_) job_->detach();
  // Their destructors wait for their threads.
}

bool RunController::busy() const {
  return job_ && !job_->over.load(std::memory_order_acquire);
}

void RunController::drain() {
  if (!job_) return;
  const std::uint64_t number = job_->number;
  std::vector<std::function<void(RunController&)>> posted;
  {
    const std::scoped_lock lock(job_->mutex);
    posted.swap(job_->posted);
  }
  for (const auto& f : posted)
    if (job_->number == number) f(*this);  // a slot may have started another run
}

void RunController::cancel() {
  if (job_) job_->cancelled = true;
}

void RunController::forget() {
  if (job_) {
    job_->detach();
    retired_.push_back(std::move(job_));
  }
  std::erase_if(retired_, [](const std::unique_ptr<Job>& job) {
    return job->over.load(std::memory_order_acquire);
  });
  recording_ = nullptr;
}

void RunController::start(RunRequest request) {
  start([request = std::move(request)] { return made(request); });
}

void RunController::start(std::function<std::unique_ptr<RecordedRun>()> make) {
  forget();
  job_ = std::make_unique<Job>();
  job_->make = std::move(make);
  job_->number = ++jobs_;
  job_->controller = this;
  job_->thread = std::thread([job = job_.get()] { job->run(); });
}

}  // namespace vacancy::gui

#include "moc_run_controller.cpp"
