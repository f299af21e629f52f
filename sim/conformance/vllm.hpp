// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace vacancy {

/// A case for vLLM's memory manager, one group or hybrid: the first difference, or nothing.
std::optional<std::string> check_vllm_case(const nlohmann::json& c);

}  // namespace vacancy
