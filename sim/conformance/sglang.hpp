// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace vacancy {

/// A case for SGLang's radix tree and its slot allocators: the first difference, or nothing.
std::optional<std::string> check_sglang_case(const nlohmann::json& c);

}  // namespace vacancy
