// SPDX-License-Identifier: Apache-2.0
// The checks themselves: each fault, put into a sound state by hand, is named.
#include "sim/prefix/reuse_tree/window_snapshot.hpp"
#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::reuse_tree;
using namespace vacancy::test;
using Catch::Contains;

namespace {

/// Held: 0, 1, 5 of a live sequence. In the tree: 0 - 1 and 0 - 2. On the host: 2.
struct Sound {
  Sound() : rig(one_window(4, 2, 32)) {
    rig.add(0, counting(0, 5) + Words{50, 51, 52, 53});
    rig.release(0);
    rig.add(1, counting(0, 9));
    rig.store_context(1);
    state = snapshot_of(rig.window());
    tables = {&rig.cache.table(SequenceId(1), 0)};
    REQUIRE_FALSE(fault().has_value());
  }
  std::optional<std::string> fault() const { return find_fault(state, tables); }
  WindowSnapshot::Block& block(std::uint32_t id) { return state.blocks[id]; }

  Rig rig;
  WindowSnapshot state;
  std::vector<const WindowTable*> tables;
};

}  // namespace

TEST_CASE("faults: references and holders") {
  Sound sound;
  const std::uint32_t held = sound.tables[0]->blocks[0].value();
  ++sound.block(held).references;
  CHECK_THAT(sound.fault().value(), Contains("has 2 references and 1 holders"));
  sound.block(held).references = 0;
  CHECK_THAT(sound.fault().value(), Contains("has 0 references and 1 holders"));
  Sound leaked;
  leaked.tables.clear();  // the sequence is gone and its blocks are not
  CHECK_THAT(leaked.fault().value(), Contains("and 0 holders"));
}

TEST_CASE("faults: queues") {
  Sound sound;
  auto queues = sound.state.queues;
  REQUIRE(queues.size() == 2);
  const BlockId front = queues[0].blocks.front();
  sound.state.queues[0].blocks.push_back(front);
  ++sound.state.free_primary;
  CHECK_THAT(sound.fault().value(), Contains("is not in exactly one place"));
  sound.state.queues = queues;
  sound.state.queues[0].blocks.erase(sound.state.queues[0].blocks.begin());
  sound.state.free_primary -= 2;
  CHECK_THAT(sound.fault().value(), Contains("is not in exactly one place"));
  ++sound.state.free_primary;
  sound.state.queues = queues;
  CHECK_FALSE(sound.fault().has_value());
  ++sound.state.free_secondary;
  CHECK_THAT(sound.fault().value(), Contains("counts of free blocks"));
  --sound.state.free_secondary;
  sound.block(front.value()).priority = Priority(36);
  CHECK_THAT(sound.fault().value(), Contains("at the wrong priority"));
  sound.block(front.value()).priority = default_priority;
  sound.state.queues[0].level = Level::secondary;
  CHECK_THAT(sound.fault().value(), Contains("counts") || Contains("on the wrong level"));
}

TEST_CASE("faults: memories") {
  Sound sound;
  const auto before = sound.block(0).offset;
  sound.block(0).offset = sound.block(1).offset;
  CHECK_THAT(sound.fault().value(), Contains("memory that is another's"));
  sound.block(0).offset = {before.level, 4};
  CHECK_THAT(sound.fault().value(), Contains("or does not exist"));
  Sound away;
  const std::uint32_t held = away.tables[0]->blocks[0].value();
  away.block(held).offset = {Level::secondary, 0};
  CHECK_THAT(away.fault().value(), Contains("is held in host memory"));
}

TEST_CASE("faults: the tree") {
  const auto first_stored = [](Sound& sound) { return sound.state.first_blocks.at(0).value(); };
  {
    Sound sound;
    const std::uint32_t top = first_stored(sound);
    sound.block(top).tokens = 3;
    CHECK_THAT(sound.fault().value(), Contains("is not a full block"));
  }
  {
    Sound sound;
    const std::uint32_t top = first_stored(sound);
    REQUIRE_FALSE(sound.block(top).children.empty());
    const std::uint32_t child = sound.block(top).children[0].value();
    sound.block(child).parent = BlockId(child);
    CHECK_THAT(sound.fault().value(), Contains("not its parent"));
    sound.block(child).parent = BlockId(top);
    sound.block(child).found_as = null_block;
    CHECK_THAT(sound.fault().value(), Contains("is not found by its contents"));
    sound.block(child).found_as = BlockId(child);
    sound.block(child).tokens = 0;
    CHECK_THAT(sound.fault().value(), Contains("holds no tokens"));
  }
  {
    Sound sound;
    const std::uint32_t top = first_stored(sound);
    sound.block(top).children.clear();
    CHECK_THAT(sound.fault().value(), Contains("its parent disagree"));
  }
  {
    Sound sound;  // the cycle of TensorRT-LLM#19242
    const std::uint32_t top = first_stored(sound);
    const BlockId child = sound.block(top).children[0];
    sound.state.first_blocks.clear();
    sound.block(top).parent = child;
    sound.block(child.value()).tokens = 4;
    sound.block(child.value()).children.push_back(BlockId(top));
    CHECK_THAT(sound.fault().value(), Contains("does not hang from the root"));
  }
}
