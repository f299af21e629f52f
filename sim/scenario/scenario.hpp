// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/device/device.hpp"
#include "sim/model/geometry.hpp"
#include "sim/scenario/serving_options.hpp"
#include "sim/scenario/value_reader.hpp"
#include "sim/simulation/config.hpp"
#include "sim/simulation/replay.hpp"
#include "sim/simulation/serving_simulation.hpp"
#include "sim/workload/lengths.hpp"
#include "sim/workload/synthetic/synthetic.hpp"

namespace vacancy {

/// What a user may add to a scenario file on the command line.
struct ScenarioOverrides {
  std::vector<std::string> assignments;  // "path=value", see apply_overrides()
  std::optional<std::uint64_t> seed;     // instead of the file's
};

/// The part of a scenario that runs an engine.
struct ServingScenario {
  SchedulerKind scheduler = SchedulerKind::continuous_batching;
  ServingConfig config;
  bool evicts = false;  // config.rounds follows from the scenario's eviction and reclaim
  PrefixOptions prefix;
  PinnedPrefixes pinned;
  ParameterValues replacement;           // parameters of prefix.replacement, for block_replay
  std::uint32_t window = 8;              // active requests, for active_window
  const SyntheticEntry* made = nullptr;  // null: the requests of a trace
  ParameterValues made_parameters;
  std::optional<double>
      drawn_rate;  // arrivals a second, drawn anew; nothing: the source's own times
  double burstiness = 1;
  std::uint32_t samples = 1;  // requests that each one of the source becomes
  std::filesystem::path trace;
  std::optional<std::filesystem::path> measured_run;  // whose arrivals replace the trace's
  MeasuredArrival measured_arrival = MeasuredArrival::arrived;
  TraceOptions trace_options;
};

/// A scenario that was read, checked and resolved: nothing in it is left to a default.
struct Scenario {
  std::string description;
  std::uint64_t seed = 0;

  ModelGeometry model;
  std::optional<Device> device;           // nothing: a step takes 1 ms
  std::string source, policy, reclaimer;  // registered names; the source may be "none"
  std::shared_ptr<const AttentionSource> attention;
  Trajectory trajectory = Trajectory::full;
  std::shared_ptr<const EvictionPolicy> eviction_policy;
  std::shared_ptr<const Reclaimer> reclaim;
  ReclaimRules reclaim_rules;

  CacheConfig cache;
  EvictorOptions eviction;

  std::uint32_t sequences = 1;
  std::shared_ptr<const LengthDistribution> prompt_tokens, output_tokens;
  std::uint32_t quality_queries = 32;

  std::optional<ServingScenario> serving;  // nothing: sequences in lockstep

  /// What the user should know and the file does not say: one sentence each.
  std::vector<std::string> notes;
  /// Why the scenario is valid but cannot run here: shared data that are absent.
  std::optional<std::string> obstacle;

  ScenarioValues values;  // every value that `resolved_json` writes
  nlohmann::ordered_json model_json, device_json, engine_json;  // as a scenario spells them
};

/// Reads, checks and resolves a scenario file. Throws one UserError that lists every fault.
Scenario load_scenario(const std::filesystem::path& file, const ScenarioOverrides& overrides = {});

/// The same for text in memory. `name` stands for the file in messages; relative paths in the text
/// start at `folder`.
Scenario load_scenario_text(std::string_view text, const std::string& name,
                            const std::filesystem::path& folder,
                            const ScenarioOverrides& overrides = {});

/// What the simulation needs; the lengths of the sequences are drawn here. Throws UserError if the
/// scenario has an obstacle.
SimulationConfig build_config(const Scenario& scenario);

/// The run of an engine that the scenario describes. Each throws UserError if the scenario has an
/// obstacle; the scenario has a serving part with the scheduler of that name.
std::unique_ptr<ServingSimulation> build_serving(const Scenario& scenario);
/// `observer`, for block_replay, outlives the replay.
std::unique_ptr<Replay> build_replay(const Scenario& scenario,
                                     BlockCacheObserver* observer = nullptr);

/// The scenario with every default explicit. Blocks of choices that were not taken are there only
/// if they were written. Loading it again gives the same run.
nlohmann::ordered_json resolved_json(const Scenario& scenario);

}  // namespace vacancy
