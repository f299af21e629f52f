// SPDX-License-Identifier: Apache-2.0
// Streams of requests that share prefixes, through the memory managers of SGLang and TensorRT-LLM:
// after every step the caches' own invariants hold; at the end nothing is held.
#include <memory>
#include <sstream>

#include "sim/metrics/event_log.hpp"
#include "sim/serving/engine.hpp"
#include "sim/units/philox.hpp"
#include "tests/support/scaled.hpp"
#include "tests/support/table_follower.hpp"
#include "tests/unit/simulation/engine_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

class Draws {
 public:
  explicit Draws(std::uint32_t seed) : key_{seed, 0} {}
  std::uint32_t below(std::uint32_t limit) {
    const std::uint64_t word = philox4x32_10({count_++, 0, 0, 0}, key_)[0];
    return static_cast<std::uint32_t>(word * limit >> 32);
  }

 private:
  PhiloxKey key_;
  std::uint32_t count_ = 0;
};

constexpr std::uint32_t tokens_per_key = 8;

/// Prompts branch at keys: equal keys mean equal prefixes.
Request random_request(std::uint32_t id, Draws& draws) {
  std::vector<std::uint64_t> keys;
  std::uint64_t path = 1;
  for (std::uint32_t left = 1 + draws.below(12); left > 0; --left)
    keys.push_back(path = path * 3 + draws.below(2));
  Request request = keyed(id, std::move(keys), tokens_per_key, 1 + draws.below(40), draws.below(2));
  const std::uint32_t more = draws.below(tokens_per_key);  // tokens that are its own
  request.prompt_tokens += more;
  return request;
}

struct Kind {
  std::string name;
  EngineProfile profile;
  std::function<void(const CacheManager&)> check;
};

std::vector<Kind> kinds() {
  std::vector<Kind> kinds;
  const auto check_radix = [](const CacheManager& manager) {
    dynamic_cast<const RadixManager&>(manager).check_invariants();
  };
  const auto check_tree = [](const CacheManager& manager) {
    const auto fault = dynamic_cast<const ReuseTreeManager&>(manager).tree().find_fault();
    if (fault) FAIL(*fault);
  };
  for (const std::uint32_t page : {1u, 4u}) {
    EngineProfile profile = *find_engine_profile("sglang-2026-07");
    profile.radix->cache.page_size = profile.scheduler.chunk_unit = page;
    profile.radix->pages = 400 / page;
    for (const HostWrite write :
         {HostWrite::write_through, HostWrite::write_through_selective, HostWrite::write_back}) {
      profile.radix->cache.host = {600 / page, write};
      kinds.push_back(
          {"radix tree, pages of " + std::to_string(page) + ", " + std::string(enum_name(write)),
           profile, check_radix});
    }
    profile.radix->cache.host = {};
    for (const std::string_view policy : queue_policy_names) {
      profile.radix->queue_policy = *queue_policy(policy);
      kinds.push_back({"radix tree, pages of " + std::to_string(page) + ", " + std::string(policy),
                       profile, check_radix});
    }
  }
  const std::pair<std::string, std::vector<WindowPool>> pools[] = {
      {"one window", one_pool(100)},
      {"all layers slide", {{10, {60, 0}, Bytes(1)}}},
      {"a window as long as prompts", {{56, {75, 0}, Bytes(1)}}},
      {"two windows", {{10, {45, 0}, Bytes(1)}, {full_window, {70, 0}, Bytes(3)}}},
      {"three windows",
       {{3, {50, 0}, Bytes(1)}, {32, {45, 0}, Bytes(1)}, {full_window, {60, 0}, Bytes(2)}}},
      {"host memory", {{full_window, {60, 50}, Bytes(1)}}},
      {"little host memory", {{full_window, {60, 7}, Bytes(1)}}},
      {"two windows and host memory",
       {{10, {45, 9}, Bytes(1)}, {full_window, {60, 40}, Bytes(3)}}}};
  for (const auto& [words, windows] : pools) {
    for (const auto capacity : {CapacityPolicy::guaranteed_no_evict,
                                CapacityPolicy::max_utilization, CapacityPolicy::static_batch}) {
      EngineProfile profile = *find_engine_profile("trtllm-2026-08");
      profile.reuse_tree = {4, windows, true, capacity};
      profile.scheduler.chunk_unit = 4;
      kinds.push_back(
          {"reuse tree, " + words + ", " + std::string(enum_name(capacity)), profile, check_tree});
    }
  }
  EngineProfile retains = kinds.back().profile;
  retains.reuse_tree->capacity = CapacityPolicy::max_utilization;
  retains.reuse_tree->copy_on_partial_reuse = false;
  retains.reuse_tree->offload_threshold = 20;
  retains.reuse_tree->retention = {60, 0.1, 16, 10, {}};
  kinds.push_back({"reuse tree, retention", retains, check_tree});
  return kinds;
}

struct Result {
  std::string log;
  Counting seen;
  TableFollower tables;
  std::uint64_t hits = 0, onboarded = 0, link_bytes = 0;
};

