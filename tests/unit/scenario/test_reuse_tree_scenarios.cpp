// SPDX-License-Identifier: Apache-2.0
// TensorRT-LLM's memory in scenarios.
#include "tests/support/serve.hpp"
#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;
using reuse_tree::PoolBlocks;
using vacancy::test::fault_of;
using vacancy::test::load;

namespace {

// gpt-oss-20b: 12 layers of 128 tokens, 12 of full attention, 2 KiB a token each.
const std::string chats = R"({
  "model": "gpt-oss-20b",
  "cache": {"block_size": 16, "blocks": 4224},
  "engine": {"profile": "trtllm-2026-08", "max_sequence_tokens": 4096},
  "workload": {
    "source": "shared_prefix",
    "arrivals": "closed_loop",
    "shared_prefix": {"requests": 60, "groups": 3, "prefix_tokens": 512, "suffix_median": 200,
                      "suffix_max": 800, "output_median": 150, "output_max": 600}
  }
})";

std::vector<WindowPool> pools(const std::vector<std::string>& changes) {
  return load(chats, changes).serving->config.engine.reuse_tree->windows;
}

const std::string bytes_share = "engine.window_share=window_bytes";

}  // namespace

TEST_CASE("T2: layers of each window size get a pool; cache.blocks counts blocks of all layers") {
  const Bytes half(12 * 2048);
  CHECK(pools({}) ==
        std::vector<WindowPool>{{128, {4224, 0}, half}, {full_window, {4224, 0}, half}});
  // In proportion to 128 and 4096 tokens: 8,448 half blocks as 1 : 32.
  CHECK(pools({bytes_share}) ==
        std::vector<WindowPool>{{128, {256, 0}, half}, {full_window, {8192, 0}, half}});
  // Five of six layers slide in gemma-3-4b's 34: 29 and 5, each with half of the bytes.
  const auto gemma = pools({"model=gemma-3-4b", "cache.blocks=340"});
  CHECK(gemma[0].window == 1024);
  CHECK(gemma[0].blocks == PoolBlocks{(340 * 34 * 16 / 2 / 29 + 15) / 16, 0});
  CHECK(gemma[1].blocks == PoolBlocks{340 * 34 / 2 / 5, 0});
}

TEST_CASE("T2: layers of one window size have all the memory") {
  CHECK(pools({"model=llama-3-8b"}) ==
        std::vector<WindowPool>{{full_window, {4224, 0}, Bytes(32 * 4096)}});
  CHECK(pools({"model=mistral-7b", "engine.max_sequence_tokens=8192"}) ==
        std::vector<WindowPool>{{4096, {4224, 0}, Bytes(32 * 4096)}});
  // A window as long as the longest sequence does not slide.
  CHECK(pools({"model=mistral-7b"}) ==
        std::vector<WindowPool>{{full_window, {4224, 0}, Bytes(32 * 4096)}});
}

TEST_CASE("a note says what each window size got, and no note that windows are not simulated") {
  const auto notes = [](const std::vector<std::string>& changes) {
    std::string all;
    for (const std::string& note : load(chats, changes).notes)
      all += note + '\n';
    return all;
  };
  CHECK_THAT(notes({bytes_share}),
             Contains("Each window size of gpt-oss-20b has a pool of its own: 128 tokens: 256 "
                      "blocks of 384 KiB; full attention: 8,192 blocks of 384 KiB."));
  CHECK_THAT(notes({}), !Contains("held at full length"));
  CHECK(notes({"model=llama-3-8b"}).empty());
}

TEST_CASE("what a window share cannot mean is refused") {
  CHECK_THAT(fault_of(chats, {bytes_share, "model=llama-3-8b"}), Contains("of one window size"));
  CHECK_THAT(fault_of(chats, {bytes_share, "engine.profile=vllm-0.10.0"}),
             Contains("one of TensorRT-LLM's"));
  CHECK_THAT(fault_of(chats, {bytes_share, "engine.max_sequence_tokens=null",
                              "model={\"layers\": 4, \"layer_pattern\": [\"sliding\", \"full\"], "
                              "\"window\": 64, \"query_heads\": 1, \"kv_heads\": 1, "
                              "\"head_dim\": 64}"}),
             Contains("Set engine.max_sequence_tokens"));
  CHECK_THAT(fault_of(chats, {"cache.blocks=66000000", "cache.block_size=16"}), Contains("2^30"));
}

