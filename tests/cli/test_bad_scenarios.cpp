// SPDX-License-Identifier: Apache-2.0
// The table of bad scenarios once more, through the program: what a script sees of them.
#include <catch2/catch.hpp>

#include "tests/cli/in_process.hpp"
#include "tests/golden/bad_scenarios/bad_scenarios.hpp"

using vacancy::test::ProcessResult;
using vacancy::test::TemporaryFolder;

TEST_CASE("a bad scenario ends with exit code 2 and leaves nothing behind", "[bad]") {
  for (const auto& bad : vacancy::test::bad_scenarios()) {
    const TemporaryFolder folder;
    folder.write("bad.json", bad.text);
    folder.write("beside", "");
    std::filesystem::create_directory(folder.path() / "there");
    folder.write("there/old", "old");
    // A folder that would have to be made, and one that has a file already.
    for (const std::string out : {"results/run", "there"}) {
      std::vector<std::string> arguments{"run", "bad.json", "--events", "--out", out};
      for (const std::string& assignment : bad.assignments)
        arguments.insert(arguments.end(), {"--set", assignment});
      const ProcessResult result = vacancy::test::vacancy_in_process(arguments, folder.path());
      INFO(bad.name << ", --out " << out << "\n" << result.err);
      CHECK(result.exit_code == 2);
      CHECK(result.out.empty());
      for (const auto& fault : bad.faults)
        CHECK_THAT(result.err, Catch::Contains(fault.head()));
      CHECK(TemporaryFolder::names(folder.path()) ==
            std::vector<std::string>{"bad.json", "beside", "there"});
      CHECK(TemporaryFolder::names(folder.path() / "there") == std::vector<std::string>{"old"});
      CHECK(vacancy::test::read_file(folder.path() / "there" / "old") == "old");
    }
  }
}
