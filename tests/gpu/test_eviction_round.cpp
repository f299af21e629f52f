// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

#include "gpu_backend/bench/eviction_round.hpp"
#include "tests/gpu/on_device.hpp"

namespace vacancy::gpu {
namespace {

constexpr CacheShape small{2, 2, 4, 64, 2.0};
constexpr RoundSize small_round{3, 80, 64};

/// Microseconds on an H200, worked out by hand: 2.5 between launches.
TEST_CASE("floors of an eviction round of Qwen3-8B") {
  const RoundSize one{1, 2176, 2048};
  const auto floor = [&](std::size_t row, const RoundSize& size) {
    return floor_seconds(round_rows()[row], qwen3_8b, size, h200) * 1e6;
  };
  const std::vector<double> wanted{2.9, 42.1, 7.2, 5.4, 6.5, 64.2, 144.6, 144.6, 208.8, 208.8};
  REQUIRE(round_rows().size() == wanted.size());
  for (std::size_t row = 0; row < wanted.size(); ++row)
    CHECK(floor(row, one) == Approx(wanted[row]).margin(0.1));
  const RoundSize many{128, 2176, 2048};
  CHECK(floor(6, many) - 2.5 == Approx(128 * (floor(6, one) - 2.5)));
}

TEST_CASE("aims of a round are met or missed") {
  const RoundSize size{32, 2176, 2048};
  const auto meets = [&](std::size_t row, double seconds) {
    return meets_aim(round_rows()[row], seconds, qwen3_8b, size, h200);
  };
  const double copied = bytes_of(round_rows()[6], qwen3_8b, size) / h200.bytes_per_second;
  CHECK(meets(6, copied / 0.86) == true);
  CHECK(meets(6, copied / 0.84) == false);
  CHECK(meets(8, 32 * 0.24e-3) == true);
  CHECK(meets(9, 32 * 0.26e-3) == false);
  CHECK(meets(0, 1.0) == std::nullopt);
}

TEST_CASE("a round selects, gathers and packs the same survivors") {
  VACANCY_ON_DEVICE(device);
  EvictionRound round(device, small, small_round);
  const BenchCache& cache = round.cache();
  const std::vector<std::uint8_t> before = cache.pool().download();
  for (const auto stage :
       {RoundStage::weigh, RoundStage::score, RoundStage::normalize, RoundStage::join,
        RoundStage::select, RoundStage::gather, RoundStage::pack})
    round.run(stage);

  const std::vector<std::int32_t> kept = round.kept().download();
  REQUIRE(kept.size() == 3 * 4 * 64);
  for (auto list = kept.begin(); list != kept.end(); list += 64) {
    CHECK(std::is_sorted(list, list + 64));
    CHECK(*list >= 0);
    CHECK(list[63] < 80);
    CHECK(list[63] > 63);  // the first 64 do not all stay
  }
  // Both went by the same tables, so that what is in a fresh block is in the pool's own, too.
  const std::vector<std::uint8_t> fresh = cache.fresh().download(),
                                  packed = cache.pool().download();
  const auto block = static_cast<std::ptrdiff_t>(16 * small.token_bytes());
  int written = 0;
  for (std::ptrdiff_t at = 0; at < std::ptrdiff_t(fresh.size()); at += block) {
    const auto first = fresh.begin() + at, last = first + block;
    if (std::all_of(first, last, [](std::uint8_t byte) { return byte == 0xFF; })) continue;
    ++written;
    CHECK(std::equal(first, last, packed.begin() + at));
    CHECK_FALSE(std::equal(first, last, before.begin() + at));
  }
  CHECK(written == 3 * 64 / 16);
}

TEST_CASE("every row of a round is timed") {
  VACANCY_ON_DEVICE(device);
  const std::vector<double> seconds = measured_round(device, {1, 1, 2, 64, 2.0}, {1, 32, 16});
  REQUIRE(seconds.size() == round_rows().size());
  for (const double time : seconds)
    CHECK(time > 0);
}

}  // namespace
}  // namespace vacancy::gpu
