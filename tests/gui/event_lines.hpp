// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "gui/model/recording.hpp"
#include "sim/metrics/event_log.hpp"

namespace vacancy::test {

/// The run's events.jsonl, without the events first … last - 1.
inline std::vector<std::string> event_lines(const gui::Recording& run, std::uint64_t first = 0,
                                            std::uint64_t last = 0) {
  std::stringstream text;
  EventLog log(text);
  gui::HistoryReader reader(run.history());
  for (std::uint64_t n = 0; n < run.events(); ++n)
    if (n < first || n >= last) log.on_event(reader.event(n));
  log.flush();
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

}  // namespace vacancy::test
