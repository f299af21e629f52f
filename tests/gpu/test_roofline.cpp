// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gpu_backend/bench/kernel_times.hpp"
#include "tests/gpu/on_device.hpp"

namespace vacancy::gpu {
namespace {

/// An 8B model of 32 layers, 32,768 tokens, on an H200: MB and microseconds worked out by hand.
TEST_CASE("floors of an 8B model's cache") {
  const CacheShape shape{32, 8, 32, 128, 2.0};
  constexpr double tokens = 32768;
  const auto check = [](const Work& work, double megabytes, double microseconds, Bound bound) {
    CHECK(work.bytes / 1e6 == Approx(megabytes).epsilon(0.002));
    CHECK(work.seconds(h200) * 1e6 == Approx(microseconds).epsilon(0.004));
    CHECK(work.bound(h200) == bound);
  };
  CHECK(shape.token_bytes() == 128 * 1024);
  check(compaction(shape, moved_in_order(tokens, 0.1)), 859, 200, Bound::memory);
  check(compaction(shape, moved_in_order(tokens, 0.5)), 4295, 999, Bound::memory);
  check(compaction(shape, moved_into_holes(tokens, 0.5)), 2148, 499, Bound::memory);
  check(scoring(shape, tokens), 2181, 507, Bound::memory);
  check(scoring(shape, tokens, 1, 4), 2282, 531, Bound::memory);
  check(scoring(shape, tokens, 17), 2181, 595, Bound::arithmetic);
  check(decode_attention(shape, tokens), 4296, 999, Bound::memory);
  check(nvfp4_encoding(tokens * shape.token_bytes() / 2, 2), 5503, 1280, Bound::memory);
}

TEST_CASE("computed times are floors and a launch") {
  const KernelTimes times = computed_times(h200, qwen3_8b, 4096);
  CHECK(times.copy_rate == h200.bytes_per_second);
  REQUIRE(times.move.size() == 3);                   // 1,024, 2,048 and 4,096 tokens
  const double moved = 2048 * 36 * 8 * 128 * 2 * 2;  // bytes of half of the last
  CHECK(times.move.back().units == 2 * moved);
  CHECK(times.move.back().seconds ==
        Approx(2.5e-6 + (2 * moved + 12 * 2048) / 4.3e12).epsilon(1e-9));
  CHECK(times.score.back().units == moved);  // K of all tokens is as much as K and V of half
  CHECK(times.select.back().units == 4096.0 * 36 * 8);
}

TEST_CASE("the kernels that are timed run, size by size") {
  VACANCY_ON_DEVICE(device);
  constexpr CacheShape small{1, 1, 2, 64, 2.0};
  std::vector<int> sizes;
  const KernelTimes times =
      measured_times(device, small, 2048, [&](int tokens) { sizes.push_back(tokens); });
  CHECK(sizes == std::vector<int>{1024, 2048});
  CHECK(times.copy_rate > 0);
  for (const auto* const kernel : {&times.move, &times.score, &times.select}) {
    REQUIRE(kernel->size() == 2);
    CHECK((*kernel)[0].units * 2 == (*kernel)[1].units);
    for (const KernelTime& time : *kernel)
      CHECK(time.seconds > 0);
  }
}

}  // namespace
}  // namespace vacancy::gpu
