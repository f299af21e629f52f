// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QSignalSpy>
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "gui/model/form/field_entry.hpp"
#include "gui/model/form/scenario_document.hpp"
#include "sim/units/error.hpp"
#include "tests/support/scaled.hpp"
#include "tests/support/scenario_files.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_file.hpp"

using namespace vacancy;
using namespace vacancy::gui;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> scenario_files() {
  return test::scenario_files(test::source_dir() / "scenarios");
}

/// What `vacancy validate` prints of a text.
std::string validate(const std::string& text, const ScenarioDocument& document,
                     const fs::path& folder) {
  try {
    load_scenario_text(text, document.name(), folder);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

std::string messages(const ScenarioDocument& document) {
  std::string all;
  for (const FormFault& fault : document.checked().faults)
    all += (all.empty() ? "" : "\n") + fault.message;
  return all;
}

const FormField& field(const std::string& path) {
  for (const FormField* each : all_fields(form_tree()))
    if (each->path == path) return *each;
  throw std::runtime_error("no field " + path);
}

const fs::path seed_scenario = test::source_dir() / "scenarios/seed/evict_14k_of_16k.json";

}  // namespace

TEST_CASE("Every scenario of the project goes through the form unchanged") {
  REQUIRE(scenario_files().size() > 20);
  for (const fs::path& file : scenario_files()) {
    CAPTURE(file);
    ScenarioDocument document;
    document.open(file);
    CHECK(document.text() == bytes_of(file));
    CHECK(document.checked().faults.empty());
    for (const FormField* each : all_fields(form_tree())) {
      if (!document.written(*each)) continue;
      const std::string entry = document.entry(*each);
      if (entry.empty()) continue;  // null
      CAPTURE(each->path, entry);
      document.set_entry(*each, entry);
      // Numbers may have been spelled otherwise, but say the same.
      CHECK(document.changes().empty());
      while (document.history().canUndo())
        document.history().undo();
    }
    CHECK(document.text() == bytes_of(file));
    CHECK_FALSE(document.modified());
  }
}

TEST_CASE("Each field at its default and its ends says what validate says") {
  ScenarioDocument document;
  document.open(seed_scenario);
  const auto hold_against_validate = [&](const FormField& each, const std::string& json) {
    document.set_json(each, json);
    const std::string expected = validate(document.text(), document, seed_scenario.parent_path());
    if (messages(document) != expected) {
      CAPTURE(each.path, json);
      CHECK(messages(document) == expected);
    }
    while (document.history().canUndo())
      document.history().undo();
  };
  const auto fields = all_fields(form_tree());
  // As of random cases (scaled.hpp), an eighth is enough for a sanitizer.
  for (std::size_t i = 0; i < fields.size(); i += test::sanitized ? 8 : 1) {
    const FormField* each = fields[i];
    const Parameter& parameter = each->key->parameter;
    hold_against_validate(
        *each, json_of_entry(*each->key, entry_of(parameter.default_value)).value_or("null"));
    for (const auto& bound : {parameter.minimum, parameter.maximum})
      if (bound) {
        hold_against_validate(*each, bound_text(*bound));
        hold_against_validate(*each, bound_text(*bound + 1));
        hold_against_validate(*each, bound_text(*bound - 1));
      }
    for (const std::string& choice : parameter.choices)
      hold_against_validate(*each, '"' + choice + '"');
    hold_against_validate(*each, "\"nonsense\"");
  }
  CHECK(document.text() == bytes_of(seed_scenario));
}

TEST_CASE("Random edits, all undone, leave the original bytes; redone, the last ones") {
  const auto fields = all_fields(form_tree());
  std::mt19937 random(7);
  for (const fs::path& file : {scenario_files().front(), seed_scenario, scenario_files().back()}) {
    ScenarioDocument document;
    document.open(file);
    for (std::uint32_t i = 0; i < test::scaled(300); ++i) {
      const FormField& each = *fields[random() % fields.size()];
      if (random() % 3 == 0)
        document.reset(each);
      else if (each.key->parameter.choices.empty())
        document.set_entry(each, std::to_string(random() % 100));
      else
        document.set_entry(each, each.key->parameter.choices.front());
      REQUIRE(document.checked().tree);
    }
    const std::string last = document.text();
    while (document.history().canUndo())
      document.history().undo();
    CHECK(document.text() == bytes_of(file));
    CHECK_FALSE(document.modified());
    while (document.history().canRedo())
      document.history().redo();
    CHECK(document.text() == last);
  }
}

TEST_CASE("Edits of one field in a row are one step; back at the start, none") {
  ScenarioDocument document;
  document.open(seed_scenario);
  const std::string original = document.text();
  for (const char* typed : {"1", "15", "150", "1500"})
    document.set_entry(field("eviction.budget"), typed);
  CHECK(document.history().count() == 1);
  document.set_entry(field("cache.block_size"), "32");
  document.end_edit();
  document.set_entry(field("cache.block_size"), "64");
  CHECK(document.history().count() == 3);
  document.set_entry(field("cache.block_size"), "32");
  CHECK(document.history().count() == 2);
  CHECK(document.changes() == std::vector<ValueChange>{{"cache.block_size", "16", "32"},
                                                       {"eviction.budget", "2,000", "1,500"}});
  document.history().undo();
  document.history().undo();
  CHECK(document.text() == original);
}

TEST_CASE("Faults stand at their field and at their line") {
  ScenarioDocument document;
  document.open(seed_scenario);
  document.set_entry(field("eviction.budget"), "0");
  const auto faults = document.checked().faults_at("/eviction/budget");
  REQUIRE(faults.size() == 1);
  CHECK(faults.front()->line == 9);
  CHECK(faults.front()->sentence == "expected an integer from 1 to 2147483648, or null, got 0.");
  CHECK(document.line_of("/eviction/budget") == 9);
  CHECK(document.checked().faults_at("/eviction/bud").empty());
  CHECK_FALSE(document.checked().can_run());
}

TEST_CASE("A text that is no JSON leaves the fields alone until it is mended") {
  ScenarioDocument document;
  document.open(seed_scenario);
  document.set_text("{\"seed\": 1,");
  REQUIRE(document.checked().faults.size() == 1);
  CHECK_FALSE(document.checked().tree);
  document.set_entry(field("seed"), "2");
  CHECK(document.text() == "{\"seed\": 1,");
  CHECK(document.changes().empty());
}

TEST_CASE("Only blocks of choices that are taken count as used") {
  ScenarioDocument document;
  document.open(seed_scenario);
  const auto used = [&](const std::string& path) {
    const FormSection* section = &form_tree();
    std::istringstream names(path);
    for (std::string name; std::getline(names, name, '.');)
      section = &*std::find_if(section->sections.begin(), section->sections.end(),
                               [&](const FormSection& each) { return each.schema->name == name; });
    return is_used(*section, document.checked());
  };
  CHECK(used("eviction.random"));
  CHECK(used("eviction.once"));
  CHECK(used("eviction.protect"));
  CHECK_FALSE(used("eviction.h2o"));
  CHECK_FALSE(used("eviction.usage"));
  document.set_entry(field("eviction.policy"), "h2o");
  CHECK(used("eviction.h2o"));
  CHECK_FALSE(used("eviction.random"));
  SECTION("also where the method brings the choice") {
    document.set_entry(field("eviction.policy"), "random");
    document.reset(field("eviction.trigger"));
    document.reset(field("eviction.once.at"));
    CHECK(effective_entry(field("eviction.trigger"), document.checked()) != "");
  }
}

TEST_CASE("Saving renames a whole file into place and keeps what others wrote") {
  const std::string bytes = bytes_of(seed_scenario);
  const vacancy::test::TemporaryFile file("s.json", {bytes.begin(), bytes.end()});
  ScenarioDocument document;
  document.open(file.path());
  QSignalSpy modified(&document, &ScenarioDocument::modified_changed);
  document.set_entry(field("seed"), "9");
  CHECK(modified.count() == 1);
  document.save();
  CHECK(bytes_of(file.path()) == document.text());
  CHECK_FALSE(document.modified());
  CHECK(modified.count() == 2);
  CHECK(document.changes().empty());

  document.history().undo();
  CHECK(document.modified());
  std::ofstream(file.path()) << "{}";
  CHECK_THROWS_WITH(document.save(), Catch::Contains("somebody else"));
  CHECK(bytes_of(file.path()) == "{}");
  document.save(true);
  CHECK(bytes_of(file.path()) == bytes_of(seed_scenario));
  CHECK_THROWS_AS(document.save_as(file.path().parent_path() / "absent" / "x.json"), UserError);
  CHECK(document.file() == file.path());
}

TEST_CASE("A run is asked for once edits rest, and only of what can run") {
  ScenarioDocument document;
  document.set_debounce(0);
  document.open(seed_scenario);
  QSignalSpy changed(&document, &ScenarioDocument::changed);
  document.set_entry(field("eviction.budget"), "100");
  document.set_entry(field("eviction.budget"), "200");
  QCoreApplication::processEvents();
  CHECK(changed.count() == 1);
  document.set_entry(field("eviction.budget"), "none");
  QCoreApplication::processEvents();
  CHECK(changed.count() == 1);
}
