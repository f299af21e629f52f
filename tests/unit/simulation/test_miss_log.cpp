// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/miss_log.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/block_strings.hpp"
#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

const std::string header =
    "request,prompt_blocks,first_missed_block,reason,evicted_at_ns,evicted_by,last_shared_block\n";

TraceRequest keyed(std::uint32_t prompt, std::vector<std::uint64_t> keys, std::int64_t ms) {
  TraceRequest request = plain_request(prompt, 1, SimTime(ms * 1'000'000));
  request.block_keys = std::move(keys);
  return request;
}

}  // namespace

// Two blocks, lru. [ac] puts out b, so that [ab] finds a and lacks b; [a] lacks nothing.
TEST_CASE("a block replay tells why the first missing block was not there") {
  const auto string = string_of({{"ab", 0}, {"ac", 1}, {"ab", 2}, {"a", 3}});
  std::ostringstream out;
  ReplayMissLog log(out);
  CacheReplay{"lru", 2}.run(string, &log);
  CHECK(out.str() == header +
                         "0,2,0,never_seen,,,\n"
                         "1,2,1,differs,,,0\n"
                         "2,2,1,evicted,1000000000,1,1\n");
}

TEST_CASE("what a policy did not take in is refused, what ran out has expired") {
  std::ostringstream refused, expired;
  ReplayMissLog first(refused), second(expired);
  // MIN with bypass: b is used again before a is, c is not, so c does not enter.
  CacheReplay{"belady", 1}.run(string_of({{"b", 0}, {"c", 1}, {"b", 2}, {"c", 3}}), &first);
  CHECK(refused.str() == header +
                             "0,1,0,never_seen,,,\n"
                             "1,1,0,never_seen,,,\n"
                             "3,1,0,refused,1000000000,1,0\n");
  CacheReplay{"ttl", 4, {{"seconds", 1.0}}}.run(string_of({{"b", 0}, {"b", 9}}), &second);
  CHECK(expired.str() == header + "0,1,0,never_seen,,,\n1,1,0,expired,9000000000,,0\n");
}

// Six blocks of four tokens; each request ends before the next comes. 0 caches keys 1 and 2, 1
// finds key 1 and adds key 3 in the one free block that has no contents yet, 2 needs five blocks:
// three without contents, then those of keys 2 and 3 (spec engines V8, V10).
TEST_CASE("an engine tells why the first missing block of a prompt was not there") {
  ServingRun run(4, 6);
  run.key_tokens = 4;
  run.add(keyed(9, {1, 2}, 0));
  run.add(keyed(9, {1, 3}, 10));
  run.add(keyed(17, {9, 10, 11, 12}, 20));
  run.add(keyed(9, {1, 2}, 30));
  run.add(keyed(9, {1, 2}, 40));
  std::ostringstream out;
  EngineMissLog log(out, 4,
                    [&](SequenceId id) -> const Request& { return run.simulation().request(id); });
  run.run({&log});
  CHECK(out.str() == header +
                         "0,2,0,never_seen,,,\n"
                         "1,2,1,differs,,,0\n"
                         "2,4,0,never_seen,,,\n"
                         "3,2,1,evicted,20000000,2,1\n");
}

// A quota of one block: 0 keeps key 1, whose next block it gives up itself at its end.
TEST_CASE("what a tenant gives up for its quota went by the request that let go of it") {
  ServingRun run(4, 20);
  run.key_tokens = 4;
  run.cache().tenant_quota_blocks = 1;
  run.add(keyed(9, {1, 2}, 0));
  run.add(keyed(9, {1, 2}, 10));
  std::ostringstream out;
  EngineMissLog log(out, 4,
                    [&](SequenceId id) -> const Request& { return run.simulation().request(id); });
  const Summary summary = run.run({&log});
  CHECK(out.str() == header +
                         "0,2,0,never_seen,,,\n"
                         "1,2,1,evicted,1000000,0,1\n");
  CHECK(summary.serving.hit_tokens_first_admission == 4);
  CHECK(summary.serving.blocks_evicted == 2);
}

// Five blocks of four tokens. 0 caches key 1. The four candidates of 1 share two blocks, and when
// they write, three of them copy the second: two copies go to blocks without contents, the last one
// to the block of key 1.
TEST_CASE("a copy of a shared block makes its request the one that evicted") {
  ServingRun run(4, 5);
  run.key_tokens = 4;
  run.config.beams.emplace(BeamOptions{4, 0, 0}, 0);
  run.add(keyed(5, {1}, 0));
  run.add(keyed(6, {9}, 10));
  run.requests.back().output_tokens = 3;
  run.add(keyed(5, {1}, 20));
  std::ostringstream out;
  EngineMissLog log(out, 4,
                    [&](SequenceId id) -> const Request& { return run.simulation().request(id); });
  run.run({&log});
  CHECK(out.str() == header +
                         "0,1,0,never_seen,,,\n"
                         "1,1,0,never_seen,,,\n"
                         "2,1,0,evicted,11000000,1,0\n");
}
