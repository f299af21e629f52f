// SPDX-License-Identifier: Apache-2.0
// events.jsonl holds all that happened: a cache rebuilt from its lines alone equals one that heard
// the events.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sim/metrics/event_log.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulation/simulation.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/shadow_cache.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;
using nlohmann::json;
using vacancy::test::ShadowCache;

namespace {

/// Feeds the lines of a log to a shadow cache.
class LogReader {
 public:
  explicit LogReader(const CacheConfig& config) : layout_(config.layout), shadow(config) {}

  void read(const json& line) {
    const std::string type = line.at("type");
    types.insert(type);
    if (type == "sequence_started") {
      shadow.on_event(SequenceStarted{id(line), line.at("prompt_tokens")});
    } else if (type == "blocks_allocated") {
      const auto blocks = block_list(line);
      shadow.on_event(BlocksAllocated{id(line), line.at("table"), line.at("first_entry"), blocks});
    } else if (type == "blocks_adopted") {
      const auto blocks = block_list(line);
      shadow.on_event(BlocksAdopted{id(line), line.at("table"), blocks});
    } else if (type == "tokens_appended") {
      shadow.on_event(TokensAppended{id(line), line.at("first"), line.at("count")});
    } else if (type == "tokens_evicted") {
      evict(line);
    } else if (type == "table_packed") {
      shadow.on_event(TablePacked{id(line), line.at("table"), line.at("first_slot"),
                                  line.at("length"), line.at("moved_set_tokens")});
    } else if (type == "table_copied_out") {
      shadow.on_event(TableCopiedOut{id(line), line.at("table"), line.at("first_slot"),
                                     line.at("target_slot"), line.at("length"),
                                     line.at("moved_set_tokens")});
    } else if (type == "tokens_moved") {
      TableMoves moves;
      for (const json& set : line.at("moves")) {
        for (const json& move : set)
          moves.add({move.at(0), move.at(1)});
        moves.end_set();
      }
      shadow.on_event(TokensMoved{id(line), line.at("table"), moves, line.at("length"),
                                  line.at("moved_set_tokens")});
    } else if (type == "blocks_released") {
      const auto blocks = block_list(line);
      const std::vector<std::uint32_t> entries = line.at("entries");
      shadow.on_event(
          BlocksReleased{id(line), line.at("table"),
                         enum_value<FreeCause>(line.at("cause").get<std::string>()).value(),
                         line.at("shifted"), entries, blocks, line.at("freed")});
    } else if (type == "sequence_forked") {
      shadow.on_event(SequenceForked{SequenceId(line.at("parent")), SequenceId(line.at("child"))});
    } else if (type == "block_copied") {
      shadow.on_event(BlockCopied{id(line), line.at("table"), line.at("entry"),
                                  BlockId(line.at("from")), BlockId(line.at("to")),
                                  line.at("slots")});
    } else if (type == "sequence_preempted") {
      shadow.on_event(SequencePreempted{id(line)});
    } else if (type == "sequence_finished") {
      shadow.on_event(SequenceFinished{id(line)});
    }
  }

 private:
  static SequenceId id(const json& line) { return SequenceId(line.at("sequence")); }
  static std::vector<BlockId> block_list(const json& line) {
    std::vector<BlockId> blocks;
    for (const json& block : line.at("blocks"))
      blocks.push_back(block.is_null() ? null_block : BlockId(block));
    return blocks;
  }

  void evict(const json& line) {
    KeepSets keep;
    keep.reset(layout_.policy_sets());
    REQUIRE(line.at("evicted").size() == layout_.policy_sets());
    for (std::uint32_t set = 0; set < layout_.policy_sets(); ++set) {
      std::set<std::uint32_t> gone;
      for (const json& range : line.at("evicted").at(set))
        for (std::uint32_t position = range.at(0); position <= range.at(1); ++position)
          gone.insert(position);
      const auto place = layout_.first_place(set);
      std::vector<std::uint32_t> live;
      for (const auto& token :
           shadow.sequences().at(id(line)).at(place.table).token_at.at(place.set))
        if (token) live.push_back(*token);
      std::ranges::sort(live);  // decisions count by position
      const auto mask = keep.begin(set, static_cast<std::uint32_t>(live.size()));
      std::size_t found = 0;
      for (std::size_t i = 0; i < live.size(); ++i) {
        if (gone.contains(live[i]))
          ++found;
        else
          bits::set(mask, i);
      }
      CHECK(found == gone.size());  // only live tokens are evicted
    }
    shadow.on_event(TokensEvicted{id(line), line.at("round"), keep, line.at("evicted_set_tokens"),
                                  line.at("sets_per_table"), line.at("vacated_tokens")});
  }

  CacheLayout layout_;

