// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "sim/units/error.hpp"
#include "sim/workload/synthetic/prompt_keys.hpp"
#include "sim/workload/synthetic/random_draws.hpp"
#include "sim/workload/synthetic/synthetic.hpp"
#include "sim/workload/trace/statistics.hpp"

using namespace vacancy;

namespace {

using Values = std::map<std::string, ParameterValue>;

std::unique_ptr<TraceReader> make(const std::string& name, const Values& given = {},
                                  std::uint64_t seed = 7) {
  const SyntheticEntry* entry = find_synthetic_workload(name);
  REQUIRE(entry != nullptr);
  ParameterValues values;
  for (const Parameter& parameter : entry->info.parameters)
    values[parameter.name] = parameter.default_value;
  for (const auto& [key, value] : given) {
    INFO(key);
    REQUIRE(values.contains(key));
    values[key] = value;
  }
  return entry->make(values, seed);
}

ParameterValue count(std::int64_t n) {
  return n;
}

std::vector<TraceRequest> read(TraceReader& trace) {
  std::vector<TraceRequest> all;
  TraceRequest request;
  while (trace.next(request))
    all.push_back(request);
  return all;
}

bool same(const TraceRequest& a, const TraceRequest& b) {
  return a.arrival == b.arrival && a.prompt_tokens == b.prompt_tokens &&
         a.output_tokens == b.output_tokens && a.block_keys == b.block_keys;
}

/// Leading keys that both have.
std::size_t common(const TraceRequest& a, const TraceRequest& b) {
  const auto [first, second] = std::mismatch(a.block_keys.begin(), a.block_keys.end(),
                                             b.block_keys.begin(), b.block_keys.end());
  return static_cast<std::size_t>(first - a.block_keys.begin());
}

}  // namespace

TEST_CASE("every synthetic workload keeps the promises of a trace", "[synthetic]") {
  for (const SyntheticEntry& entry : synthetic_workloads()) {
    INFO(entry.info.name);
    CHECK(entry.info.summary.ends_with('.'));
    for (const Parameter& parameter : entry.info.parameters) {
      INFO(parameter.name);
      CHECK_FALSE(parameter.help.empty());
      CHECK(parameter.minimum.has_value());
      CHECK(parameter.maximum.has_value());
    }
    const auto trace = make(entry.info.name, {{"requests", count(500)}});
    CHECK(trace->info().format == entry.info.name);
    CHECK(trace->info().block_size == 16);
    const auto all = read(*trace);
    REQUIRE(all.size() == 500);
    SimTime last;
    for (const TraceRequest& request : all) {
      REQUIRE(request.arrival >= last);
      last = request.arrival;
      REQUIRE(request.prompt_tokens > 0);
      REQUIRE(request.output_tokens > 0);
      REQUIRE(request.block_keys.size() == request.prompt_tokens / 16);
    }
    const auto again = make(entry.info.name, {{"requests", count(500)}});
    CHECK(measure_trace(*again).blocks->hits_after_miss == 0);
  }
}

TEST_CASE("the same seed makes the same trace, another one another; longer ones begin alike",
          "[synthetic]") {
  for (const SyntheticEntry& entry : synthetic_workloads()) {
    INFO(entry.info.name);
    const auto made = [&](std::int64_t requests, std::uint64_t seed) {
      return read(*make(entry.info.name, {{"requests", count(requests)}}, seed));
    };
    const auto first = made(200, 3), second = made(200, 3), longer = made(300, 3),
               other = made(200, 4);
    CHECK(std::equal(first.begin(), first.end(), second.begin(), second.end(), same));
    CHECK(std::equal(first.begin(), first.end(), longer.begin(), same));
    CHECK_FALSE(same(first[0], other[0]));
  }
}

