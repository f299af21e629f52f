// SPDX-License-Identifier: Apache-2.0
// Rule T12. The tables mirror what the engine's evictionPolicyTest.cpp (KvCacheRetentionConfigTest,
// BlockConfigTest and InitializeTest) checks.
#include <catch2/catch.hpp>

#include "sim/prefix/reuse_tree/retention.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;
using namespace vacancy::reuse_tree;

namespace {

RetentionRange range(std::uint32_t begin, std::optional<std::uint32_t> end, unsigned priority) {
  return {begin, end, Priority(static_cast<std::uint8_t>(priority)), std::nullopt};
}

/// The priority of each block of a prompt; -1 for none.
std::vector<int> priorities(std::vector<RetentionRange> ranges, std::uint32_t block_size,
                            std::uint32_t prompt) {
  const Retention retention(std::move(ranges));
  std::vector<int> result;
  for (std::uint32_t token = 0; token < prompt; token += block_size) {
    const auto priority = retention.of_block_at(token).priority;
    result.push_back(priority ? int{priority->value()} : -1);
  }
  return result;
}

using Is = std::vector<int>;

}  // namespace

TEST_CASE("T12: the range that has a block's first token decides its priority (BlockConfigTest)") {
  CHECK(priorities({range(0, 64, 80), range(64, 128, 50)}, 64, 256) == Is{80, 50, -1, -1});
  CHECK(priorities({range(0, 63, 80), range(63, 127, 30)}, 32, 127) == Is{80, 80, 30, 30});
  CHECK(priorities({range(0, 1, 80), range(1, 2, 5)}, 32, 128) == Is{80, -1, -1, -1});
  CHECK(priorities({range(0, 128, 80)}, 256, 192) == Is{80});
  CHECK(priorities({range(0, 65, 80), range(65, 129, 30)}, 64, 192) == Is{80, 80, 30});
  CHECK(priorities({range(0, 64, 80), range(129, {}, 50)}, 64, 256) == Is{80, -1, -1, 50});
  CHECK(priorities({range(0, 64, 80), range(66, 67, 50)}, 64, 256) == Is{80, -1, -1, -1});
  CHECK(priorities({range(127, 193, 80)}, 64, 256) == Is{-1, -1, 80, 80});
  CHECK(priorities({range(127, 193, 80)}, 64, 32) == Is{-1});
  CHECK(priorities({range(1, {}, 80)}, 64, 128) == Is{-1, 80});
  CHECK(priorities({}, 4, 9) == Is{-1, -1, -1});
}

TEST_CASE("T12: decoded blocks have a priority and duration of their own") {
  CHECK(Retention().decode() == BlockRetention{default_priority, std::nullopt});
  const Retention retention({range(0, {}, 80)}, Priority(7), millisecond);
  CHECK(retention.decode() == BlockRetention{Priority(7), millisecond});
  RetentionRange timed = range(0, 4, 80);
  timed.duration = millisecond * 5;
  CHECK(Retention({timed}).of_block_at(3) == BlockRetention{Priority(80), millisecond * 5});
}

TEST_CASE("T12: faulty ranges are refused with a sentence (InitializeTest)") {
  using Catch::Contains;
  const auto make = [](std::vector<RetentionRange> ranges) { return Retention(std::move(ranges)); };
  CHECK_THROWS_WITH(make({range(0, {}, 80), range(64, 128, 80)}),
                    "retention of tokens 0 to the end: only the last range may be open; give this "
                    "one an end.");
  CHECK_THROWS_WITH(make({range(0, 64, 80), range(64, 32, 80)}),
                    Contains("tokens 64 to 32") && Contains("the range is empty"));
  CHECK_THROWS_WITH(make({range(0, 64, 80), range(30, 128, 80)}),
                    Contains("tokens 0 to 64") && Contains("begins at token 30"));
  CHECK_THROWS_WITH(make({range(0, 64, 101)}), Contains("the priority is 101"));
  RetentionRange negative = range(0, 4, 80);
  negative.duration = SimTime(-1);
  CHECK_THROWS_WITH(make({negative}), Contains("the duration is negative"));
  CHECK_THROWS_WITH(Retention({}, Priority(200)), Contains("decoded tokens"));
}
