// SPDX-License-Identifier: Apache-2.0
// SGLang with a host tier (spec engines S14) through whole runs of made conversations.
#include "tests/support/serve.hpp"
#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;
using vacancy::test::fault_of;
using vacancy::test::load;

namespace {

const std::string conversations = R"({
  "model": "llama-3-8b",
  "device": "a100-80",
  "cache": {"block_size": 1, "blocks": 6000},
  "engine": {"profile": "sglang-2026-07"},
  "serving": {"max_num_seqs": 8},
  "workload": {
    "source": "multi_turn",
    "multi_turn": {"requests": 300, "rate": 2, "output_median": 60, "system_tokens": 200}
  }
})";

Summary serve_conversations(const std::vector<std::string>& changes, std::int64_t ns_per_byte = 0) {
  Scenario scenario = load(conversations, changes);
  scenario.serving->config.link_time = [ns_per_byte](Bytes bytes) {
    return SimTime(static_cast<std::int64_t>(bytes.value()) * ns_per_byte);
  };
  return test::serve(scenario);
}

}  // namespace

TEST_CASE("a host tier finds what the pool gave up, and says where it stood") {
  const Summary without = serve_conversations({});
  const Summary::Serving& bare = without.serving;
  CHECK(bare.hit_tokens_host == 0);
  CHECK(bare.host_blocks_written == 0);
  CHECK(bare.hit_tokens_device() == bare.hit_tokens());
  CHECK(without.reclaim.moved_between_tiers == Bytes(0));
  for (const std::string write : {"write_through", "write_through_selective", "write_back"}) {
    INFO(write);
    const Summary with =
        serve_conversations({"engine.host_blocks=1000000", "engine.host_write=" + write});
    const Summary::Serving& s = with.serving;
    CHECK(s.completed == bare.completed);
    CHECK(s.query_tokens == bare.query_tokens);
    CHECK(s.hit_tokens_host > 10'000);
    CHECK(s.hit_tokens_device() + s.hit_tokens_host == s.hit_tokens());
    CHECK(s.hit_tokens() > bare.hit_tokens());
    CHECK(s.scheduled_tokens + s.hit_tokens() == bare.scheduled_tokens + bare.hit_tokens());
    CHECK(s.host_blocks_evicted == 0);  // room for all
    // Read on one side, written on the other.
    const std::uint64_t block = 131'072;  // 32 layers, 8 heads of 128, K and V in two bytes
    CHECK(with.reclaim.moved_between_tiers ==
          Bytes(2 * block * (s.hit_tokens_host + s.host_blocks_written)));
    CHECK(with.reclaim.bytes_moved() == with.reclaim.moved_between_tiers);
  }
}

TEST_CASE("what comes from the host holds up its step; what goes there only if it makes room") {
  // Requests one after another: nothing decides but the link.
  const std::vector<std::string> tier = {"engine.host_blocks=1000000", "serving.max_num_seqs=1",
                                         "workload.arrivals=closed_loop", "workload.concurrency=1"};
  for (const bool back : {false, true}) {
    std::vector<std::string> changes = tier;
    changes.push_back(back ? "engine.host_write=write_back" : "engine.host_write=write_through");
    const Summary free = serve_conversations(changes), slow = serve_conversations(changes, 1);
    CHECK(slow.serving.hit_tokens_host == free.serving.hit_tokens_host);
    CHECK(slow.serving.host_blocks_written == free.serving.host_blocks_written);
    REQUIRE(free.serving.hit_tokens_host > 0);
    const auto waited = (slow.run.virtual_time - free.run.virtual_time).value();
    const auto over_the_link = [](std::uint64_t blocks) {
      return static_cast<std::int64_t>(blocks * 131'072);
    };
    const std::int64_t loading = over_the_link(free.serving.hit_tokens_host);
    if (back) {
      // The two directions do not wait for each other.
      CHECK(waited > loading);
      CHECK(waited > over_the_link(free.serving.host_blocks_written));
      CHECK(waited <= loading + over_the_link(free.serving.host_blocks_written));
    } else {
      CHECK(waited == loading);
    }
  }
}

TEST_CASE("a smaller host loses what it cannot hold, and a threshold leaves short prefixes there") {
  const Summary::Serving large = serve_conversations({"engine.host_blocks=1000000"}).serving;
  const Summary::Serving small = serve_conversations({"engine.host_blocks=12000"}).serving;
  CHECK(small.host_blocks_evicted > 0);
  CHECK(small.hit_tokens_host < large.hit_tokens_host);
  const Summary::Serving few =
      serve_conversations({"engine.host_blocks=1000000", "engine.host_load_threshold=300"}).serving;
  CHECK(few.hit_tokens_host < large.hit_tokens_host);
  CHECK(serve_conversations({"engine.host_blocks=1000000", "engine.host_load_threshold=1000000"})
            .serving.hit_tokens_host == 0);
}

TEST_CASE("a host tier needs the device's link") {
  CHECK_FALSE(load(conversations).serving->config.link_time);
  CHECK(load(conversations, {"engine.host_blocks=10"}).serving->config.link_time);
  const std::string no_link =
      R"({"name": "alone", "memory": "80GiB", "memory_bandwidth": "2 TB/s", "tflops": {"bf16": 100}})";
  CHECK(load(conversations, {"device=" + no_link}).device);
  CHECK_THAT(fault_of(conversations, {"engine.host_blocks=10", "device=" + no_link}),
             Contains("alone has no link_bandwidth"));
}

TEST_CASE("a profile may bring a host tier") {
  const std::string own =
      R"({"base": "sglang-2026-07", "radix_tree": {"host_blocks": 500, "host_write": "write_back"}})";
  const auto host = [&](const std::vector<std::string>& changes) {
    std::vector<std::string> all = {"engine.profile=" + own};
    all.insert(all.end(), changes.begin(), changes.end());
    return load(conversations, all).serving->config.engine.radix->cache.host;
  };
  CHECK(host({}).pages == 500);
  CHECK(host({}).write == HostWrite::write_back);
  CHECK(host({}).load_threshold == 10);
  CHECK(host({"engine.host_blocks=7", "engine.host_write=write_through"}).pages == 7);
  CHECK(host({"engine.host_write=write_through"}).write == HostWrite::write_through);
  CHECK_THAT(fault_of(conversations, {"engine.profile=" + own, "engine.host_blocks=0",
                                      "engine.host_write=write_back"}),
             Contains("Set engine.host_blocks"));
}
