// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace vacancy {

/// One JSON value (RFC 8259) and nothing behind it. Duplicate keys and values nested more than 64
/// deep are faults. `place` stands before the message of the UserError, such as "runs.jsonl:3".
nlohmann::json parse_strict(std::string_view text, const std::string& place);
/// The UserError about text that is no JSON.
[[noreturn]] void fail_not_json(const nlohmann::json::exception& error, const std::string& place);

}  // namespace vacancy
