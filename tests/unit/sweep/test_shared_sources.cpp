// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/sweep/shared_sources.hpp"
#include "tests/support/temporary_file.hpp"
#include "tests/unit/attention/file_builders.hpp"

using namespace vacancy;

namespace {

Scenario point(const std::filesystem::path& checkpoint, const std::string& change) {
  const std::string text =
      R"({"attention": {"source": "real"}, "workload": {"output_tokens": 24}})";
  return load_scenario_text(text, "point", ".",
                            {{"attention.real.checkpoint=" + checkpoint.string(), change}, 1});
}

}  // namespace

TEST_CASE("points share what the transformer writes, unless it writes over evicted caches") {
  std::vector<char> bytes;
  for (const std::byte b : test::checkpoint_bytes())
    bytes.push_back(static_cast<char>(b));
  const test::TemporaryFile file("shared_sources.bin", bytes);
  SharedSources sources;
  const auto shared = [&](const std::string& change) {
    Scenario scenario = point(file.path(), change);
    const auto its_own = scenario.attention;
    sources.share(scenario);
    return scenario.attention == its_own ? nullptr : scenario.attention;
  };
  const auto first = shared("cache.block_size=16"), second = shared("cache.block_size=8");
  REQUIRE(first);
  CHECK(first == second);
  CHECK(first->features().own_trajectory == false);
  CHECK_FALSE(shared("attention.trajectory=own"));
}
