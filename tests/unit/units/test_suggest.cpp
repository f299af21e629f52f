// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/units/suggest.hpp"

using namespace vacancy;

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("budget", "budget") == 0);
  CHECK(edit_distance("budgte", "budget") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  // Optimal string alignment edits no substring twice: 3, where full Damerau-Levenshtein has 2.
  CHECK(edit_distance("ca", "abc") == 3);
}

TEST_CASE("edit distance is symmetric and ignores case and the kind of separator") {
  CHECK(edit_distance("Block-Size", "block_size") == 0);
  CHECK(edit_distance("block size", "block_size") == 0);
  for (const char* a : {"h2o", "snapkv", "streaming_llm", ""})
    for (const char* b : {"h20", "snap_kv", "streamingllm", "x"})
      CHECK(edit_distance(a, b) == edit_distance(b, a));
}

TEST_CASE("a name that was begun is suggested, the shortest one") {
  const std::array<std::string_view, 4> names = {"vllm-main-2026-08", "vllm-0.10.0", "llama-3-70b",
                                                 "llama-3-8b"};
  CHECK(closest("vllm", names) == "vllm-0.10.0");
  CHECK(closest("llama3", names) == "llama-3-8b");
  CHECK_FALSE(closest("ll", names));
  CHECK_FALSE(closest("main", names));
}

TEST_CASE("the closest name is suggested only if it is near") {
  const std::vector<std::string> names{"budget", "interval", "policy", "protect", "scope"};
  CHECK(closest("budgte", names) == "budget");
  CHECK(closest("intervall", names) == "interval");
  CHECK(closest("Policy", names) == "policy");
  CHECK_FALSE(closest("temperature", names));
  CHECK_FALSE(closest("", names));
  CHECK_FALSE(closest(std::string(100'000, 'b'), names));
}

TEST_CASE("a short name is no suggestion for unrelated letters") {
  const std::array<const char*, 3> names{"B", "h2o", "snapkv"};
  CHECK(closest("h20", names) == "h2o");
  CHECK_FALSE(closest("x", names));
  CHECK_FALSE(closest("abc", names));
}

TEST_CASE("ties go to the earlier name") {
  const std::array<const char*, 2> names{"cat", "car"};
  CHECK(closest("caz", names) == "cat");
}

TEST_CASE("did_you_mean is the end of a sentence") {
  const std::array<const char*, 2> names{"slide", "none"};
  CHECK(did_you_mean("slid", names) == " Did you mean \"slide\"?");
  CHECK(did_you_mean("quantise", names).empty());
}
