// SPDX-License-Identifier: Apache-2.0
// SGLang's orders of the waiting queue (spec engines S12) under its scheduler.
#include <algorithm>

#include "sim/serving/engine_profile.hpp"
#include "tests/unit/simulation/engine_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// One request at a time, so that the order of admission is the order of the queue.
struct QueuedEngine {
  explicit QueuedEngine(QueuePolicy policy, std::uint32_t seats = 1, std::uint64_t seed = 1)
      : manager(radix(policy, seed), seen), run(options(seats), manager, seen) {}

  static RadixOptions radix(QueuePolicy policy, std::uint64_t seed) {
    RadixOptions options;
    options.pages = 100'000;
    options.queue_policy = policy;
    options.queue_key = philox_key(seed);
    return options;
  }
  static SchedulerOptions options(std::uint32_t seats) {
    SchedulerOptions options = find_engine_profile("sglang-2026-07")->scheduler;
    options.max_num_seqs = seats;
    return options;
  }

  void add(std::vector<std::uint64_t> keys, std::uint32_t output = 1) {
    run.scheduler.add(keyed(next_++, std::move(keys), 40, output));
  }
  /// Serves all that wait; their numbers in the order of admission.
  Ids drain() {
    const std::size_t before = seen.admitted.size();
    run.drain([&] { manager.check_invariants(); });
    return {seen.admitted.begin() + static_cast<std::ptrdiff_t>(before), seen.admitted.end()};
  }

  struct Seen final : Observer {
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<RequestAdmitted>(&event)) {
        admitted.push_back(e->sequence.value());
        hits.push_back(e->hit);
      }
      if (std::holds_alternative<PrefixLookedUp>(event)) ++lookups;
    }
    Ids admitted;
    std::vector<std::uint32_t> hits;
    std::uint64_t lookups = 0;
  } seen;
  RadixManager manager;
  EngineRun run;

 private:
  std::uint32_t next_ = 0;
};

}  // namespace

TEST_CASE("lpm admits first who finds most in the cache") {
  QueuedEngine engine(QueuePolicy::lpm);
  engine.add({1, 2, 3});
  engine.drain();
  engine.add({7});
  engine.add({1, 8});
  engine.add({1, 2, 9});
  engine.add({6});
  CHECK(engine.drain() == Ids{3, 2, 1, 4});
  CHECK(engine.seen.hits == std::vector<std::uint32_t>{0, 80, 40, 0, 0});
  CHECK(engine.seen.lookups == 5);  // what orders the queue is no lookup of an admission
}

TEST_CASE("lpm lets one of many with a new prefix go ahead, others first, and the rest find it") {
  // Requests 0 to 2 have 80 tokens in common that the tree does not know.
  QueuedEngine engine(QueuePolicy::lpm, 2);
  for (const std::uint64_t last : {10u, 11u, 12u})
    engine.add({1, 2, last});
  engine.add({5});
  CHECK(engine.drain() == Ids{0, 3, 1, 2});
  CHECK(engine.seen.hits == std::vector<std::uint32_t>{0, 0, 80, 80});
  // Side by side under fcfs, the second computes what the first computes.
  QueuedEngine plain(QueuePolicy::fcfs, 2);
  for (const std::uint64_t last : {10u, 11u, 12u})
    plain.add({1, 2, last});
  plain.add({5});
  CHECK(plain.drain() == Ids{0, 1, 2, 3});
  CHECK(plain.seen.hits == std::vector<std::uint32_t>{0, 0, 80, 0});
}

TEST_CASE("lpm leaves a queue of more than 128 as it is") {
  for (const std::uint32_t others : {127u, 128u}) {
    QueuedEngine engine(QueuePolicy::lpm);
    engine.add({1, 2});
    engine.drain();
    for (std::uint32_t i = 0; i < others; ++i)
      engine.add({100 + i});
    engine.add({1, 9});
    const Ids order = engine.drain();
    // One leaves before 128 are left.
    CHECK(order[others == 127 ? 0 : 1] == others + 1);
  }
}

TEST_CASE("dfs-weight admits the branch first that most wait for") {
  QueuedEngine engine(QueuePolicy::dfs_weight);
  engine.add({1, 2});
  engine.add({3, 4});
  engine.drain();
  engine.add({1, 2, 5});
  engine.add({3, 4, 6});
  engine.add({3, 7});
  engine.add({3, 4, 8});
  // Three wait below 3, of which two below 4. When these are gone one waits in either branch, and
  // the older goes first.
  CHECK(engine.drain() == Ids{3, 5, 2, 4});
}

TEST_CASE("lof admits the longest output first, equals as they came") {
  QueuedEngine engine(QueuePolicy::lof);
  std::uint64_t key = 0;
  for (const std::uint32_t output : {3u, 9u, 3u, 5u})
    engine.add({++key}, output);
  CHECK(engine.drain() == Ids{1, 3, 0, 2});
}

TEST_CASE("a random order is the seed's, and new in each step") {
  const auto order = [](std::uint64_t seed) {
    QueuedEngine engine(QueuePolicy::random, 1, seed);
    for (std::uint64_t key = 0; key < 60; ++key)
      engine.add({key});
    return engine.drain();
  };
  const Ids once = order(1);
  CHECK(order(1) == once);
  CHECK(order(2) != once);
  Ids all = once;
  std::sort(all.begin(), all.end());
  for (std::uint32_t i = 0; i < 60; ++i)
    CHECK(all[i] == i);
}

TEST_CASE("without a seat nobody is looked up") {
  QueuedEngine engine(QueuePolicy::lpm);
  engine.add({1, 2}, 20);
  engine.run.advance();
  engine.add({1, 2, 3});
  engine.add({1, 4});
  const RadixTree& tree = engine.manager.radix().tree();
  const auto access = tree.node(tree.root()).access;
  for (int step = 0; step < 10; ++step)
    engine.run.advance();
  CHECK(tree.node(tree.root()).access == access);
}
