// SPDX-License-Identifier: Apache-2.0
// The event stream. Cases with a name mirror the engine's kvCacheManagerTest.cpp.
#include "sim/prefix/reuse_tree/events.hpp"

#include <algorithm>

#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::reuse_tree;
using namespace vacancy::test;

namespace {

struct Recorder final : reuse_tree::Observer {
  void on_event(std::uint32_t window, const reuse_tree::Event& event) override {
    events.emplace_back(window, event);
  }
  template <class E>
  std::vector<E> of() const {
    std::vector<E> found;
    for (const auto& [window, event] : events)
      if (const E* e = std::get_if<E>(&event)) found.push_back(*e);
    return found;
  }
  std::vector<std::pair<std::uint32_t, reuse_tree::Event>> events;
};

}  // namespace

TEST_CASE("events: stored, offloaded, onboarded, removed (KVCacheManagerEventStream)") {
  Recorder recorder;
  Rig rig(one_window(8, 2, 16), &recorder);
  const auto lora = rig.cache.spaces().intern(42, {}), none = rig.cache.spaces().intern({}, {});
  rig.add(0, counting(0, 10), {}, lora);
  rig.store_context(0);
  auto stored = recorder.of<BlockStored>();
  REQUIRE(stored.size() == 2);
  CHECK(stored[0].parent == rig.window().tree().root());
  CHECK(stored[1].parent == stored[0].block);
  recorder.events.clear();

  rig.append(0, {0});
  rig.release(0);
  stored = recorder.of<BlockStored>();
  REQUIRE(stored.size() == 1);
  CHECK(stored[0].block == BlockId(2));
  CHECK(stored[0].parent == BlockId(1));
  CHECK(recorder.of<BlockReleased>().size() == 3);
  CHECK(recorder.of<BlockReleased>()[0].block == BlockId(2));
  recorder.events.clear();

  rig.add(1, counting(0, 9), {}, lora);
  rig.store_context(1);
  rig.release(1);
  CHECK(recorder.of<BlockStored>().empty());
  CHECK(recorder.of<BlockRemoved>().empty());
  CHECK(recorder.of<BlockReused>().size() == 2);
  recorder.events.clear();

  rig.add(2, Words{1, 1, 2, 3} + counting(4, 9), {}, none);
  rig.add(3, Words{2, 1, 2, 3} + counting(4, 9), {}, none);
  const auto offloaded = recorder.of<BlockOffloaded>();
  CHECK(std::count_if(offloaded.begin(), offloaded.end(),
                      [](const BlockOffloaded& e) { return e.stored; }) == 3);
  REQUIRE(recorder.of<BlockRemoved>().size() == 1);
  // What went to the host first is gone from there first.
  CHECK(recorder.of<BlockRemoved>()[0].block == offloaded[0].block);
  recorder.events.clear();

  rig.release(2);
  rig.release(3);
  CHECK(recorder.of<BlockStored>().size() == 6);
  recorder.events.clear();

  rig.add(4, Words{0, 1, 2, 3, 1, 1, 1, 1, 0}, {}, lora);
  CHECK(recorder.of<BlockOnboarded>().size() == 1);
  const auto again = recorder.of<BlockOffloaded>();
  CHECK(std::count_if(again.begin(), again.end(),
                      [](const BlockOffloaded& e) { return e.stored; }) == 2);
  CHECK(recorder.of<BlockRemoved>().size() == 1);
  recorder.events.clear();
  rig.store_context(4);
  CHECK(recorder.of<BlockStored>().size() == 1);
}

TEST_CASE("events: a priority that changes with a reuse (KVCacheManagerEventStreamPriority)") {
  Recorder recorder;
  Rig rig(one_window(8, 2, 16), &recorder);
  rig.add(0, counting(0, 8), Retention({{0, {}, Priority(50), {}}}));
  rig.store_context(0);
  rig.release(0);
  rig.add(1, counting(0, 8));
  rig.store_context(1);
  recorder.events.clear();
  rig.release(1);
  CHECK(recorder.of<BlockStored>().size() == 1);
  CHECK(recorder.of<PriorityUpdated>().empty());
  rig.add(2, counting(0, 8), Retention({{0, {}, Priority(10), {}}}));
  const auto updates = recorder.of<PriorityUpdated>();
  REQUIRE(updates.size() == 2);
  for (const PriorityUpdated& update : updates) {
    CHECK(update.before == Priority(50));
    CHECK(update.after == Priority(10));
  }
  rig.release(2);
  recorder.events.clear();
  rig.add(3, counting(0, 5), Retention({{0, {}, Priority(10), {}}}));  // as it was
  CHECK(recorder.of<PriorityUpdated>().empty());
}

TEST_CASE("events: sliding windows store at the end only (KVCacheManagerEventStreamWindowSize)") {
  Recorder recorder;
  CacheOptions options = one_window(8, 2, 16);
  options.windows = {{12, {4, 2}}, {16, {8, 2}}};
  Rig rig(options, &recorder);
  rig.add(0, counting(0, 8));
  recorder.events.clear();
  rig.store_context(0);
  REQUIRE(recorder.events.size() == 1);
  CHECK(recorder.events[0].first == 1);
  CHECK(std::holds_alternative<BlockStored>(recorder.events[0].second));
}

TEST_CASE("events: a leaf made private is removed (ours)") {
  Recorder recorder;
  Rig rig(one_window(4), &recorder);
  rig.add(0, counting(0, 8));
  rig.release(0);
  recorder.events.clear();
  CHECK(rig.add(1, counting(0, 7)) == 6);
  REQUIRE(recorder.of<BlockRemoved>().size() == 1);
  CHECK(recorder.of<BlockRemoved>()[0].block == BlockId(1));
  const auto reused = recorder.of<BlockReused>();
  REQUIRE(reused.size() == 2);
  CHECK(reused[1].tokens == 2);
  CHECK(reused[1].found_at == Level::primary);
}