TEST_CASE("requests are served from the pools of all window sizes") {
  std::vector<std::uint64_t> hits;
  for (const std::string share : {"equal", "window_bytes"}) {
    const Summary summary =
        test::serve(load(chats, {"engine.window_share=" + share, "serving.max_num_seqs=8"}));
    CHECK(summary.serving.completed == 60);
    CHECK(summary.serving.preemptions == 0);
    hits.push_back(summary.serving.hit_tokens());
    REQUIRE(summary.windows.size() == 2);
    CHECK(summary.windows[0].window == 128);
    CHECK_FALSE(summary.windows[1].window);
    std::uint64_t most = 0;
    for (const WindowFigures& window : summary.windows) {
      CHECK(window.block_bytes == Bytes(384 * 1024));
      CHECK(window.peak_held_blocks > 0);
      CHECK(window.peak_held_blocks <= window.blocks);
      most += window.peak_held_blocks;
    }
    CHECK(summary.memory.kv_peak_blocks <= most);
    CHECK(summary.memory.kv_peak_bytes == Bytes(summary.memory.kv_peak_blocks * 384 * 1024));
    CHECK(summary.memory.held_slots.end == 0);
  }
  // A block that left a window and was taken since keeps its sequence from being stored (T11),
  // which is likelier in the small pool that window_bytes gives the sliding layers.
  CHECK(hits[0] > hits[1]);
  CHECK(hits[1] > 0);
}

TEST_CASE("a window of active requests has the pools too") {
  const Scenario scenario =
      load(chats, {"serving.scheduler=active_window", "engine.max_sequence_tokens=null"});
  const auto replay = build_replay(scenario);
  while (replay->serve()) {
  }
  const Summary summary = replay->summary();
  CHECK(summary.serving.completed == 60);
  CHECK(summary.windows.size() == 2);
  CHECK(summary.serving.hit_tokens() <= summary.serving.query_tokens);
  CHECK(summary.serving.hit_tokens() > 0);
}

namespace {

// A prefix that comes back after the pool was filled with others.
const std::string host = R"({
  "model": "llama-3-8b",
  "device": "h100",
  "cache": {"block_size": 16, "blocks": 300},
  "engine": {"profile": "trtllm-2026-08", "host_blocks": 2000},
  "workload": {
    "source": "shared_prefix",
    "arrivals": "closed_loop",
    "shared_prefix": {"requests": 80, "groups": 12, "popularity": 0, "prefix_tokens": 1024,
                      "suffix_median": 64, "suffix_max": 256, "output_median": 32,
                      "output_max": 64}
  }
})";

}  // namespace

TEST_CASE("T4: host memory is so many blocks of all layers, or bytes") {
  const auto pools_of = [](const std::vector<std::string>& changes) {
    return load(host, changes).serving->config.engine.reuse_tree->windows;
  };
  CHECK(pools_of({})[0].blocks == PoolBlocks{300, 2000});
  CHECK(pools_of({"engine.host_blocks=null", "engine.host_memory=1GiB"})[0].blocks ==
        PoolBlocks{300, 512});
  const auto windows =
      pools_of({"model=gpt-oss-20b", "engine.window_share=window_bytes",
                "engine.max_sequence_tokens=4096", "cache.blocks=330", "engine.host_blocks=330"});
  CHECK(windows[0].blocks == PoolBlocks{20, 20});  // 660 half blocks as 1 : 32
  CHECK(windows[1].blocks == PoolBlocks{640, 640});
  const Scenario scenario = load(host);
  CHECK(scenario.notes.back() ==
        "The pool of Llama-3-8B: full attention: 300 blocks of 2 MiB and 2,000 on the host.");
  CHECK(scenario.serving->config.engine.reuse_tree->offload_threshold == 30);
  CHECK(load(host, {"engine.offload_threshold=35", "engine.onboarding=false"})
            .serving->config.engine.reuse_tree->offload_threshold == 35);
}

