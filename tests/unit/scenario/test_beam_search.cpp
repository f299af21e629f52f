// SPDX-License-Identifier: Apache-2.0
// Beam search from a scenario: what sharing saves, and the same bytes for the same seed.
#include <catch2/catch.hpp>

#include "tests/support/serve.hpp"
#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using vacancy::test::load;

namespace {

const std::string beams = R"({
  "model": "llama-3-8b",
  "device": "a100-80",
  "cache": {"block_size": 16, "blocks": 300},
  "engine": {"profile": "vllm-main-2026-08"},
  "workload": {
    "source": "independent",
    "arrivals": "closed_loop",
    "beam": {"width": 4},
    "independent": {"requests": 20, "prompt_median": 100, "prompt_sigma": 0.5,
                    "output_median": 120, "output_sigma": 0.5}
  }
})";

Summary serve_beams(const std::vector<std::string>& changes) {
  return test::serve(load(beams, changes));
}

}  // namespace

TEST_CASE("the more candidates branch, the more they share, and the less memory they take") {
  std::uint64_t peak_before = ~std::uint64_t{0};
  for (const std::string branching : {"0", "0.1", "1"}) {
    const Summary summary =
        serve_beams({"cache.blocks=unlimited", "workload.beam.branching=" + branching});
    CHECK(summary.serving.completed == 20);
    CHECK(summary.memory.kv_peak_blocks < peak_before);
    peak_before = summary.memory.kv_peak_blocks;
  }
  // Candidates that never branch hold what as many samples of the prompt do, but for the last
  // prompt token of each sample, which v1 computes anew into a block of its own.
  const auto one = [](const std::vector<std::string>& more) {
    std::vector<std::string> changes = {"workload.independent.requests=1",
                                        "workload.independent.prompt_sigma=0",
                                        "workload.independent.output_sigma=0"};
    changes.insert(changes.end(), more.begin(), more.end());
    return serve_beams(changes).memory.kv_peak_blocks;
  };
  const std::uint32_t whole = 14, prompt = 6;  // ceil(219 / 16), floor(100 / 16)
  CHECK(one({"workload.beam.branching=0"}) == prompt + 4 * (whole - prompt));
  CHECK(one({"workload.beam.width=1", "workload.samples=4"}) == prompt + 4 * (whole - prompt));
  CHECK(one({"workload.beam.branching=1", "workload.beam.leading=1"}) == (219 - 1) / 16 + 4);
}

TEST_CASE("beams of a small pool are preempted and finish, in the same way for the same seed") {
  for (const std::string how : {"recompute", "swap"})
    for (const std::string index : {"none", "hash_chain"}) {
      const std::vector<std::string> changes = {"serving.preemption=" + how,
                                                "prefix.index=" + index, "cache.blocks=150"};
      const Summary first = serve_beams(changes);
      CHECK(first.serving.completed == 20);
      CHECK(first.serving.preemptions > 0);
      CHECK((first.serving.recomputed_tokens > 0) == (how == "recompute"));
      CHECK(to_json(first) == to_json(serve_beams(changes)));
      std::vector<std::string> other = changes;
      other.push_back("seed=2");
      CHECK(to_json(first) != to_json(serve_beams(other)));
    }
}

TEST_CASE("a request in beam search takes the seats of its candidates") {
  CHECK(load(beams, {"serving.max_num_seqs=4"}).serving->config.beams->width() == 4);
  CHECK_FALSE(load(beams, {"workload.beam.width=1"}).serving->config.beams);
}
