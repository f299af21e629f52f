// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace vacancy {

/// The keys of a scenario as Markdown tables: the generated part of docs/formats/scenario.md.
std::string scenario_reference();

}  // namespace vacancy
