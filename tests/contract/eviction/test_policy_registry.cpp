// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "sim/eviction/registry.hpp"
#include "tests/support/entry_checks.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;

TEST_CASE("every policy file is registered under its own name, and nothing else is") {
  std::set<std::string> files, names;
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_file("/sim/eviction/policies")))
    if (file.path().extension() == ".cpp") files.insert(file.path().stem().string());
  for (const PolicyEntry& entry : policies())
    names.insert(entry.info.name);
  CHECK(names == files);
  CHECK(names.size() == policies().size());  // no name twice
}

TEST_CASE("a policy is found by its name only") {
  for (const PolicyEntry& entry : policies())
    CHECK(find_policy(entry.info.name) == &entry);
  CHECK(find_policy("") == nullptr);
  CHECK(find_policy("h20") == nullptr);
}

TEST_CASE("every policy and parameter explains itself") {
  for (const PolicyEntry& entry : policies()) {
    INFO(entry.info.name);
    CHECK(entry.make != nullptr);
    test::check_explains_itself(entry.info);
  }
}
