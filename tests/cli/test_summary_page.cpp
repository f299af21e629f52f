// SPDX-License-Identifier: Apache-2.0
// docs/formats: the pages name exactly the keys, columns and event types that are written.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "sim/metrics/summary.hpp"
#include "sim/metrics/summary_keys.hpp"
#include "sim/metrics/timeline.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/source_dir.hpp"

namespace {

using Names = std::set<std::string>;

/// The first cells, in backquotes, of the page's table rows.
Names first_cells(const std::string& page) {
  const std::string text =
      vacancy::test::read_file(vacancy::test::source_dir() / "docs/formats" / page);
  Names names;
  const std::regex row("(^|\n)\\| `([a-z0-9_.]+)` \\|");
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it)
    CHECK(names.insert((*it)[2]).second);
  return names;
}

void add_leaves(const nlohmann::json& value, const std::string& path, Names& names) {
  if (value.is_array()) {
    for (const auto& element : value)
      add_leaves(element, path, names);
    return;
  }
  if (!value.is_object()) {
    names.insert(path);
    return;
  }
  for (const auto& [key, inner] : value.items())
    add_leaves(inner, path.empty() ? key : path + '.' + key, names);
}

}  // namespace

TEST_CASE("summary.md explains every key of summary.json and no other") {
  vacancy::Summary summary;
  for (const auto& entry : vacancy::EnumNames<vacancy::EvictionFault>::table)
    summary.faults.on.insert(entry.value);
  summary.windows.emplace_back();
  summary.pages = vacancy::Summary::Pages{};
  Names written;
  add_leaves(nlohmann::json::parse(to_json(summary)), "", written);
  CHECK(first_cells("summary.md") == written);
}

TEST_CASE("summary.md has the units of the figures") {
  const std::string text =
      vacancy::test::read_file(vacancy::test::source_dir() / "docs/formats/summary.md");
  CHECK(vacancy::summary_keys().size() > 100);
  for (const vacancy::SummaryKey& key : vacancy::summary_keys()) {
    INFO(key.key);
    const std::string unit(key.unit);
    CHECK_THAT(text,
               Catch::Contains("| `" + key.key + "` | " + unit + (unit.empty() ? "|" : " |")));
  }
}

TEST_CASE("summary.json has keys of the defects that are on, and of no other") {
  vacancy::Summary summary;
  CHECK_FALSE(nlohmann::json::parse(to_json(summary)).contains("faults"));
  summary.faults.on.insert(vacancy::EvictionFault::silent_off);
  const auto faults = nlohmann::json::parse(to_json(summary)).at("faults");
  CHECK(faults.size() == 1);
  CHECK(faults.contains("silent_off"));
}

TEST_CASE("timeline.md explains every column of timeline.csv and no other") {
  std::ostringstream csv;
  const vacancy::BlockPool pool(16, 1);
  const vacancy::Timeline timeline(csv, [&pool] { return vacancy::gauges_of(pool); });
  Names written;
  std::istringstream header(csv.str().substr(0, csv.str().find('\n')));
  for (std::string column; std::getline(header, column, ',');)
    written.insert(column);
  CHECK(first_cells("timeline.md") == written);
}