TEST_CASE("what host memory cannot be is refused") {
  CHECK_THAT(fault_of(host, {"engine.host_memory=1GiB"}), Contains("contradicts engine.host_bl"));
  CHECK_THAT(fault_of(host, {"engine.host_blocks=null", "engine.host_memory=1MiB"}),
             Contains("no room for a block of 2 MiB"));
  CHECK_THAT(fault_of(host, {"engine.host_blocks=100000000"}), Contains("from 0 to 67108864"));
  CHECK_THAT(fault_of(host, {"prefix.index=none"}), Contains("without an index"));
  CHECK_THAT(fault_of(host, {"engine.host_blocks=null", "engine.offload_threshold=35"}),
             Contains("there is no host memory"));
  CHECK_THAT(fault_of(host, {"engine.host_blocks=null", "engine.onboarding=true"}),
             Contains("there is no host memory"));
  CHECK_THAT(fault_of(host, {"engine.profile=sglang-2026-07", "engine.onboarding=true"}),
             Contains("one of TensorRT-LLM's"));
  CHECK_THAT(fault_of(host, {"engine.profile=vllm-0.10.0", "engine.host_blocks=null",
                             "engine.host_memory=1GiB"}),
             Contains("/engine/host_memory: vllm-0.10.0 has no such rule"));
  CHECK_THAT(fault_of(host, {"device={\"name\": \"x\", \"memory_bandwidth\": \"1 TB/s\", "
                             "\"tflops\": {\"bf16\": 1}}"}),
             Contains("no link_bandwidth"));
}

TEST_CASE("a host tier gives hits, and each step waits for the link") {
  const Summary without = test::serve(load(host, {"engine.host_blocks=null"}));
  const Scenario scenario = load(host);
  REQUIRE(scenario.serving->config.link_time);
  const auto with_link = [&](std::int64_t ns_per_byte) {
    Scenario copy = scenario;
    copy.serving->config.link_time = [ns_per_byte](Bytes bytes) {
      return SimTime(static_cast<std::int64_t>(bytes.value()) * ns_per_byte);
    };
    return test::serve(copy);
  };
  const Summary fast = with_link(0), slow = with_link(1);
  const WindowFigures& window = fast.windows.front();
  CHECK(window.counts.reused_tokens_secondary > 0);
  CHECK(fast.serving.hit_tokens_host == window.counts.reused_tokens_secondary);
  CHECK(fast.serving.host_blocks_written == window.counts.offloaded);
  CHECK(fast.reclaim.moved_between_tiers == (window.offloaded() + window.onboarded()) * 2);
  CHECK(without.serving.hit_tokens_host == 0);
  CHECK(without.reclaim.moved_between_tiers == Bytes(0));
  CHECK(fast.serving.hit_tokens() > without.serving.hit_tokens());
  CHECK(fast.serving.hit_tokens() == window.counts.reused_tokens);
  CHECK(without.windows.front().offloaded() == Bytes(0));
  CHECK(slow.serving.steps == fast.serving.steps);
  // The link carries both directions at a time; a step waits for the later one.
  const std::int64_t waited = (slow.run.virtual_time - fast.run.virtual_time).value();
  CHECK(waited <= static_cast<std::int64_t>((window.offloaded() + window.onboarded()).value()));
  CHECK(waited >=
        static_cast<std::int64_t>(std::max(window.offloaded(), window.onboarded()).value()));
  CHECK(window.onboarded() >= Bytes(window.counts.onboarded * 2 * 1024 * 1024));
}

