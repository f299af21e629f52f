// SPDX-License-Identifier: Apache-2.0
#include "sim/json/parse.hpp"

#include <set>
#include <vector>

#include "sim/units/error.hpp"

namespace vacancy {
namespace {

using nlohmann::json;

/// What recursion over the parsed value (dump, copies) may cost.
constexpr int max_depth = 64;

}  // namespace

json parse_strict(std::string_view text, const std::string& place) {
  std::vector<std::set<std::string>> open_objects;
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (depth > max_depth)
      throw UserError(place + ": values are nested more than " + std::to_string(max_depth) +
                      " deep; no file of this kind needs that.");
    if (event == Event::object_start) open_objects.emplace_back();
    if (event == Event::object_end) open_objects.pop_back();
    if (event == Event::key && !open_objects.back().insert(parsed.get<std::string>()).second)
      throw UserError(place + ": the key \"" + parsed.get<std::string>().substr(0, 60) +
                      "\" stands twice in one object; remove one.");
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& error) {
    fail_not_json(error, place);
  }
}

void fail_not_json(const json::exception& error, const std::string& place) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: …": people need the end.
  const std::string what = error.what();
  const std::size_t bracket = what.find("] ");
  throw UserError(place + ": is not JSON: " +
                  (bracket == std::string::npos ? what : what.substr(bracket + 2)) + ".");
}

}  // namespace vacancy
