// SPDX-License-Identifier: Apache-2.0
// kv_events.jsonl and trace.json from a stream of events written by hand.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/metrics/chrome_trace.hpp"
#include "sim/metrics/kv_event_log.hpp"

using namespace vacancy;
using nlohmann::json;

namespace {

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("KV events: a stored block names its parent, also across an adopted prefix") {
  std::ostringstream out;
  KvEventLog log(out, 16);
  const SequenceId one(1), two(2);
  const std::vector<BlockId> first{BlockId(0), BlockId(1)}, more{BlockId(2)}, other{BlockId(3)};
  const std::vector<ContentId> a{{7, 0, 0}, {7, 1, 0}}, b{{8, 2, 0}}, c{{9, 2, 0}};
  log.on_event(BlocksCached{one, 0, 0, first, a});
  log.on_event(ClockAdvanced{SimTime(5)});
  log.on_event(BlocksCached{one, 0, 2, more, b});
  log.on_event(SequenceFinished{one});
  log.on_event(BlocksAdopted{two, 0, first});
  log.on_event(BlocksCached{two, 0, 2, other, c});
  log.on_event(BlocksUncached{more, UncacheCause::allocation});

  const auto lines = lines_of(out.str());
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == json{{"type", "BlockStored"},
                         {"time_ns", 0},
                         {"block_hashes", {"7:0:0", "7:1:0"}},
                         {"parent_block_hash", nullptr},
                         {"block_size", 16},
                         {"group", 0}});
  CHECK(lines[1].at("parent_block_hash") == "7:1:0");
  CHECK(lines[1].at("time_ns") == 5);
  CHECK(lines[2].at("block_hashes") == json{"9:2:0"});
  CHECK(lines[2].at("parent_block_hash") == "7:1:0");
  CHECK(lines[3] == json{{"type", "BlockRemoved"}, {"time_ns", 5}, {"block_hashes", {"8:2:0"}}});
}

TEST_CASE("KV events: a reset names no blocks, and what follows has no parent from before") {
  std::ostringstream out;
  KvEventLog log(out, 16);
  const SequenceId one(1);
  const std::vector<BlockId> first{BlockId(0)}, more{BlockId(1)};
  const std::vector<ContentId> a{{7, 0, 0}}, b{{7, 1, 0}};
  log.on_event(BlocksCached{one, 0, 0, first, a});
  log.on_event(ClockAdvanced{SimTime(5)});
  log.on_event(CacheCleared{});
  log.on_event(BlocksCached{one, 0, 1, more, b});
  const auto lines = lines_of(out.str());
  REQUIRE(lines.size() == 3);
  CHECK(lines[1] == json{{"type", "AllBlocksCleared"}, {"time_ns", 5}});
  CHECK(lines[2].at("parent_block_hash") == nullptr);
}

TEST_CASE("trace: steps do not overlap, and every request's phases open and close") {
  std::ostringstream out;
  ChromeTrace trace(out, [] { return std::uint64_t{3}; });
  const SequenceId id(0);
  const std::vector<SequenceId> produced{id};
  const std::vector<ScheduledTokens> prefill{{id, 0, 20, 0, true}}, decode{{id, 20, 1, 0, true}};
  trace.on_event(RequestQueued{id, SimTime(0), 20, 2});
  trace.on_event(RequestAdmitted{id, 20, 0, false});
  trace.on_event(StepComposed{0, prefill, 0, 1});
  trace.on_event(StepComposed{1, decode, 0, 1});  // two in flight
  trace.on_event(ClockAdvanced{SimTime(1500)});
  trace.on_event(StepCompleted{0, produced});
  trace.on_event(ClockAdvanced{SimTime(2501)});
  trace.on_event(StepCompleted{1, produced});
  trace.on_event(SequenceCompleted{id});
  trace.finish();

  const json events = json::parse(out.str()).at("traceEvents");
  std::vector<json> steps;
  std::map<std::string, int> open;
  for (const json& event : events) {
    if (event.at("ph") == "X") steps.push_back(event);
    if (event.at("ph") == "b") ++open[event.at("name")];
    if (event.at("ph") == "e") --open[event.at("name")];
  }
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].at("name") == "step with prefill");
  CHECK(steps[0].at("dur") == 1.5);
  CHECK(steps[1].at("name") == "decode step");
  CHECK(steps[1].at("ts") == 1.5);
  CHECK(steps[1].at("dur") == 1.001);
  CHECK(open == std::map<std::string, int>{{"waiting", 0}, {"prefill", 0}, {"decode", 0}});
}