struct Broadcast final : Observer {
  explicit Broadcast(std::vector<Observer*> all) : observers(std::move(all)) {}
  void on_event(const Event& event) override {
    for (Observer* observer : observers)
      observer->on_event(event);
  }
  std::vector<Observer*> observers;
};

/// T11: once a prompt is computed, a sliding table holds the window and the block that slides, and
/// one with full attention a block for every so many tokens.
bool tables_hold_what_they_should(const Kind& kind, const Scheduler& scheduler,
                                  const TableFollower& tables) {
  const auto& windows = kind.profile.reuse_tree->windows;
  const std::uint32_t block = kind.profile.reuse_tree->block_size;
  for (const SequenceId id : scheduler.running_requests()) {
    const std::uint32_t tokens = scheduler.tokens_computed(id);
    if (tokens <= tables.prompt(id)) continue;
    const std::uint64_t all = (tokens + block - 1) / block;
    for (std::uint32_t i = 0; i < windows.size(); ++i) {
      const std::uint64_t window = (windows[i].window - 1 + block - 1) / block + 1;
      const std::uint64_t held = tables.held_by(id, i);
      if (held > all || held > window) return false;
      if (windows[i].window == full_window && held < all) return false;
    }
  }
  return true;
}

Result run(const Kind& kind, std::uint32_t seed) {
  Result result;
  std::ostringstream lines;
  EventLog log(lines);
  Broadcast observers({&log, &result.seen, &result.tables});
  const auto manager = make_cache_manager(kind.profile, Bytes(1), observers);
  SchedulerOptions options = kind.profile.scheduler;
  options.max_num_batched_tokens = 64;
  options.max_num_seqs = 12;
  EngineRun engine(options, *manager, observers);
  std::uint32_t ids = 0, host_blocks = 0;
  for (const WindowFigures& window : manager->windows()) {
    result.tables.on_host(ids + window.blocks, window.host_blocks);
    ids += window.blocks + window.host_blocks;
    host_blocks += window.host_blocks;
  }
  const std::uint32_t all = manager->free_blocks();
  Draws draws(seed);
  const auto check = [&] {
    kind.check(*manager);
    const CacheGauges gauges = manager->gauges();
    CHECK(gauges.held_blocks == manager->used_blocks());
    CHECK(gauges.held_blocks <= gauges.peak_held_blocks);
    CHECK(gauges.slots.live + gauges.slots.tail == gauges.slots.held);
    CHECK(manager->used_blocks() + manager->free_blocks() == all);
    CHECK(manager->usage() >= 0);
    CHECK(manager->usage() <= 1);
    if (!kind.profile.reuse_tree) return;
    CHECK(result.tables.held_blocks() == manager->used_blocks());
    CHECK(result.tables.host_blocks() == host_blocks);
    CHECK_FALSE(result.tables.holds_host_block());
    CHECK(tables_hold_what_they_should(kind, engine.scheduler, result.tables));
    const HostTraffic traffic = manager->take_host_traffic();
    result.link_bytes += (traffic.written_back + traffic.loaded).value();
  };
  constexpr std::uint32_t requests = 120;
  for (std::uint32_t id = 0; id < requests; ++id) {
    engine.scheduler.add(random_request(id, draws));
    manager->advance(SimTime(std::int64_t{id} * 10'000'000));
    for (std::uint32_t steps = draws.below(4); steps > 0; --steps) {
      engine.advance();
      check();
    }
  }
  engine.drain(check);
  CHECK(result.seen.completed == requests);
  CHECK(result.seen.rejected == 0);
  CHECK(manager->used_blocks() == 0);
  for (const std::uint32_t hit : result.seen.hits)
    result.hits += hit;
  std::uint64_t over_link = 0;
  for (const WindowFigures& window : manager->windows()) {
    CHECK(window.peak_held_blocks <= window.blocks);
    over_link += window.offloaded().value() + window.onboarded().value();
    result.onboarded += window.counts.onboarded;
  }
  CHECK(result.link_bytes == over_link);
  log.flush();
  result.log = lines.str();
  return result;
}

}  // namespace

TEST_CASE("random streams end with every request complete and no block held") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    std::uint64_t hits = 0, slid = 0, onboarded = 0;
    for (std::uint32_t seed = 0; seed < scaled(6); ++seed) {
      INFO("seed " << seed);
      const Result result = run(kind, seed);
      hits += result.hits;
      slid += result.tables.slid();
      onboarded += result.onboarded;
      const bool may_preempt = !kind.profile.reuse_tree ||
                               kind.profile.reuse_tree->capacity == CapacityPolicy::max_utilization;
      if (!may_preempt) CHECK(result.seen.preempted == 0);
    }
    CHECK(hits > 0);
    const bool slides =
        kind.profile.reuse_tree && kind.profile.reuse_tree->windows.front().window < full_window;
    CHECK((slid > often(100)) == slides);
    CHECK((onboarded > often(20)) ==
          (kind.profile.reuse_tree && kind.profile.reuse_tree->has_host_memory()));
  }
}

TEST_CASE("the same stream writes the same bytes", "[slow]") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    const std::string once = run(kind, 3).log;
    CHECK(run(kind, 3).log == once);
    CHECK(run(kind, 4).log != once);
  }
}
