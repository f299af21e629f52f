// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "sim/prefix/replacement/registry.hpp"
#include "tests/support/entry_checks.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;

TEST_CASE("every policy file is registered under its own name, and nothing else is") {
  std::set<std::string> files, names;
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_file("/sim/prefix/replacement/policies")))
    if (file.path().extension() == ".cpp") files.insert(file.path().stem().string());
  for (const ReplacementEntry& entry : replacement_policies())
    names.insert(entry.info.name);
  CHECK(names == files);
  CHECK(names.size() == replacement_policies().size());
}

TEST_CASE("the policies of the contract are there") {
  for (const char* name : {"lru", "lfu", "fifo", "slru", "priority", "mru", "filo", "length_aware",
                           "ttl", "cost_aware", "s3_fifo", "arc", "w_tinylfu", "belady"}) {
    INFO(name);
    const ReplacementEntry* entry = find_replacement(name);
    REQUIRE(entry);
    CHECK(entry->needs_next_use == (entry->info.name == "belady"));
  }
  CHECK(find_replacement("") == nullptr);
  CHECK(find_replacement("LRU") == nullptr);
}

TEST_CASE("every policy and parameter explains itself") {
  for (const ReplacementEntry& entry : replacement_policies()) {
    INFO(entry.info.name);
    CHECK(entry.make != nullptr);
    CHECK_FALSE(entry.info.citation.empty());
    test::check_explains_itself(entry.info);
  }
}
