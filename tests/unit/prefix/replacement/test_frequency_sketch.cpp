// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/prefix/replacement/frequency_sketch.hpp"

using namespace vacancy;

TEST_CASE("a sketch counts to 15 and never too little") {
  FrequencySketch sketch(64, 1'000'000);
  CHECK(sketch.estimate(ContentIndex(3)) == 0);
  for (std::uint32_t content = 0; content < 40; ++content)
    for (std::uint32_t use = 0; use < content; ++use)
      sketch.add(ContentIndex(content));
  for (std::uint32_t content = 0; content < 40; ++content)
    CHECK(sketch.estimate(ContentIndex(content)) >= std::min(content, 15u));
  CHECK(sketch.estimate(ContentIndex(39)) == 15);
}

TEST_CASE("a wide sketch is nearly exact") {
  FrequencySketch sketch(1 << 16, 1'000'000);
  for (std::uint32_t content = 0; content < 1000; ++content)
    for (std::uint32_t use = 0; use < content % 10; ++use)
      sketch.add(ContentIndex(content));
  int wrong = 0;
  for (std::uint32_t content = 0; content < 1000; ++content)
    if (sketch.estimate(ContentIndex(content)) != content % 10) ++wrong;
  CHECK(wrong == 0);
}

TEST_CASE("a sketch halves its counts after a sample, and counts the sample as half spent") {
  FrequencySketch sketch(16, 10);
  for (int use = 0; use < 9; ++use)
    sketch.add(ContentIndex(7));
  CHECK(sketch.estimate(ContentIndex(7)) == 9);
  sketch.add(ContentIndex(7));
  CHECK(sketch.estimate(ContentIndex(7)) == 5);
  for (int use = 0; use < 4; ++use)
    sketch.add(ContentIndex(7));
  CHECK(sketch.estimate(ContentIndex(7)) == 9);
  sketch.add(ContentIndex(7));
  CHECK(sketch.estimate(ContentIndex(7)) == 5);
}

TEST_CASE("a sketch ignores unknown contents") {
  FrequencySketch sketch(16, 10);
  sketch.add(no_content);
  CHECK(sketch.estimate(no_content) == 0);
}
