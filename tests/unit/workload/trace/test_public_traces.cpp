// SPDX-License-Identifier: Apache-2.0
// The checks of spec formats §4 and §8 on the public files.
#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/workload/trace/trace.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;

namespace {

std::vector<TraceRequest> read_all(const std::filesystem::path& path, TraceOptions options = {},
                                   const std::string& format = "") {
  const auto reader = open_trace(path, options);
  if (!format.empty()) CHECK(reader->info().format == format);
  std::vector<TraceRequest> all;
  TraceRequest request;
  while (reader->next(request))
    all.push_back(request);
  return all;
}

struct Lengths {
  std::vector<std::uint32_t> sorted;
  std::uint64_t sum = 0;

  double mean() const { return static_cast<double>(sum) / static_cast<double>(sorted.size()); }
  /// The smallest value that at least p percent do not exceed, as the spec's tables have it.
  std::uint32_t percentile(std::size_t p) const {
    return sorted[(p * sorted.size() + 99) / 100 - 1];
  }
};

template <class Member>
Lengths lengths(const std::vector<TraceRequest>& requests, Member member) {
  Lengths result;
  for (const TraceRequest& request : requests) {
    result.sorted.push_back(request.*member);
    result.sum += request.*member;
  }
  std::sort(result.sorted.begin(), result.sorted.end());
  return result;
}

struct Sharing {
  std::uint64_t references = 0, unique = 0, once = 0, most = 0, hits = 0, hits_after_miss = 0,
                requests_with_hit = 0;
};

/// An unbounded cache in file order.
Sharing sharing(const std::vector<TraceRequest>& requests) {
  std::unordered_map<std::uint64_t, std::uint64_t> count;
  Sharing s;
  for (const TraceRequest& request : requests) {
    bool missed = false, hit = false;
    for (const std::uint64_t key : request.block_keys) {
      const bool known = count.contains(key);
      s.hits += known;
      s.hits_after_miss += known && missed;
      missed = missed || !known;
      hit = hit || known;
    }
    for (const std::uint64_t key : request.block_keys)
      ++count[key];
    s.references += request.block_keys.size();
    s.requests_with_hit += hit;
  }
  s.unique = count.size();
  for (const auto& [key, n] : count) {
    s.once += n == 1;
    s.most = std::max(s.most, n);
  }
  return s;
}

/// published §8: leading blocks present at arrival, then all touched last to first, LRU.
double lru_ratio(const std::vector<TraceRequest>& requests, std::size_t capacity) {
  std::list<std::uint64_t> order;  // most recent first
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> place;
  std::uint64_t matched = 0, all = 0;
  for (const TraceRequest& request : requests) {
    for (const std::uint64_t key : request.block_keys) {
      if (!place.contains(key)) break;
      ++matched;
    }
    all += request.block_keys.size();
    for (auto key = request.block_keys.rbegin(); key != request.block_keys.rend(); ++key) {
      if (const auto found = place.find(*key); found != place.end()) {
        order.splice(order.begin(), order, found->second);
        continue;
      }
      if (place.size() == capacity) {
        place.erase(order.back());
        order.pop_back();
      }
      order.push_front(*key);
      place[*key] = order.begin();
    }
  }
  return static_cast<double>(matched) / static_cast<double>(all);
}

}  // namespace

