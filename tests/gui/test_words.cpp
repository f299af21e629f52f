// SPDX-License-Identifier: Apache-2.0
// Numbers, sentences, legends and lists in words.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include "gui/model/announcer.hpp"
#include "gui/model/block_history.hpp"
#include "gui/model/event_list.hpp"
#include "gui/model/legend.hpp"
#include "gui/model/number_format.hpp"
#include "tests/gui/gui_scenarios.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

TEST_CASE("numbers look the same everywhere", "[words]") {
  CHECK(number(41'392) == "41,392");
  CHECK(number(-1'040) == "\u22121,040");
  CHECK(number(std::numeric_limits<std::int64_t>::min()) == "\u22129,223,372,036,854,775,808");
  CHECK(percent(0.118) == "11.8\u00a0%");
  CHECK(percent(std::nan("")) == "–");
  CHECK(decimal(-0.001, 1) == "0.0");
  CHECK(counted(1, "block") == "1 block");
  CHECK(part_of(118, 1'000, "block") == "118 of 1,000 blocks");
  CHECK(range(352, 367) == "352 – 367");
  CHECK(seconds(30'000'000'000) == "30.000\u00a0s");
  CHECK(bytes(40) == "40\u00a0B");
  CHECK(bytes(12 * 1024) == "12.0\u00a0KiB");
  CHECK(bytes(std::uint64_t{5} << 29) == "2.5\u00a0GiB");
  CHECK(speed(10) == "×10");
  CHECK(speed(0.5) == "×0.5");
  CHECK(speed(0.001) == "×0.001");
  CHECK(difference(std::int64_t{4'017}) == "+4,017");
  CHECK(difference(std::int64_t{-1'040}) == "\u22121,040");
  CHECK(difference(std::int64_t{0}) == "same");
  CHECK(difference(29.1, 1) == "+29.1");
  CHECK(difference_pp(-0.432) == "\u221243.2\u00a0pp");
  CHECK(difference_pp(0.0004) == "same");
}

TEST_CASE("shares of a legend sum to a hundred percent", "[words]") {
  std::mt19937 engine(9);
  for (int i = 0; i < 300; ++i) {
    SlotClasses slots;
    for (std::uint64_t& count : slots.slots)
      count = engine() % (1u << (engine() % 20));
    const auto shares = shares_per_mille(slots.slots);
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
      sum += shares[k];
      if (slots.total() > 0)
        CHECK(std::abs(shares[k] / 1'000.0 - static_cast<double>(slots.slots[k]) /
                                                 static_cast<double>(slots.total())) <= 0.001);
    }
    CHECK(sum == (slots.total() > 0 ? 1'000 : 0));
  }
  CHECK(legend({}).front().share == "–");
  ReplicaFigures figures;
  figures.blocks = 1'000;
  figures.held_blocks = 588;
  figures.slots[SlotClass::live] = 588 * 16 - 2'916;
  figures.slots[SlotClass::hole] = 2'900;
  figures.slots[SlotClass::tail] = 16;
  CHECK(map_text(figures) ==
        "412 of 1,000 blocks free, 31.0\u00a0% of held slots are holes or tail");
}

TEST_CASE("sentences tell what comes and why blocks stay", "[words]") {
  const auto run = record(small_lockstep("none"));
  Cursor cursor(run);
  CHECK(last_sentence(cursor).empty());
  const Mark round = *run->marks().next(MarkKind::evict, 0);
  CHECK(next_sentence(*run, round.event) ==
        seconds(round.time_ns) + ": evict " + counted(round.tokens, "token") + " of sequence " +
            std::to_string(round.sequence) + " (random, β = 16).");
  cursor.seek(round.event + 1);
  const std::string last = last_sentence(cursor);
  CHECK_THAT(last, Catch::Contains("0 blocks came back") && Catch::Contains(" stays: ") &&
                       Catch::Contains(" of 8 slots live (token"));
  // The block that it names is as it says.
  const auto block = least_live_block(cursor.replica(), round.sequence);
  REQUIRE(block);
  std::vector<gui::SlotView> slots;
  cursor.replica().slots(*block, slots);
  std::uint32_t live = 0;
  for (const gui::SlotView& slot : slots) {
    live += slot.state == SlotState::live;
    if (slot.state == SlotState::hole) CHECK(slot.evicted_ns == round.time_ns);
  }
  CHECK(live == cursor.replica().view().live[*block]);
  CHECK_THAT(last, Catch::Contains("block " + number(*block) + " stays: " + std::to_string(live)));
  CHECK_THAT(next_sentence(*run, run->events()), Catch::StartsWith("The run ends at "));
  CHECK(sequence_name(42) == "sequence 42");
  CHECK(sequence_name(300'000'042) == "sequence 42, candidate 3");
  CHECK(sequence_name(3'200'000'042) == "pinned prompt of 42");
}

TEST_CASE("the history of a block is what its events say", "[words]") {
  const auto run = record(small_lockstep("none"));
  HistoryReader reader(run->history());
  BlockHistory history(run);
  for (const std::uint32_t block : {0u, 5u, 17u}) {
    const auto result = history.before(run->events(), block, 1'000, UINT64_MAX);
    CHECK(result.complete);
    REQUIRE_FALSE(result.changes.empty());
    CHECK_THAT(result.changes.back().text, Catch::StartsWith("allocated to sequence "));
    std::uint64_t allocations = 0, told = 0;
    for (std::uint64_t n = 0; n < run->events(); ++n)
      if (const auto* e = std::get_if<BlocksAllocated>(&reader.event(n)))
        for (const BlockId id : e->blocks)
          allocations += id.value() == block;
    for (const BlockChange& change : result.changes) {
      told += change.text.rfind("allocated", 0) == 0;
      CHECK(change.time_ns == reader.time_ns(change.event));
    }
    CHECK(told == allocations);
    CHECK(holdings_of(*run, block).size() == allocations);
  }
}

TEST_CASE("an event list shows what its filter lets pass", "[words]") {
  std::string fault;
  auto filter = parse_filter("Evict, reclaim  s2 block 1,174", fault);
  REQUIRE(filter);
  CHECK(filter->kinds.count() == 2);
  CHECK(filter->sequence == 2u);
  CHECK(filter->block == 1'174u);
  CHECK(parse_filter("", fault) == EventFilter{});
  CHECK_FALSE(parse_filter("evikt", fault));
  CHECK_THAT(fault, Catch::StartsWith("\"evikt\" is no kind of event"));
  CHECK_FALSE(parse_filter("sequence", fault));
  CHECK_FALSE(parse_filter("s", fault));

  const auto run = record(small_lockstep("slide"));
  EventList list(run);
  CHECK(list.size() == run->marks().size());
  filter = parse_filter("reclaim sequence 2", fault);
  list.set_filter(*filter);
  REQUIRE(list.size() > 3);
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < run->marks().size(); ++i)
    expected += run->marks()[i].kind == MarkKind::reclaim && run->marks()[i].sequence == 2;
  CHECK(list.size() == expected);
  CHECK(list.happened(list.row(2).event) == 2);
  CHECK(list.happened(list.row(2).event + 1) == 3);
  EventFilter of_block;
  of_block.block = 3;
  list.set_filter(of_block);
  const auto holdings = holdings_of(*run, 3);
  REQUIRE(list.size() > 0);
  for (std::uint64_t i = 0; i < list.size(); ++i)
    CHECK(std::any_of(holdings.begin(), holdings.end(), [&](const BlockHolding& holding) {
      return holding.sequence == list.row(i).sequence && holding.first <= list.row(i).event;
    }));
}