 public:
  ShadowCache shadow;
  std::set<std::string> types;
};

void check_equal(const ShadowCache& read, const ShadowCache& heard) {
  REQUIRE(read.sequences().size() == heard.sequences().size());
  for (const auto& [id, tables] : heard.sequences()) {
    const auto& other = read.sequences().at(id);
    REQUIRE(other.size() == tables.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      CHECK(other[i].entries == tables[i].entries);
      CHECK(other[i].token_at == tables[i].token_at);
      CHECK(other[i].length == tables[i].length);
    }
  }
}

}  // namespace

TEST_CASE("the cache can be rebuilt from events.jsonl") {
  const std::string text = R"({
    "model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 2},
    "cache": {"block_size": 4},
    "eviction": {"policy": "random", "budget": 24, "interval": 8, "prompt": "evictable"},
    "workload": {"sequences": 3, "prompt_tokens": 10,
                 "output_tokens": {"distribution": "uniform", "min": 20, "max": 60}}
  })";
  const std::string reclaim = GENERATE("none", "slide", "whole_block");
  const std::string scope = GENERATE("model", "per_layer", "per_head", "per_layer_per_head");
  const std::string table = GENERATE("shared", "per_layer", "per_layer_per_head");
  CAPTURE(reclaim, scope, table);
  const Scenario scenario = load_scenario_text(
      text, "test", ".",
      {{"reclaim.kind=" + reclaim, "eviction.scope=" + scope, "cache.table=" + table}, {}});

  std::ostringstream lines;
  EventLog log(lines);
  Simulation simulation(build_config(scenario), {&log});
  ShadowCache heard(simulation.config().cache);
  simulation.add_observer(heard);
  while (simulation.step() == RunStatus::running) {
  }
  log.flush();

  LogReader reader(simulation.config().cache);
  std::istringstream in(lines.str());
  for (std::string line; std::getline(in, line);)
    reader.read(json::parse(line));
  check_equal(reader.shadow, heard);
  CHECK(reader.types.contains("round_finished"));
  CHECK(reader.types.contains("sequence_finished"));
}

TEST_CASE("the cache can be rebuilt where compaction meets blocks that requests share") {
  const std::string text = R"({
    "model": {"name": "small", "layers": 1, "query_heads": 1, "kv_heads": 1, "head_dim": 2},
    "cache": {"block_size": 4, "blocks": 80},
    "engine": {"profile": "vllm-main-2026-08"},
    "eviction": {"policy": "random", "budget": 40, "interval": 4, "prompt": "evictable"},
    "workload": {"source": "shared_prefix", "arrivals": "closed_loop", "shared_prefix":
      {"requests": 10, "groups": 2, "prefix_tokens": 24, "suffix_median": 9, "output_median": 30}}
  })";
  const auto changes = GENERATE(
      std::vector<std::string>{"reclaim.kind=copy_out"},
      std::vector<std::string>{"reclaim.kind=copy_out", "reclaim.copy_out.when_full=preempt"},
      std::vector<std::string>{"reclaim.kind=slide", "reclaim.shared=unshare"},
      std::vector<std::string>{"reclaim.kind=fill_holes", "reclaim.shared=unshare"},
      std::vector<std::string>{"reclaim.kind=fullest_blocks", "reclaim.shared=refuse"});
  CAPTURE(changes);
  const Scenario scenario = load_scenario_text(text, "test", ".", {changes, {}});
  std::ostringstream lines;
  EventLog log(lines);
  const auto simulation = build_serving(scenario);
  ShadowCache heard(scenario.cache);
  LogReader reader(scenario.cache);
  simulation->add_observer(log);
  simulation->add_observer(heard);
  while (simulation->step() == RunStatus::running && simulation->requests_done() < 5) {
  }
  log.flush();
  std::istringstream in(lines.str());
  for (std::string line; std::getline(in, line);)
    reader.read(json::parse(line));
  CHECK_FALSE(heard.sequences().empty());
  check_equal(reader.shadow, heard);
  CHECK(reader.types.contains("round_finished"));
  if (scenario.reclaimer == "copy_out") CHECK(reader.types.contains("table_copied_out"));
  if (scenario.reclaim_rules.shared == SharedBlocks::unshare)
    CHECK(reader.types.contains("block_copied"));
}