TEST_CASE("Mooncake: every figure of the public file", "[trace][published]") {
  const auto path = test::shared_file("data/mooncake/conversation_trace.jsonl");
  if (!path) return;
  const auto all = read_all(*path, {}, "mooncake");
  REQUIRE(all.size() == 12'031);

  const Lengths in = lengths(all, &TraceRequest::prompt_tokens);
  CHECK(in.sum == 144'793'823);
  CHECK(in.mean() == Approx(12'035.1).margin(0.05));
  CHECK(in.percentile(50) == 6'909);
  CHECK(in.percentile(90) == 27'367);
  CHECK(in.percentile(99) == 85'401);
  CHECK(in.sorted.back() == 126'195);
  CHECK(in.sorted.front() == 891);

  const Lengths out = lengths(all, &TraceRequest::output_tokens);
  CHECK(out.sum == 4'122'048);
  CHECK(out.mean() == Approx(342.6).margin(0.05));
  CHECK(out.percentile(50) == 350);
  CHECK(out.percentile(99) == 1'120);
  CHECK(out.sorted.back() == 2'000);
  CHECK(out.sorted.front() == 1);

  const Sharing s = sharing(all);
  CHECK(s.references == 288'500);
  CHECK(s.unique == 182'790);
  CHECK(s.once == 138'646);
  CHECK(s.most == 12'031);
  CHECK(s.hits_after_miss == 0);
  std::set<std::int64_t> times;
  for (const TraceRequest& request : all) {
    CHECK(request.block_keys.front() == 0);
    times.insert(request.arrival.value());
  }
  CHECK(times.size() == 1'180);
  CHECK(*times.begin() == 0);
  CHECK(*times.rbegin() == 3'536'999'000'000);

  CHECK(all[1].prompt_tokens == 7'322);
  CHECK(all[1].output_tokens == 490);
  CHECK(all[1].block_keys.size() == 15);
  CHECK(all[1].block_keys[1] == 14);
  CHECK(all[1].block_keys.back() == 27);
}

TEST_CASE("Claude Code: every figure of the public conversations", "[trace][published]") {
  const auto path = test::shared_file("data/claude-code-sessions/sessions-000-059.jsonl.gz");
  if (!path) return;
  const auto all = read_all(*path, {}, "claude_code");
  REQUIRE(all.size() == 4'204);
  CHECK(lengths(all, &TraceRequest::prompt_tokens).sum == 482'165'216);
  CHECK(lengths(all, &TraceRequest::output_tokens).sum == 1'698'524);
  const Sharing s = sharing(all);
  CHECK(s.references == 7'531'761);
  CHECK(s.unique == 374'840);
  CHECK(s.hits_after_miss == 0);
  for (const TraceRequest& request : all)
    REQUIRE(request.block_keys.size() == request.prompt_tokens / 64);
}

TEST_CASE("P-1: LRU over the Claude Code conversations, rules A and B",
          "[trace][published][slow]") {
  const auto path = test::shared_file("data/claude-code-sessions/sessions-000-059.jsonl.gz");
  if (!path) return;
  TraceOptions options;
  const auto as_written = read_all(*path, options);
  options.nested_time = NestedTime::absolute;
  const auto absolute = read_all(*path, options);
  CHECK(lru_ratio(as_written, 10'000) == Approx(0.600105).margin(5e-7));
  CHECK(lru_ratio(as_written, 100'000) == Approx(0.944181).margin(5e-7));
  CHECK(lru_ratio(absolute, 10'000) == Approx(0.605993).margin(5e-7));
  CHECK(lru_ratio(absolute, 100'000) == Approx(0.945404).margin(5e-7));
  CHECK(lru_ratio(absolute, 1'000'000) == Approx(0.950232).margin(5e-7));
}

TEST_CASE("Azure: every figure of the public file, times to 0.1 microseconds",
          "[trace][published]") {
  const auto path = test::shared_file("data/azure/AzureLLMInferenceTrace_code.csv");
  if (!path) return;
  const auto all = read_all(*path, {}, "azure");
  REQUIRE(all.size() == 8'819);
  const Lengths in = lengths(all, &TraceRequest::prompt_tokens);
  CHECK(in.sum == 18'059'974);
  CHECK(in.mean() == Approx(2'047.8).margin(0.05));
  CHECK(in.percentile(50) == 1'469);
  CHECK(in.percentile(99) == 7'436);
  const Lengths out = lengths(all, &TraceRequest::output_tokens);
  CHECK(out.sum == 245'896);
  CHECK(out.mean() == Approx(27.9).margin(0.05));
  CHECK(out.percentile(50) == 13);
  CHECK(out.percentile(99) == 252);
  CHECK(all[0].arrival == SimTime(0));
  CHECK(all[1].arrival == SimTime(52'000'000));             // 18:17:04.0319600 - 18:17:03.9799600
  CHECK(all[2].arrival == SimTime(98'189'000));             // 18:17:04.0781490
  CHECK(all.back().arrival == SimTime(3'435'948'056'000));  // 19:14:19.9280160
}

TEST_CASE("LLMServingSim: every figure of the public workload", "[trace][published]") {
  const auto path = test::shared_file("data/vllm-runs/sharegpt-llama-3.1-8b-300-sps10.jsonl");
  if (!path) return;
  TraceOptions options;
  options.block_size = 16;
  const auto all = read_all(*path, options, "llmservingsim");
  REQUIRE(all.size() == 300);
  const Lengths in = lengths(all, &TraceRequest::prompt_tokens);
  CHECK(in.sum == 257'239);
  CHECK(in.sorted.front() == 262);
  CHECK(in.sorted.back() == 3'998);
  const Lengths out = lengths(all, &TraceRequest::output_tokens);
  CHECK(out.sum == 195'753);
  CHECK(out.sorted.back() == 1'021);
  CHECK(all[0].arrival == SimTime(46'926'808));
  CHECK(all.back().arrival == SimTime(29'183'763'203));
  for (const TraceRequest& request : all) {
    REQUIRE(request.prompt_ids.size() == request.prompt_tokens);
    REQUIRE(request.output_ids.size() == request.output_tokens);
  }
  const Sharing s = sharing(all);
  CHECK(s.references == 15'942);
  CHECK(s.hits == 1'220);
  CHECK(s.requests_with_hit == 32);
}
