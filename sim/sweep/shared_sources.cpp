// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/shared_sources.hpp"

#include <nlohmann/json.hpp>

#include "sim/attention/recorded_source.hpp"

namespace vacancy {

namespace {

// What they take: a sequence of 512 tokens of the 260k checkpoint is 2 MiB, and all rows of its 40
// query heads are 20 MiB.
constexpr std::size_t most_sequences = 128, most_sources = 8;
constexpr std::size_t most_row_bytes = std::size_t{1} << 30;  // of the first source

}  // namespace

void SharedSources::share(Scenario& scenario) {
  if (!scenario.attention || scenario.source != "real") return;
  if (scenario.trajectory == Trajectory::own) return;  // what is written depends on what is evicted
  const std::string key =
      resolved_json(scenario)["attention"].dump() + ' ' + std::to_string(scenario.seed);
  const std::lock_guard lock(mutex_);
  auto known = sources_.find(key);
  if (known == sources_.end()) {
    if (sources_.size() >= most_sources) return;
    const std::size_t row_bytes = sources_.empty() ? most_row_bytes : 0;
    known = sources_
                .emplace(key, std::make_shared<RecordedSource>(scenario.attention, most_sequences,
                                                               row_bytes))
                .first;
  }
  scenario.attention = known->second;
}

}  // namespace vacancy
