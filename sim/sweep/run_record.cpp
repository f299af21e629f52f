// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/run_record.hpp"

#include <string_view>

namespace vacancy {

std::optional<double> figure_of(const nlohmann::ordered_json& summary, const std::string& key) {
  const nlohmann::ordered_json* value = &summary;
  std::string_view rest = key;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (!value->is_object()) return std::nullopt;
    const auto found = value->find(std::string(name));
    if (found == value->end()) return std::nullopt;
    value = &*found;
  }
  if (!value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::string to_line(const RunRecord& record) {
  nlohmann::ordered_json line{{"run", record.run}, {"state", enum_name(record.state)}};
  if (!record.reason.empty()) line["reason"] = record.reason;
  if (!record.summary.is_null()) line["summary"] = record.summary;
  return line.dump() + '\n';
}

std::optional<RunRecord> record_of_line(const std::string& line) {
  const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("run") || !json["run"].is_number_unsigned() ||
      !json.contains("state") || !json["state"].is_string())
    return std::nullopt;
  const auto state = enum_value<RunState>(json["state"].get<std::string>());
  if (!state) return std::nullopt;
  return RunRecord{json["run"], *state, json.value("reason", ""),
                   json.value("summary", nlohmann::ordered_json())};
}

}  // namespace vacancy
