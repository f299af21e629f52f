// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "sim/scenario/reference.hpp"
#include "tests/support/source_dir.hpp"

namespace {

constexpr const char* generated_mark =
    "<!-- Everything below is the output of `vacancy schema --markdown`. -->\n";

}  // namespace

TEST_CASE("docs/formats/scenario.md lists the keys as they are", "[docs]") {
  std::ifstream file(vacancy::test::source_file("/docs/formats/scenario.md"));
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string page = text.str();

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
