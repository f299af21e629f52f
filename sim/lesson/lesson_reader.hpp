// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/lesson/lesson.hpp"
#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

/// The shape of lesson.json: keys, types and ranges. Names of runs, figures and words are checked
/// by check_names(), what the runs say by check_runs().
void read_lesson(const JsonNode& root, Lesson& lesson, Diagnostics& faults);

/// Holds the parts of a lesson against each other: every name is there, nothing but figures are
/// numbers, and no sentence tells what a later question asks.
void check_names(const JsonNode& root, const Lesson& lesson, const Glossary& glossary,
                 Diagnostics& faults);

/// Every run of the lesson is a valid scenario without an engine that has the figures.
/// `scenario` is its file in `faults`.
void check_runs(const JsonNode& root, const Lesson& lesson, std::uint32_t scenario,
                Diagnostics& faults);

}  // namespace vacancy
