// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace vacancy {

/// A JSON value as the text of a file: two spaces a level and a line's end. What is no UTF-8, such
/// as names of files may be, becomes U+FFFD.
template <class Json>
std::string json_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace vacancy
