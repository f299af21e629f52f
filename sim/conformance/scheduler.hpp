// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace vacancy {

/// A case for the whole closed loop (Protocol A of spec engines §5): the first difference, or
/// nothing.
std::optional<std::string> check_scheduler_case(const nlohmann::json& c);

}  // namespace vacancy
