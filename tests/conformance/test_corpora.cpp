// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/conformance/conformance.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;

namespace {

/// All cases of a corpus printed by a real engine's memory manager.
void check(const std::string& name, std::uint64_t cases) {
  const auto path = test::shared_file("conformance/" + name);
  if (!path) return;
  const CorpusResult result = check_corpus(*path);
  CHECK(result.cases == cases);
  for (const CaseFailure& failure : result.failures)
    FAIL_CHECK(name << ", case " << failure.number << ": " << failure.difference);
}

}  // namespace

TEST_CASE("vLLM main at 017e9f4448b7: every golden case, block id by block id") {
  check("vllm-main.jsonl", 200);
}

TEST_CASE("vLLM v0.10.0: every golden case, block id by block id") {
  check("vllm-0.10.0.jsonl", 200);
}

TEST_CASE("vLLM main with a sliding window group: every golden case, block id by block id") {
  check("vllm-main-hybrid.jsonl", 50);
}

TEST_CASE("vLLM's scheduler in a closed loop: every golden case, step by step") {
  check("scheduler.jsonl", 30);
}

TEST_CASE("SGLang at 9fec359a60: every golden case, slot by slot and node by node") {
  check("sglang-radix.jsonl", 150);
}
