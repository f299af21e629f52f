// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/cli/output_folder.hpp"
#include "sim/units/error.hpp"
#include "tests/cli/process.hpp"

using vacancy::OutputFolder;
using vacancy::test::read_file;
using vacancy::test::TemporaryFolder;

TEST_CASE("files of a folder appear together or not at all") {
  const TemporaryFolder temporary;
  const auto path = temporary.path() / "a" / "b";
  SECTION("committed") {
    OutputFolder folder(path);
    folder.file("one") << "1";
    folder.file("two") << "2";
    CHECK_FALSE(std::filesystem::exists(path / "one"));
    folder.commit();
    CHECK(TemporaryFolder::names(path) == std::vector<std::string>{"one", "two"});
    CHECK(read_file(path / "two") == "2");
  }
  SECTION("not committed: the folders that were made go too") {
    { OutputFolder(path).file("one") << "1"; }
    CHECK_FALSE(std::filesystem::exists(temporary.path() / "a"));
  }
  SECTION("what was there stays until the commit, and foreign files always") {
    std::filesystem::create_directories(path);
    temporary.write("a/b/one", "old");
    temporary.write("a/b/mine", "mine");
    { OutputFolder(path).file("one") << "1"; }
    CHECK(read_file(path / "one") == "old");
    OutputFolder folder(path);
    folder.file("two") << "2";
    folder.commit({"one", "two"});
    CHECK(TemporaryFolder::names(path) == std::vector<std::string>{"mine", "two"});
  }
  SECTION("leftovers of killed runs go, whatever their names were; nothing else does") {
    std::filesystem::create_directories(path);
    for (const char* const mine :
         {"one.partial", ".one.12.partial", "one.12.vacancy.partial", ".one.x.vacancy.partial",
          ".12.vacancy.partial", ".one..vacancy.partial", ".one.12.vacancy.partial.gz"})
      temporary.write(std::string("a/b/") + mine, "mine");
    std::filesystem::create_directory(path / ".dir.12.vacancy.partial");
    std::filesystem::create_symlink(path / "one.partial", path / ".link.12.vacancy.partial");
    const auto before = TemporaryFolder::names(path);
    // Process 1 runs, and did not write this.
    for (const char* const left :
         {".one.1.vacancy.partial", ".one.999999999.vacancy.partial", ".x.y.2.vacancy.partial"})
      temporary.write(std::string("a/b/") + left, "left");
    { OutputFolder folder(path); }
    CHECK(TemporaryFolder::names(path) == before);
  }
  SECTION("what another run is writing stays") {
    OutputFolder first(path);
    first.file("one") << "1";
    OutputFolder second(path);
    second.file("two") << "2";
    second.commit();
    first.commit();
    CHECK(TemporaryFolder::names(path) == std::vector<std::string>{"one", "two"});
    CHECK(read_file(path / "one") == "1");
  }
  SECTION("a link that leads nowhere is in the way, and stays") {
    const auto link = temporary.path() / "link";
    std::filesystem::create_directory_symlink(temporary.path() / "nowhere", link);
    CHECK_THROWS_AS(OutputFolder(link), vacancy::UserError);
    CHECK(std::filesystem::is_symlink(link));
  }
  SECTION("a file in the way") {
    temporary.write("file", "");
    CHECK_THROWS_AS(OutputFolder(temporary.path() / "file"), vacancy::UserError);
    CHECK_THROWS_AS(OutputFolder(temporary.path() / "file" / "below"), vacancy::UserError);
  }
}
