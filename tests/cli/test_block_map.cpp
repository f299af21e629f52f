// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>

#include "sim/cli/map_view.hpp"
#include "sim/study/block_map.hpp"
#include "tests/cli/process.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;

namespace {

BlockCell held(std::uint32_t live, std::uint32_t fill, std::uint32_t owner = 0,
               std::uint32_t references = 1) {
  return {references, live, fill, SequenceId(owner)};
}

std::string drawn(const BlockSnapshot& snapshot, MapStyle style) {
  std::ostringstream out;
  draw_map(out, snapshot, "Map", style);
  return out.str();
}

class Silent final : public Observer {
  void on_event(const Event&) override {}
};

}  // namespace

TEST_CASE("a snapshot tells holes from a tail, and knows owners and sharing") {
  Silent silent;
  CacheConfig config;
  config.block_size = 4;
  KvCache cache(config, silent);
  cache.start(SequenceId(5), 0);
  REQUIRE(cache.append(SequenceId(5), 6));  // a full block and half a block
  KeepSets keep;
  keep.reset(1);
  bits::set_range(keep.begin(0, 6), 1, 6);  // token 0 goes
  cache.evict(SequenceId(5), keep);
  cache.fork(SequenceId(5), SequenceId(6));
  cache.start(SequenceId(7), 0);
  REQUIRE(cache.append(SequenceId(7), 4));

  const BlockSnapshot snapshot = take_snapshot(cache, SimTime(0));
  REQUIRE(snapshot.cells.size() >= 3);
  CHECK(snapshot.cells[0].has_holes());
  CHECK(snapshot.cells[0].shared());
  CHECK(snapshot.cells[0].owner == SequenceId(5));
  CHECK(snapshot.cells[1].live == 2);
  CHECK_FALSE(snapshot.cells[1].has_holes());
  CHECK(snapshot.cells[2].owner == SequenceId(7));
  const BlockCensus census = take_census(snapshot);
  CHECK(census.full == 1);
  CHECK(census.with_holes == 1);
  CHECK(census.tail_only == 1);
  CHECK(census.shared == 2);
  CHECK(census.free == census.total - 3);
}

TEST_CASE("without color, fill, holes, tail, sharing and freedom have characters of their own") {
  BlockSnapshot snapshot{SimTime(0), 16, {}};
  snapshot.cells = {held(16, 16),       held(1, 1),        held(1, 16), held(15, 16),
                    held(15, 15),       held(8, 8),        held(8, 16), held(0, 5),
                    held(16, 16, 1, 2), held(3, 16, 1, 2), BlockCell{}};
  const std::string map = drawn(snapshot, {100, false});
  CHECK(map ==
        "Map: 11 blocks\n"
        "    0 █▁⡀⣷▇▄⣤oSs·\n"
        "      full 2 (18.2 %) · with holes 5 (45.5 %) · partly filled, no holes 3 (27.3 %) · "
        "free 1 (9.1 %)\n"
        "      shared 2 (18.2 %)\n");
}

TEST_CASE("color is the owner's, and ends with the line") {
  BlockSnapshot snapshot{SimTime(0), 16, {}};
  snapshot.cells = {held(16, 16, 0), held(16, 16, 0), held(16, 16, 1), BlockCell{}};
  CHECK_THAT(drawn(snapshot, {100, true}),
             Contains("\x1b[38;5;214m██\x1b[38;5;74m█\x1b[38;5;240m·\x1b[0m\n"));
}

TEST_CASE("a large pool is added up so that the map stays small") {
  BlockSnapshot snapshot{SimTime(0), 16, std::vector<BlockCell>(100'000, held(16, 16))};
  snapshot.cells[99'999] = held(1, 16);
  const std::string map = drawn(snapshot, {80, false});
  CHECK_THAT(map, Contains("a character = 128 blocks added up"));
  CHECK(std::count(map.begin(), map.end(), '\n') <= 2 + static_cast<long>(most_map_rows) + 1);
  // The last character: 31 full blocks and one of 1 live slot and 15 holes.
  CHECK_THAT(map, Contains("█⣷\n"));
}

TEST_CASE("run --map shows the pool before and after the last eviction") {
  const std::string four_of_eight = R"({
    "model": {"name": "small", "layers": 1, "query_heads": 1, "kv_heads": 1, "head_dim": 2},
    "cache": {"block_size": 4, "blocks": 6},
    "eviction": {"policy": "keep_list", "keep_list": {"tokens": "0,8-11,16"}, "trigger": "once"},
    "workload": {"prompt_tokens": 18}})";
  const test::TemporaryFolder folder;
  const std::string file = folder.write("scenario.json", four_of_eight);
  const std::string expected_before =
      "\nBefore the last eviction, at 1 ms: 6 blocks\n"
      "    0 ████▄·\n"
      "      full 4 (66.7 %) · partly filled, no holes 1 (16.7 %) · free 1 (16.7 %)\n"
      "\n"
      "After it: 6 blocks\n";
  const auto none = test::vacancy({"run", file, "--map"});
  INFO(none.out + none.err);
  CHECK_THAT(none.out,
             Contains(expected_before +
                      "    0 ⣀·█·⣀·\n"
                      "      full 1 (16.7 %) · with holes 2 (33.3 %) · free 3 (50.0 %)\n"));
  const auto slide = test::vacancy({"run", file, "--map", "--set", "reclaim.kind=slide"});
  CHECK_THAT(
      slide.out,
      Contains("    0 █▄····\n"
               "      full 1 (16.7 %) · partly filled, no holes 1 (16.7 %) · free 4 (66.7 %)"));
  CHECK(slide.out.find('\x1b') == std::string::npos);
  CHECK_THAT(test::vacancy({"run", file, "--map", "--color", "always"}).out,
             Contains("\x1b[38;5;214m"));
}
