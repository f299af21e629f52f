// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <sstream>

#include "sim/scenario/reference.hpp"
#include "sim/scenario/schema.hpp"
#include "tests/support/source_dir.hpp"

namespace {

constexpr const char* generated_mark =
    "<!-- Everything below is the output of `vacancy schema --markdown`. -->\n";

/// The text of a page of the project.
std::string page_text(const char* path) {
  std::ifstream file(vacancy::test::source_file(path));
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("docs/formats/scenario.md lists the keys as they are", "[docs]") {
  const std::string page = page_text("/docs/formats/scenario.md");

  const std::size_t mark = page.find(generated_mark);
  REQUIRE(mark != std::string::npos);
  INFO("Everything behind the mark is the output of: vacancy schema --markdown");
  std::istringstream written(page.substr(mark + std::string(generated_mark).size()));
  std::istringstream expected('\n' + vacancy::scenario_reference());
  std::string written_line, expected_line;
  while (std::getline(expected, expected_line)) {
    REQUIRE(std::getline(written, written_line));
    REQUIRE(written_line == expected_line);
  }
  CHECK_FALSE(std::getline(written, written_line));
}

TEST_CASE("docs/methods.md names keys that there are", "[docs]") {
  const std::string page = page_text("/docs/methods.md");
  // `eviction.random.recent`, `cache.kv_dtype`; and `{"window": 32}`, keys of the section before.
  const std::regex spans("`((eviction|cache|reclaim)[.][a-z_.]+|[{][^`]+[}])`"), words("[a-z_]+"),
      names("\"([a-z_]+)\":");
  std::size_t found = 0;
  const vacancy::SchemaSection* section = nullptr;
  const auto each = [](const std::string& text, const std::regex& pattern, auto&& visit) {
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
      visit(*match);
  };
  each(page, spans, [&](const std::smatch& match) {
    const std::string span = match[1];
    INFO(span);
    ++found;
    if (span.front() == '{') {
      REQUIRE(section);
      each(span, names, [&](const std::smatch& name) { CHECK(section->key(name.str(1))); });
      return;
    }
    section = &vacancy::scenario_schema();
    bool is_key = false;
    each(span, words, [&](const std::smatch& word) {
      REQUIRE_FALSE(is_key);
      is_key = section->key(word.str());
      if (is_key) return;
      section = section->section(word.str());
      REQUIRE(section);
    });
  });
  CHECK(found >= 20);
}