TEST_CASE("arrivals have the stated rate and burstiness", "[synthetic]") {
  for (const double cv : {0.0, 0.5, 1.0, 3.0}) {
    INFO(cv);
    const auto trace = make(
        "independent",
        {{"requests", count(20'000)}, {"rate", 5.0}, {"burstiness", cv}, {"prompt_max", count(1)}});
    const TraceFigures f = measure_trace(*trace);
    // The mean of 20,000 gaps has a relative standard error of cv / 141.
    CHECK(*f.requests_per_second() == Approx(5).epsilon(5 * cv / 141 + 1e-4));
    if (cv == 0)
      CHECK(*f.inter_arrival_cv < 1e-6);
    else
      // Its own standard error for gamma gaps: below 6 % at cv 3.
      CHECK(*f.inter_arrival_cv == Approx(cv).epsilon(cv < 2 ? 0.04 : 0.2));
  }
}

TEST_CASE("gamma draws have mean 1 and the stated moments", "[synthetic]") {
  const RandomDraws draws(11);
  for (const double cv : {0.3, 0.999, 1.5, 4.0}) {
    INFO(cv);
    constexpr std::uint32_t n = 100'000;
    double sum = 0, squares = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const double x = draws.gamma(cv, i, 0, DrawPurpose::arrival);
      REQUIRE(x >= 0);
      sum += x;
      squares += (x - 1) * (x - 1);
    }
    CHECK(sum / n == Approx(1).margin(5 * cv / std::sqrt(n)));
    // The variance of (x - 1)² is cv⁴ · (2 + 6 cv²).
    const double error = cv * cv * std::sqrt((2 + 6 * cv * cv) / n);
    CHECK(squares / n == Approx(cv * cv).margin(5 * error));
  }
  // Shape 4: P(x < 1) = 1 - e^-4 · (1 + 4 + 8 + 32/3) = 0.5665.
  std::uint32_t below = 0;
  for (std::uint32_t i = 0; i < 20'000; ++i)
    below += draws.gamma(0.5, i, 1, DrawPurpose::arrival) < 1;
  CHECK(below / 20'000.0 == Approx(0.5665).margin(5 * 0.0035));
}

TEST_CASE("Zipf ranks have weights 1 / rank", "[synthetic]") {
  const Zipf zipf(3, 1);  // 6, 3, 2 of 11
  CHECK(zipf.rank(0.001) == 0);
  CHECK(zipf.rank(5.9 / 11) == 0);
  CHECK(zipf.rank(6.1 / 11) == 1);
  CHECK(zipf.rank(9.1 / 11) == 2);
  CHECK(zipf.rank(0.9999999) == 2);
  CHECK(Zipf(1, 5).rank(0.5) == 0);
}

TEST_CASE("prompt keys: equal exactly as far as the contents are", "[synthetic]") {
  using Keys = std::vector<std::uint64_t>;
  const auto keys = [](std::vector<std::array<std::uint32_t, 3>> contents) {
    Keys result;
    PromptKeys prompt(16, result);
    for (const auto& [number, version, tokens] : contents)
      prompt.add(ContentKind::document, number, version, tokens);
    return result;
  };
  const Keys one = keys({{1, 0, 40}, {2, 0, 24}});  // blocks: 1, 1, 1|2, 2
  REQUIRE(one.size() == 4);
  CHECK(keys({{1, 0, 40}, {2, 0, 24}}) == one);
  CHECK(keys({{1, 0, 39}}) == Keys(one.begin(), one.begin() + 2));
  const Keys other = keys({{1, 0, 40}, {3, 0, 24}});
  CHECK(other[1] == one[1]);
  CHECK(other[2] != one[2]);
  CHECK(other[3] != one[3]);
  CHECK(keys({{2, 0, 40}})[0] != one[0]);
  CHECK(keys({{1, 1, 40}})[0] != one[0]);
  CHECK(keys({{0, 0, 0}, {1, 0, 40}})[0] == one[0]);  // nothing in front
  CHECK(std::set<std::uint64_t>(one.begin(), one.end()).size() == 4);
}

TEST_CASE("independent prompts share nothing", "[synthetic]") {
  const TraceFigures f = measure_trace(*make("independent", {}));
  CHECK(f.blocks->unique == f.blocks->references);
}

TEST_CASE("shared prefixes: what two prompts share is the prefix of their group", "[synthetic]") {
  const auto all = read(*make("shared_prefix", {{"requests", count(400)},
                                                {"groups", count(4)},
                                                {"popularity", 0.0},
                                                {"prefix_tokens", count(330)}}));
  std::map<std::uint64_t, std::uint32_t> groups;
  for (const TraceRequest& request : all) {
    REQUIRE(request.prompt_tokens > 330);
    ++groups[request.block_keys[0]];
  }
  REQUIRE(groups.size() == 4);
  for (const auto& [key, size] : groups)
    CHECK(std::abs(size - 100.0) < 5 * 8.7);  // binomial(400, 1/4)
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool alike = all[i].block_keys[0] == all[0].block_keys[0];
    CHECK(common(all[0], all[i]) == (alike ? 330u / 16 : 0u));
  }
}

TEST_CASE("conversations: each prompt continues the one before with its answer", "[synthetic]") {
  const auto all = read(*make("multi_turn", {{"requests", count(60)},
                                             {"rate", 1e-6},
                                             {"turns", 1000.0},
                                             {"system_tokens", count(100)},
                                             {"think_time", 10.0},
                                             {"token_time", 0.5}}));
  double pauses = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const TraceRequest &before = all[i - 1], &now = all[i];
    REQUIRE(now.prompt_tokens > before.prompt_tokens + before.output_tokens);
    REQUIRE(common(before, now) == before.block_keys.size());
    const double gap = static_cast<double>((now.arrival - before.arrival).value()) * 1e-9;
    REQUIRE(gap >= before.output_tokens * 0.5);
    pauses += gap - before.output_tokens * 0.5;
  }
  CHECK(pauses / 59 == Approx(10).margin(5 * 10 / std::sqrt(59.0)));
}

TEST_CASE("a conversation ends before its context limit, an agent sums up", "[synthetic]") {
  const auto chats = read(*make("multi_turn", {{"requests", count(300)},
                                               {"turns", 1000.0},
                                               {"user_max", count(500)},
                                               {"context_limit", count(3000)}}));
  std::uint32_t longest = 0;
  for (const TraceRequest& request : chats)
    longest = std::max(longest, request.prompt_tokens);
  CHECK(longest <= 3000);
  CHECK(longest > 2000);

  const auto steps = read(*make("agent_loop", {{"requests", count(300)},
                                               {"rate", 1e-6},
                                               {"steps", 1e6},
                                               {"tool_tokens", count(1600)},
                                               {"task_max", count(400)},
                                               {"result_max", count(400)},
                                               {"context_limit", count(8000)},
                                               {"summary_tokens", count(800)}}));
  std::size_t summaries = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    REQUIRE(steps[i].prompt_tokens <= 8000);
    if (steps[i].prompt_tokens > steps[i - 1].prompt_tokens) continue;
    ++summaries;
    CHECK(steps[i].prompt_tokens <= 1600 + 800 + 400);
    CHECK(common(steps[i - 1], steps[i]) == 100);  // what remains is instructions and tools
  }
  CHECK(summaries > 5);
}

TEST_CASE("retrieval: documents of one length, each once in a prompt", "[synthetic]") {
  const auto all = read(*make("rag", {{"requests", count(300)},
                                      {"documents", count(3)},
                                      {"retrieved", count(3)},
                                      {"system_tokens", count(160)},
                                      {"question_max", count(1)}}));
  // Three documents of fixed length in any order, and a question of one token.
  std::set<std::uint64_t> firsts;
  for (const TraceRequest& request : all) {
    CHECK(request.prompt_tokens == all[0].prompt_tokens);
    CHECK(common(all[0], request) >= 10);
    firsts.insert(request.block_keys[11]);
  }
  CHECK(firsts.size() == 3);
}

TEST_CASE("options that contradict each other are the user's error", "[synthetic]") {
  CHECK_THROWS_WITH(make("rag", {{"documents", count(3)}, {"retrieved", count(4)}}),
                    Catch::Contains("retrieved 4 exceeds documents 3"));
  CHECK_THROWS_WITH(make("multi_turn", {{"context_limit", count(8691)}}), Catch::Contains("8692"));
  CHECK_NOTHROW(make("multi_turn", {{"context_limit", count(8692)}}));
  CHECK_THROWS_AS(make("agent_loop", {{"context_limit", count(20'000)}}), UserError);
}
