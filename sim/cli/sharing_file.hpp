// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "sim/pool/sharing_graph.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy {

// --sharing FILE: the ending of its name says which format it has.

/// Throws UserError if the scenario has no prefix index whose graph could be drawn, or the file's
/// name no format.
void check_sharing(const std::string& file, const Scenario& scenario);
/// In the format that the file's name says.
void write_sharing(std::ostream& out, const std::string& file, const SharingGraph& graph);

}  // namespace vacancy
