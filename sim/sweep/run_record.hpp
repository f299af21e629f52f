// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/registry/parameter.hpp"

namespace vacancy {

enum class RunState {
  done,
  unfinished,  // ended before its work was done: out of memory, rejected requests
  failed,      // stopped by an error in its input
  empty,       // the combination means nothing, or the sweep leaves it out
};

template <>
struct EnumNames<RunState> {
  static constexpr EnumName<RunState> table[] = {{RunState::done, "done"},
                                                 {RunState::unfinished, "unfinished"},
                                                 {RunState::failed, "failed"},
                                                 {RunState::empty, "void"}};
};

/// What became of one run of a sweep: point `run / replicates`, seed `run % replicates`.
struct RunRecord {
  std::uint64_t run = 0;
  RunState state = RunState::done;
  std::string reason;              // of every state but done
  nlohmann::ordered_json summary;  // of a run that began; else null
};

/// A figure of a summary by its dotted key, where it is a number.
std::optional<double> figure_of(const nlohmann::ordered_json& summary, const std::string& key);

// A record as a line of the journal. Reading gives nothing where the line is not a whole record.
std::string to_line(const RunRecord& record);
std::optional<RunRecord> record_of_line(const std::string& line);

}  // namespace vacancy
