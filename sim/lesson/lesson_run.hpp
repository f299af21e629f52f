// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/lesson/lesson.hpp"
#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/study/block_map.hpp"

namespace vacancy {

/// A block table at one moment: physical blocks by logical number; nothing stands for a null entry.
struct TableState {
  SequenceId sequence{0};
  std::uint32_t length = 0;  // slots in use, from the first on
  std::vector<std::optional<BlockId>> blocks;
};

/// The pool and its tables at one moment.
struct PoolState {
  BlockSnapshot pool;
  std::vector<TableState> tables;  // the first table of each sequence
  std::uint64_t event = 0;         // events that have happened

  std::uint64_t count(PoolCount what) const;
  /// Held blocks by their live slots: element k counts those with k.
  std::vector<std::uint64_t> blocks_by_live_slots() const;
};

/// A setting in place of the run's own.
struct Variant {
  std::string run;
  std::vector<Setting> settings;
};

/// The scenario of a run of the lesson. Nothing, and faults, where it is none.
std::optional<Scenario> scenario_of(const Lesson& lesson, const std::string& run,
                                    const std::vector<Setting>& more,
                                    std::optional<std::uint64_t> seed, std::uint32_t origin,
                                    Diagnostics& faults);

/// One run of a lesson's scenario, carried out when something of it is first asked for.
class LessonRun {
 public:
  explicit LessonRun(Scenario scenario) : scenario_(std::move(scenario)) {}

  const Scenario& scenario() const { return scenario_; }
  const nlohmann::ordered_json& summary();
  std::shared_ptr<const PoolState> state(const LessonMoment& at);
  /// A numeric setting of the resolved scenario; nothing where there is none.
  std::optional<double> setting(const std::string& path) const;

 private:
  void run();
  std::shared_ptr<const PoolState> state_after(std::uint64_t events) const;

  Scenario scenario_;
  std::optional<nlohmann::ordered_json> summary_;
  std::uint64_t events_ = 0;
  std::shared_ptr<const PoolState> start_, before_, after_, end_;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const PoolState>>> at_event_;
};

}  // namespace vacancy
