// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/point_runner.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "sim/scenario/draft.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/study/scenario_run.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

const SkipRule* rule_for(const Sweep& sweep, const SweepPoint& point) {
  const auto holds = [&](const SkipRule::Condition& condition) {
    return std::ranges::find(condition.texts, point.at[condition.axis].text) !=
           condition.texts.end();
  };
  const auto found = std::ranges::find_if(
      sweep.skip, [&](const SkipRule& rule) { return std::ranges::all_of(rule.where, holds); });
  return found == sweep.skip.end() ? nullptr : &*found;
}

}  // namespace

std::string reason_of(const Diagnostics& faults) {
  const auto& all = faults.faults();
  std::string text = all.front().pointer + ": " + all.front().sentence;
  if (all.size() > 1) text += " (And " + counted(all.size() - 1, "more fault") + ".)";
  return text;
}

std::optional<Scenario> scenario_of_run(const Sweep& sweep, std::uint64_t index,
                                        Diagnostics& faults) {
  const std::uint64_t replicates = sweep.runs_per_point();
  JsonNode root = sweep.base;
  for (const Setting& setting : point_at(sweep.sampling, index / replicates).settings)
    assign(root, keys_of_path(setting.path), setting.value, faults);
  std::optional<std::uint64_t> seed;
  if (!sweep.seeds.empty()) seed = sweep.seeds[index % replicates];
  return resolve_scenario(root, seed, faults);
}

std::optional<RunRecord> PointRunner::run(std::uint64_t index, const std::function<bool()>& stop) {
  RunRecord record{index, RunState::empty, "", {}};
  if (const SkipRule* rule =
          rule_for(sweep_, point_at(sweep_.sampling, index / sweep_.runs_per_point()))) {
    record.reason = rule->reason;
    return record;
  }
  Diagnostics faults = sweep_.origins;
  auto scenario = scenario_of_run(sweep_, index, faults);
  if (!scenario) {
    record.reason = reason_of(faults);
    return record;
  }
  if (scenario->obstacle) throw UserError(*scenario->obstacle);
  sources_.share(*scenario);
  try {
    const auto run = start_run(*scenario);
    while (run->step())
      if (stop()) return std::nullopt;
    record.summary = nlohmann::ordered_json::parse(to_json(run->summary()));
    record.reason = run->stop_reason();
    record.state = record.reason.empty() ? RunState::done : RunState::unfinished;
  } catch (const UserError& error) {
    record.state = RunState::failed;
    record.reason = error.what();
  } catch (const std::bad_alloc&) {
    record.state = RunState::failed;
    record.reason = "The run takes more memory than the machine gives.";
  }
  return record;
}

}  // namespace vacancy
