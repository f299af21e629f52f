// SPDX-License-Identifier: Apache-2.0
// Keep sets that are not those of the scores, and kernels that score, join or rank wrongly.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gpu_backend/launch/buffer.hpp"
#include "sim/units/bit_mask.hpp"
#include "tests/gpu/faulty_device.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/score_scenarios.hpp"
#include "tests/gpu/verify_faults.hpp"

namespace vacancy::test {
namespace {

using nlohmann::json;
using Change = std::function<void(std::span<float>)>;
using MakeDevice = std::function<std::unique_ptr<gpu::Device>(gpu::Device&, bool& planted)>;

/// A run where each (layer, KV head) chooses among 24 of its own tokens, 16 of which stay.
json plain_scenario(const std::string& policy, const json& options, bool blocks = false) {
  json scenario = scenario_of({policy, {options}, blocks}, 3);
  json& eviction = scenario["eviction"];
  eviction["scope"] = "per_layer_per_head";
  eviction["budget"] = 16;
  eviction["interval"] = 8;
  eviction["prompt"] = "evictable";
  eviction["protect"] = {{"sinks", 0}};
  scenario["cache"] = {{"block_size", blocks ? 4 : 8}};
  scenario["reclaim"] = {{"kind", "slide"}};
  return scenario;
}

/// The first row of numbers that an operation writes.
template <class Operation>
std::pair<float*, std::int64_t> written(const Operation& op) {
  return {op.scores, op.stride};
}
std::pair<float*, std::int64_t> written(const gpu::QueryAttention& op) {
  return {op.column_sums, op.stride};
}
std::pair<float*, std::int64_t> written(const gpu::NormalizeRows& op) {
  return {op.rows.data, op.rows.stride};
}
std::pair<float*, std::int64_t> written(const gpu::PoolNeighbours& op) {
  return {op.target, op.rows.stride};
}
std::pair<float*, std::int64_t> written(const gpu::JoinRows& op) {
  return {op.target, op.rows.stride};
}
std::pair<float*, std::int64_t> written(const gpu::AggregateBlocks& op) {
  return {op.target, op.target_stride};
}
std::pair<float*, std::int64_t> written(const gpu::TriAttentionWeights& op) {
  return {op.weights, std::int64_t{2 * op.distances + 1} * op.bands};
}

/// Changes that row the `number`-th time that the operation runs.
template <class Operation>
MakeDevice spoilt(int number, Change change) {
  return [number, change](gpu::Device& device, bool& planted) {
    const auto spoil = [change, left = number](gpu::Device& on, const Operation& op) mutable {
      if (left-- != 0) return false;
      const auto [row, count] = written(op);
      std::vector<float> numbers(static_cast<std::size_t>(count));
      const std::size_t bytes = numbers.size() * sizeof(float);
      on.download(numbers.data(), row, bytes);
      change(numbers);
      on.upload(row, numbers.data(), bytes);
      return true;
    };
    return std::make_unique<FaultyDevice<Operation>>(device, spoil, planted);
  };
}

/// The first index that the top-k keeps gives way to one that it does not.
MakeDevice other_index() {
  return [](gpu::Device& device, bool& planted) {
    const auto spoil = [&planted](gpu::Device& on, const gpu::TopK& op) {
      if (planted) return false;
      std::vector<std::int32_t> kept(static_cast<std::size_t>(op.keep));
      const std::size_t bytes = kept.size() * sizeof(std::int32_t);
      on.download(kept.data(), op.kept, bytes);
      std::int32_t other = 0;
      while (std::count(kept.begin(), kept.end(), other) != 0)
        ++other;
      kept[0] = other;
      on.upload(op.kept, kept.data(), bytes);
      return true;
    };
    return std::make_unique<FaultyDevice<gpu::TopK>>(device, spoil, planted);
  };
}

struct ScoreFault {
  const char* name;
  json scenario;
  MakeDevice device;
  const char* expected;  // is part of what the difference says was expected
};

std::vector<ScoreFault> score_faults() {
  const json knorm = plain_scenario("knorm", json::object());
  // 16 keys begin, two join at a time: a round of a set scores four times.
  const json keydiff = plain_scenario("keydiff", {{"step", 2}});
  const json lagkv = plain_scenario("lagkv", {{"sinks", 0}, {"lag", 5}});
  const json paged = plain_scenario("paged_eviction", {{"prompt_cut", "blocks"}}, true);
  const json blocks = plain_scenario("block_h2o", json::object(), true);
  const json snapkv = plain_scenario("snapkv", {{"window", 4}, {"kernel", 3}});
  const json h2o = plain_scenario("h2o", {{"recent_share", 0.25}});
  const json r_kv = plain_scenario("r_kv", {{"window", 4}, {"kernel", 3}});
  const json triattention = plain_scenario("triattention", json::object());
  const auto times = [](float factor) {
    return [factor](std::span<float> row) {
      for (float& x : row)
        x *= factor;
    };
  };
  const auto opposite = times(-1);
  return {
      {"the length of a key lacks a channel", knorm,
       spoilt<gpu::RowStatistics>(0, [](auto row) { row[7] *= 0.99f; }), "score "},
      {"KeyDiff's first step scores by likeness", keydiff, spoilt<gpu::KeyDifference>(0, opposite),
       "score "},
      {"KeyDiff's second step takes all keys for alike", keydiff,
       spoilt<gpu::KeyDifference>(1, [](auto row) { std::fill(row.begin(), row.end(), 0.0f); }),
       "score "},
      {"KeyDiff's third step takes a key for its neighbour", keydiff,
       spoilt<gpu::KeyDifference>(2, [](auto row) { row[3] = row[4]; }), "score "},
      {"KeyDiff's last step scores by likeness", keydiff, spoilt<gpu::KeyDifference>(3, opposite),
       "score "},
      {"LagKV's highest and lowest rank change places", lagkv,
       spoilt<gpu::LagRanks>(0,
                             [](auto row) {
                               const auto [low, high] =
                                   std::minmax_element(row.begin(), row.begin() + 5);
                               std::iter_swap(low, high);
                             }),
       "score "},
      {"LagKV takes all shares of a partition for equal", lagkv,
       spoilt<gpu::LagRanks>(0,
                             [](auto row) {
                               for (std::size_t i = 0; i < 5; ++i)
                                 row[i] = static_cast<float>(4 - i);
                             }),
       "score "},
      {"LagKV's partitions begin a token late", lagkv,
       spoilt<gpu::LagRanks>(
           0, [](auto row) { std::rotate(row.begin(), row.begin() + 1, row.begin() + 15); }),
       "score "},
      {"a value's length is not divided by its key's", paged,
       spoilt<gpu::RowStatistics>(0, [](auto row) { row[2] *= 1.5f; }), "score "},
      {"a block is worth the mean of three of its four tokens", paged,
       spoilt<gpu::AggregateBlocks>(0, [](auto row) { row[1] *= 4.0f / 3; }), "score "},
      {"a block is worth the mean of fewer queries' attention", blocks,
       spoilt<gpu::AggregateBlocks>(0, [](auto row) { row[0] *= 0.9f; }), "score "},
      {"one of four queries is not heard", snapkv, spoilt<gpu::QueryAttention>(0, times(0.75f)),
       "score "},
      {"no neighbour is heard", snapkv, spoilt<gpu::PoolNeighbours>(0, times(1.0f / 3)), "score "},
      {"a token's attention is forgotten", h2o,
       spoilt<gpu::QueryAttention>(0, [](auto row) { row[5] = 0; }), "score "},
      {"a key repeats itself", r_kv,
       spoilt<gpu::KeyRedundancy>(0, [](auto row) { row[4] += 1.0f / 24; }), "score "},
      {"TriAttention's mean query lies on the other side of the axis", triattention,
       spoilt<gpu::TriAttentionWeights>(0,
                                        [](auto row) {
                                          for (float& im : row.subspan(32, 32))
                                            im = -im;
                                        }),
       "score "},
      {"TriAttention takes a key for its neighbour", triattention,
       spoilt<gpu::TriAttentionScores>(0, [](auto row) { row[2] = row[3]; }), "score "},
      {"rows are scaled to another deviation", triattention,
       spoilt<gpu::NormalizeRows>(0, times(2)), "score "},
      {"rows are added up twice", knorm, spoilt<gpu::JoinRows>(0, times(2)), "score "},
      {"another token is among the largest scores", knorm, other_index(),
       "the simulator's selection"},
      {"another block is among the largest worths", blocks, other_index(),
       "the simulator's selection"}};
}

}  // namespace

TEST_CASE("verify: a token or a block in another's place is found by its score") {
  VACANCY_ON_DEVICE(device);
  for (const Method& method : scoring_methods()) {
    json scenario = scenario_of({method.policy, {method.options[0]}, method.blocks}, 3);
    scenario["eviction"]["prompt"] = "evictable";
    scenario["eviction"]["protect"] = {{"sinks", 0}};
    scenario["reclaim"] = {{"kind", "slide"}};
    // The first that stays for its score and the first that goes change places.
    const std::size_t width = method.blocks ? 4 : 1;
    const auto swaps = [width](const Event& event, Observer& verifier) {
      const auto* const evicted = std::get_if<TokensEvicted>(&event);
      if (evicted == nullptr || evicted->round == 0) return false;
      KeepSets keep = evicted->keep;
      const std::span<std::uint64_t> mask = keep.mask(0);
      std::size_t stays = 0, goes = 0;
      while (stays < keep.live(0) && !bits::test(mask, stays))
        stays += width;
      while (goes < keep.live(0) && bits::test(mask, goes))
        goes += width;
      if (stays >= keep.live(0) || goes >= keep.live(0)) return false;
      for (std::size_t i = 0; i < width; ++i) {
        bits::clear(mask, stays + i);
        bits::set(mask, goes + i);
      }
      verifier.on_event(TokensEvicted{evicted->sequence, evicted->round, keep,
                                      evicted->evicted_set_tokens, evicted->sets_per_table,
                                      evicted->vacated_tokens});
      return true;
    };
    bool planted = false;
    verify::VerifyOptions options;
    options.between = [&](Observer& verifier) -> std::unique_ptr<Observer> {
      return std::make_unique<FaultyStream>(swaps, verifier, planted);
    };
    INFO(method.policy);
    const verify::VerifyResult result = verified(scenario, device, options);
    CHECK(planted);
    REQUIRE(result.difference);
    CHECK(result.difference->operation == "tokens_evicted");
    INFO(sentence(*result.difference));
    CHECK(result.difference->expected.find("scores (its own") != std::string::npos);
  }
}

TEST_CASE("verify: a token that goes without its block is found") {
  VACANCY_ON_DEVICE(device);
  const auto tears = [](const Event& event, Observer& verifier) {
    const auto* const evicted = std::get_if<TokensEvicted>(&event);
    if (evicted == nullptr) return false;
    KeepSets keep = evicted->keep;
    std::size_t first = 0;
    while (!bits::test(keep.mask(0), first))
      ++first;
    bits::clear(keep.mask(0), first);
    verifier.on_event(TokensEvicted{evicted->sequence, evicted->round, keep,
                                    evicted->evicted_set_tokens + 1, evicted->sets_per_table,
                                    evicted->vacated_tokens + 1});
    return true;
  };
  bool planted = false;
  verify::VerifyOptions options;
  options.between = [&](Observer& verifier) -> std::unique_ptr<Observer> {
    return std::make_unique<FaultyStream>(tears, verifier, planted);
  };
  const verify::VerifyResult result =
      verified(plain_scenario("block_h2o", json::object(), true), device, options);
  CHECK(planted);
  REQUIRE(result.difference);
  CHECK(result.difference->expected.find("the rules of whole blocks") != std::string::npos);
}

TEST_CASE("verify: every slip of a kernel that scores, joins or ranks is found") {
  VACANCY_ON_DEVICE(device);
  std::set<json> honest;
  for (const ScoreFault& fault : score_faults()) {
    INFO(fault.name);
    bool planted = false;
    if (honest.insert(fault.scenario).second)
      CHECK_FALSE(verified(fault.scenario, device).difference);
    const auto faulty = fault.device(device, planted);
    const verify::VerifyResult result = verified(fault.scenario, *faulty);
    CHECK(planted);
    REQUIRE(result.difference);
    INFO(sentence(*result.difference));
    CHECK(result.difference->operation == "tokens_evicted");
    CHECK(result.difference->expected.find(fault.expected) != std::string::npos);
  }
}

}  // namespace vacancy::test