TEST_CASE("T6, T12: reuse and retention are the profile's unless the scenario says otherwise") {
  const auto options = [](const std::vector<std::string>& changes) {
    return *load(host, changes).serving->config.engine.reuse_tree;
  };
  CHECK(options({}).partial_reuse);
  CHECK(options({}).copy_on_partial_reuse);
  CHECK_FALSE(options({}).retention.prompt_priority);
  CHECK_FALSE(options({"engine.copy_on_partial_reuse=false"}).copy_on_partial_reuse);
  const ReuseTreeOptions kept =
      options({"engine.partial_reuse=false", "engine.retain_prompt_priority=80",
               "engine.retain_prompt_seconds=2.5", "engine.retain_prompt_tokens=1024",
               "engine.retain_decode_priority=0", "engine.retain_decode_seconds=1"});
  CHECK_FALSE(kept.partial_reuse);
  const reuse_tree::Retention retention = retention_of(kept.retention);
  using reuse_tree::BlockRetention;
  using reuse_tree::Priority;
  CHECK(retention.of_block_at(1008) == BlockRetention{Priority(80), SimTime(2'500'000'000)});
  CHECK(retention.of_block_at(1024) == BlockRetention{});
  CHECK(retention.decode() == BlockRetention{Priority(0), SimTime(1'000'000'000)});

  const ReuseTreeOptions mixed = options(
      {"engine.profile={\"base\": \"trtllm-2026-08\", \"reuse_tree\": {\"onboarding\": false, "
       "\"retain_prompt_priority\": 60, \"retain_prompt_seconds\": 9}}",
       "engine.retain_prompt_seconds=3"});
  CHECK_FALSE(mixed.onboarding);
  CHECK(mixed.retention.prompt_priority == 60);
  CHECK(mixed.retention.prompt_seconds == 3.0);
}

TEST_CASE("what reuse and retention cannot mean is refused") {
  CHECK_THAT(fault_of(host, {"prefix.index=none", "engine.host_blocks=null",
                             "engine.partial_reuse=false"}),
             Contains("/engine/partial_reuse: nothing is found again without an index"));
  CHECK_THAT(fault_of(host, {"engine.partial_reuse=false", "engine.copy_on_partial_reuse=true"}),
             Contains("nothing is reused in part"));
  CHECK_THAT(fault_of(host, {"engine.retain_prompt_tokens=64"}),
             Contains("Set engine.retain_prompt_priority too"));
  CHECK_THAT(fault_of(host, {"engine.retain_prompt_seconds=1"}),
             Contains("falls back to the priority 35"));
  CHECK_THAT(fault_of(host, {"engine.retain_decode_seconds=1", "engine.retain_decode_priority=35"}),
             Contains("falls back to the priority 35"));
  CHECK_THAT(fault_of(host, {"engine.retain_decode_seconds=1", "engine.retain_decode_priority=0",
                             "serving.scheduler=active_window"}),
             Contains("has no clock"));
  CHECK_THAT(fault_of(host, {"engine.profile={\"base\": \"trtllm-2026-08\", \"reuse_tree\": "
                             "{\"retain_prompt_seconds\": 9}}"}),
             Contains("/engine/profile: after that time"));
}

// A fifth of the prompt is what all of a group share: worth more than the rest (T12).
TEST_CASE("T12: shared prefixes that are retained are found more often") {
  const auto hits = [](std::vector<std::string> changes) {
    changes.insert(
        changes.end(),
        {"engine.host_blocks=null", "cache.blocks=600", "workload.shared_prefix.groups=8",
         "workload.shared_prefix.prefix_tokens=512", "workload.shared_prefix.suffix_median=2000",
         "workload.shared_prefix.suffix_max=3000", "serving.max_num_seqs=2"});
    return test::serve(load(host, changes)).serving.hit_tokens();
  };
  const std::uint64_t plain = hits({});
  const std::uint64_t retained =
      hits({"engine.retain_prompt_priority=80", "engine.retain_prompt_tokens=512"});
  CHECK(2 * retained > 3 * plain);
}
