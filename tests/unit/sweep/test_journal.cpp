// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>

#include "sim/sweep/journal.hpp"
#include "sim/units/error.hpp"
#include "tests/cli/process.hpp"
#include "tests/unit/sweep/sweep_text.hpp"

using namespace vacancy;
using test::TemporaryFolder;

namespace {

// As sweep_identity() writes them.
const std::string identity_1 = R"({"vacancy":"1","sweep":"1"})",
                  identity_2 = R"({"vacancy":"1","sweep":"2"})",
                  identity_3 = R"({"vacancy":"1","sweep":"3"})";

RunRecord ran(std::uint64_t run) {
  return {run, RunState::done, "", {{"reclaim", {{"rounds", run * 10}}}}};
}

/// The bytes of a journal of runs 2, 0, 1.
std::string example(const std::filesystem::path& folder) {
  Journal journal(folder, identity_1, false);
  for (const std::uint64_t run : {2u, 0u, 1u})
    journal.add(ran(run), run, 0.25);
  return test::read_file(folder / journal_file);
}

}  // namespace

TEST_CASE("a journal cut off anywhere is read as far as it is whole") {
  const TemporaryFolder source;
  const std::string whole = example(source.path());
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const TemporaryFolder folder;
    folder.write(journal_file, whole.substr(0, length));
    std::string sorted;
    {
      Journal journal(folder.path(), identity_1, false);
      const auto lines =
          std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n');
      CHECK(journal.records().size() ==
            static_cast<std::size_t>(std::max<std::ptrdiff_t>(lines - 1, 0)));
      for (const std::uint64_t run : {0u, 1u, 2u})
        if (!journal.records().contains(run)) journal.add(ran(run), run, 1);
      sorted = journal.sorted();
    }
    const Journal again(folder.path(), identity_1, false);
    CHECK(again.records().size() == 3);
    CHECK(again.sorted() == sorted);
  }
}

TEST_CASE("a folder of another sweep is refused, unless nothing of it ran") {
  const TemporaryFolder folder;
  example(folder.path());
  CHECK_THROWS_WITH(Journal(folder.path(), identity_2, false),
                    Catch::Contains("of another sweep") && Catch::Contains("--fresh"));
  CHECK(Journal(folder.path(), identity_1, false).records().size() == 3);
  CHECK(Journal(folder.path(), identity_2, true).records().empty());
  {
    Journal journal(folder.path(), identity_2, false);
    journal.add({0, RunState::empty, "means nothing", {}}, 0, 0);
  }
  CHECK(Journal(folder.path(), identity_3, false).records().empty());
}

TEST_CASE("a damaged first line refuses with the line that mends it, and nothing is lost") {
  const TemporaryFolder source;
  const std::string whole = example(source.path());
  const std::size_t end = whole.find('\n');
  std::vector<std::string> headers;
  for (const std::size_t at : {std::size_t{0}, std::size_t{3}, std::size_t{12}, end - 1}) {
    headers.push_back(whole.substr(0, end));
    headers.back()[at] = '\x01';
  }
  headers.push_back(whole.substr(0, end / 2));
  headers.emplace_back();
  headers.emplace_back(end, '\0');
  for (const std::string& header : headers) {
    INFO(header);
    const TemporaryFolder folder;
    // The line behind the first one may be damaged too.
    for (const std::size_t second : {std::size_t{0}, std::size_t{5}}) {
      std::string text = header + whole.substr(end);
      if (second > 0) text[header.size() + second] = '\x01';
      folder.write(journal_file, text);
      CHECK_THROWS_WITH(Journal(folder.path(), identity_1, false),
                        Catch::Contains("its first line is damaged") &&
                            Catch::Contains(second > 0 ? "2 finished runs" : "3 finished runs") &&
                            Catch::Contains("make " + identity_1 + " the first line") &&
                            Catch::Contains("--fresh"));
      CHECK(test::read_file(folder.path() / journal_file) == text);
    }
    // As the message says.
    folder.write(journal_file, identity_1 + whole.substr(end));
    CHECK(Journal(folder.path(), identity_1, false).records().size() == 3);
  }
}