TEST_CASE("every event type has its line, its time and its row in events.md") {
  std::ostringstream lines;
  EventLog log(lines);
  const SequenceId one(1), two(2);
  KeepSets keep;
  keep.reset(1);
  bits::set(keep.begin(0, 6), 2);
  const std::vector<BlockId> blocks{BlockId(3), null_block};
  const std::vector<std::uint32_t> entries{0, 4};
  log.on_event(ClockAdvanced{SimTime(5)});
  log.on_event(SequenceStarted{one, 6});
  log.on_event(BlocksAllocated{one, 0, 2, blocks});
  log.on_event(TokensAppended{one, 0, 6});
  log.on_event(RoundStarted{one, 0});
  log.on_event(TokensEvicted{one, 0, keep, 5, 1, 5});
  log.on_event(TablePacked{one, 0, 16, 18, 2});
  log.on_event(TableCopiedOut{one, 0, 16, 32, 34, 2});
  TableMoves moves;
  moves.add({17, 3});
  moves.end_set();
  log.on_event(TokensMoved{one, 0, moves, 17, 1});
  log.on_event(BlocksReleased{one, 0, FreeCause::eviction, true, entries, blocks, 1});
  log.on_event(RoundFinished{one, 0, -1, Bytes(64)});
  log.on_event(QualityMeasured{one, 0, 0.1, std::nan(""), 0.75});
  log.on_event(RoundSkipped{one});
  log.on_event(SequenceForked{one, two});
  log.on_event(BlockCopied{two, 0, 1, BlockId(3), BlockId(7), 4});
  log.on_event(SequenceCompleted{two});
  log.on_event(SequenceFinished{two});
  log.on_event(BlocksAdopted{two, 0, blocks});
  const std::vector<ContentId> contents{{9, 1, 0}, {9, 2, 0}};
  log.on_event(BlocksCached{two, 0, 1, blocks, contents});
  log.on_event(BlocksUncached{blocks, UncacheCause::allocation});
  log.on_event(BlockOffloaded{0, BlockId(3), BlockId(9), true});
  log.on_event(BlockOnboarded{0, BlockId(3), BlockId(7)});
  log.on_event(CacheCleared{});
  log.on_event(FaultDamage{EvictionFault::reclaim_orphan, two, 1});
  log.on_event(SequencePreempted{two});
  log.on_event(SequenceSwappedOut{two, 2, 30});
  log.on_event(SequenceSwappedIn{two, 2});
  const std::vector<std::uint32_t> host_blocks{5, 0};
  log.on_event(HostBlocksStored{two, 2, 1, entries, host_blocks});
  log.on_event(HostBlocksLoaded{two, 2, 1, host_blocks});
  log.on_event(RequestQueued{two, SimTime(4), 6, 2});
  log.on_event(PrefixLookedUp{two, 6, 4});
  log.on_event(RequestAdmitted{two, 6, 4, true});
  const std::vector<ScheduledTokens> scheduled{{two, 4, 2, 1, true}};
  const std::vector<SequenceId> produced{two};
  log.on_event(StepComposed{7, scheduled, 0, 1});
  log.on_event(StepCompleted{7, produced});
  log.on_event(RequestRejected{one});
  log.on_event(OutOfMemory{one, 6, 2, 1});
  log.flush();

  const std::string text = lines.str();
  CHECK(text.starts_with(R"({"type":"clock_advanced","time_ns":5}
{"type":"sequence_started","time_ns":5,"sequence":1,"prompt_tokens":6}
{"type":"blocks_allocated","time_ns":5,"sequence":1,"table":0,"first_entry":2,"blocks":[3,null]}
{"type":"tokens_appended","time_ns":5,"sequence":1,"first":0,"count":6}
{"type":"round_started","time_ns":5,"sequence":1,"round":0}
{"type":"tokens_evicted","time_ns":5,"sequence":1,"round":0,"evicted_set_tokens":5,)"
                         R"("sets_per_table":1,"vacated_tokens":5,"evicted":[[[0,1],[3,5]]]}
)"));
  CHECK(text.find(R"("blocks_freed":-1,"blocks_taken":0,"bytes_moved":64})") != std::string::npos);
  CHECK(text.find(R"(mass":0.1,"attention_output_error":null,"next_token_agreement":0.75})") !=
        std::string::npos);

  CHECK(text.find(R"("blocks":2,"evicted":1,"entries":[0,4],"host_blocks":[5,0]})") !=
        std::string::npos);
  CHECK(text.find(R"("step":7,"waiting":0,"running":1,"scheduled":[[2,4,2,1,1]]})") !=
        std::string::npos);

  const std::string page = test::read_file(test::source_dir() / "docs/formats/events.md");
  std::istringstream in(text);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    const json event = json::parse(line);
    // The row names the type and, in order, every field beside type and time.
    std::string row = "| `" + event.at("type").get<std::string>() + "` | ";
    const auto ordered = nlohmann::ordered_json::parse(line);
    std::string fields;
    for (const auto& [key, value] : ordered.items())
      if (key != "type" && key != "time_ns") fields += (fields.empty() ? "`" : ", `") + key + '`';
    row += fields.empty() ? "|" : fields + " |";
    INFO(row);
    CHECK(page.find(row) != std::string::npos);
  }
  CHECK(count == std::variant_size_v<Event>);
}
