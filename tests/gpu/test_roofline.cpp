// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gpu_backend/bench/roofline.hpp"

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

}  // namespace
}  // namespace vacancy::gpu