TEST_CASE("damaged lines are run anew, all others stay, and the old journal is put aside") {
  const TemporaryFolder source;
  const std::string whole = example(source.path());
  std::vector<std::size_t> begins{0};
  for (std::size_t at = 0; (at = whole.find('\n', at) + 1) != 0;)
    begins.push_back(at);
  REQUIRE(begins.size() == 5);
  for (const std::size_t line : {1u, 2u, 3u}) {
    INFO(line);
    const TemporaryFolder folder;
    std::string text = whole;
    text[begins[line] + 3] = '\x01';
    folder.write(journal_file, text);
    const auto aside = [&](int number) {
      return folder.path() / ("points.damaged-" + std::to_string(number) + ".jsonl");
    };
    {
      const Journal journal(folder.path(), identity_1, false);
      CHECK(journal.records().size() == 2);
      CHECK_THAT(journal.note(), Catch::Contains("points.jsonl: 1 line is damaged") &&
                                     Catch::Contains("other 2 finished runs kept") &&
                                     Catch::Contains("The old journal is points.damaged-1.jsonl."));
      CHECK(test::read_file(aside(1)) == text);
    }
    const Journal again(folder.path(), identity_1, false);
    CHECK(again.note().empty());
    CHECK(again.records().size() == 2);
    CHECK_FALSE(std::filesystem::exists(aside(2)));
  }
  // Zeros at the end, as a power cut leaves them; an older damaged journal stays what it is.
  const TemporaryFolder folder;
  folder.write("points.damaged-1.jsonl", "mine");
  folder.write(journal_file, whole + std::string(100, '\0'));
  CHECK(Journal(folder.path(), identity_1, false).records().size() == 3);
  CHECK(test::read_file(folder.path() / "points.damaged-1.jsonl") == "mine");
  CHECK(std::filesystem::exists(folder.path() / "points.damaged-2.jsonl"));
  // Of another sweep even damaged lines may be runs.
  folder.write(journal_file, identity_2 + "\nwhat was a run\n");
  CHECK_THROWS_WITH(Journal(folder.path(), identity_1, false), Catch::Contains("another sweep"));
}

TEST_CASE("a folder takes one sweep at a time") {
  const TemporaryFolder folder;
  const Journal journal(folder.path(), identity_1, false);
  CHECK_THROWS_WITH(Journal(folder.path(), identity_1, false),
                    Catch::Contains("another sweep is writing"));
}

TEST_CASE("what failed is tried again") {
  const TemporaryFolder folder;
  Journal(folder.path(), identity_1, false).add({0, RunState::failed, "no memory", {}}, 0, 0);
  CHECK(Journal(folder.path(), identity_1, false).records().empty());
}

TEST_CASE("what a sweep runs is its identity, what it shows is not") {
  const std::string axes = R"({"grid": [{"key": "cache.block_size", "values": [8, 16]}]})";
  const auto identity = [](const std::string& points, const std::string& more) {
    return sweep_identity(test::small_sweep(points, more));
  };
  const std::string plain = identity(axes, "");
  CHECK(identity(axes, R"(, "description": "x", "figures": ["reclaim.rounds"])") == plain);
  CHECK(identity(R"({"grid": [{"key": "cache.block_size", "values": [8, 32]}]})", "") != plain);
  CHECK(identity(axes, R"(, "seeds": [1])") != plain);
  CHECK(identity(axes, R"(, "set": {"eviction.budget": 31})") != plain);
  CHECK(identity(axes, R"(, "skip": [{"where": {"cache.block_size": 8}}])") != plain);
  const auto random = [&](const std::string& head) {
    return identity("{\"random\": {" + head + R"(, "keys": {"seed": {"integer": [1, 9]}}}})", "");
  };
  CHECK(random("\"points\": 3") == random("\"points\": 4"));
  CHECK(random("\"points\": 3") != random("\"points\": 3, \"seed\": 1"));
}
