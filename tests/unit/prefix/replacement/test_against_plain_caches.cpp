// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/block_strings.hpp"
#include "tests/unit/prefix/replacement/plain_caches.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

using MakePlain = std::function<std::unique_ptr<PlainCache>(std::uint32_t capacity)>;

/// The hits of a plain cache in the form of HitPattern.
std::string plain_pattern(const ReferenceString& string, PlainCache& cache) {
  std::string pattern;
  for (std::uint32_t request = 0; request < string.requests(); ++request)
    for (std::uint64_t i = string.request(request).first_block; i < string.end_block(request); ++i)
      pattern += cache.use(string.contents()[i].value(),
                           static_cast<std::uint32_t>(i - string.request(request).first_block))
                     ? '+'
                     : '.';
  return pattern;
}

/// Holds a policy against its plain form on random strings, hit by hit.
void compare(const std::string& policy, const ParameterValues& parameters, const MakePlain& make) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const ReferenceString string = random_string(seed, 150, 6, seed % 2 == 0 ? 24 : 60);
    for (const std::uint32_t capacity : {1u, 2u, 3u, 7u, 10u, 20u}) {
      INFO(policy << ", seed " << seed << ", capacity " << capacity);
      CHECK(CacheReplay{policy, capacity, parameters}.pattern(string) ==
            plain_pattern(string, *make(capacity)));
    }
  }
}

template <class Rank>
MakePlain ordered(Rank rank, bool remember = false) {
  return [rank, remember](std::uint32_t capacity) {
    return std::make_unique<OrderedPlainCache>(
        capacity, remember,
        [rank](const PlainBlock& a, const PlainBlock& b) { return rank(a) < rank(b); });
  };
}

using Rank = std::vector<std::uint64_t>;

std::uint32_t share(double part, std::uint32_t whole) {
  return static_cast<std::uint32_t>(part * whole);
}

}  // namespace

TEST_CASE("orders by uses, recency, insertion and position agree with a search for the least") {
  compare("lru", {}, ordered([](const PlainBlock& b) { return Rank{b.used}; }));
  compare("fifo", {}, ordered([](const PlainBlock& b) { return Rank{b.inserted}; }));
  compare("mru", {}, ordered([](const PlainBlock& b) { return Rank{~b.used}; }));
  compare("filo", {}, ordered([](const PlainBlock& b) { return Rank{~b.inserted}; }));
  const auto lfu = [](const PlainBlock& b) { return Rank{b.uses, b.used}; };
  compare("lfu", {}, ordered(lfu));
  compare("lfu", {{"remember", true}}, ordered(lfu, true));
  compare("length_aware", {}, ordered([](const PlainBlock& b) {
            return Rank{b.uses, b.position, b.used};
          }));
}

TEST_CASE("slru agrees with its segments written down plainly") {
  compare("slru", {}, [](std::uint32_t capacity) {
    return std::make_unique<SegmentedPlainCache>(capacity, 2, share(0.8, capacity), 1);
  });
  compare("slru", {{"segments", std::int64_t{4}}, {"protected_share", 0.75}},
          [](std::uint32_t capacity) {
            return std::make_unique<SegmentedPlainCache>(capacity, 4, share(0.75, capacity) / 3, 1);
          });
  compare("slru", {{"promotion_hits", std::int64_t{2}}, {"protected_share", 0.3}},
          [](std::uint32_t capacity) {
            return std::make_unique<SegmentedPlainCache>(capacity, 2, share(0.3, capacity), 2);
          });
}

TEST_CASE("s3_fifo agrees with Algorithm 1 of its paper") {
  compare("s3_fifo", {{"small_share", 0.25}}, [](std::uint32_t capacity) {
    return std::make_unique<S3FifoPlainCache>(capacity, std::max(1u, share(0.25, capacity)),
                                              share(0.9, capacity));
  });
}

TEST_CASE("arc agrees with Figure 4 of its paper") {
  compare("arc", {},
          [](std::uint32_t capacity) { return std::make_unique<ArcPlainCache>(capacity); });
}

TEST_CASE("w_tinylfu agrees with its queues written down plainly") {
  compare("w_tinylfu", {{"window_share", 0.2}, {"sample", std::int64_t{5}}},
          [](std::uint32_t capacity) {
            const std::uint32_t window = std::max(1u, share(0.2, capacity));
            return std::make_unique<WTinyLfuPlainCache>(
                capacity, window, share(0.8, capacity - window),
                FrequencySketch(4 * capacity, 5 * capacity));
          });
}
