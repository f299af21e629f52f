// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>

#include "sim/units/error.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct OpenVinoRule {
  std::uint32_t start = 32, recent = 128;
  std::string aggregation = "norm_sum";
  std::uint32_t prompt_window = 8, pooling = 7;
  std::uint32_t crush = 0;
  std::string anchor = "random";
  double attention_mass = 0.9;
  std::uint32_t score_window = 8;
};

std::unique_ptr<EvictionPolicy> openvino(const OpenVinoRule& rule, std::uint32_t budget = 0,
                                         std::uint32_t block_size = 0) {
  PolicyContext context;
  context.budget = budget;
  context.block_size = block_size;
  return make_policy("openvino",
                     {{"start", std::int64_t{rule.start}},
                      {"recent", std::int64_t{rule.recent}},
                      {"aggregation", rule.aggregation},
                      {"prompt_window", std::int64_t{rule.prompt_window}},
                      {"pooling", std::int64_t{rule.pooling}},
                      {"crush", std::int64_t{rule.crush}},
                      {"anchor", rule.anchor},
                      {"attention_mass", rule.attention_mass},
                      {"score_window", std::int64_t{rule.score_window}}},
                     context);
}

double largest_ahead(const std::vector<double>& values, std::size_t j, std::uint32_t pooling) {
  double most = 0;
  for (std::size_t k = j; k < std::min<std::size_t>(values.size(), j + pooling); ++k)
    most = std::max(most, values[k]);
  return most;
}

/// Attention of each observation's queries over all heads of the layer, the prompt's being one.
std::vector<std::vector<double>> observations(const Case& c, std::uint32_t layer,
                                              std::uint32_t first_query) {
  std::vector<std::vector<double>> result;
  const auto observe = [&](std::uint32_t first, std::uint32_t last) {
    result.emplace_back(c.length);
    for (std::uint32_t query = first; query < last; ++query)
      for (std::uint32_t q = 0; q < c.shape.query_heads; ++q) {
        const auto row = weights_of(*c.attention, layer, q, query);
        for (std::size_t j = 0; j < row.size(); ++j)
          result.back()[j] += row[j];
      }
    result.back().resize(last);
  };
  if (c.prompt > 0) observe(first_query, c.prompt);
  for (std::uint32_t query = c.prompt; query < c.length; ++query)
    observe(query, query + 1);
  return result;
}

std::vector<double> token_scores(const Case& c, std::uint32_t layer, const OpenVinoRule& rule) {
  const std::uint32_t window = rule.prompt_window == 0 ? c.prompt : rule.prompt_window;
  const std::uint32_t first = c.prompt - std::min(c.prompt, window);
  auto seen = observations(c, layer, first);
  std::vector<double> scores(c.length);
  if (rule.aggregation == "adaptive_r_kv") {
    seen.erase(seen.begin(),
               seen.end() - std::min<std::ptrdiff_t>(rule.score_window, std::ssize(seen)));
    std::vector<double> mean(c.length);
    for (const auto& one : seen)
      for (std::size_t j = 0; j < one.size(); ++j)
        mean[j] += one[j] / static_cast<double>(seen.size());
    for (std::size_t j = 0; j < mean.size(); ++j)
      scores[j] = largest_ahead(mean, j, rule.pooling);
    return scores;
  }
  for (const auto& one : seen)
    for (std::size_t j = 0; j < one.size(); ++j)
      scores[j] += largest_ahead(one, j, rule.pooling);
  return scores;
}

/// Of full blocks [begin, end), `gone` are to go: KVCrush takes some back. Anchors that draw
/// nothing only.
void plain_crush(const std::vector<double>& live_scores, const OpenVinoRule& rule, std::size_t b,
                 std::size_t begin, std::size_t end, std::vector<bool>& gone) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = begin * b; i < end * b; ++i)
    order.emplace_back(-live_scores[i], i);
  std::sort(order.begin(), order.end());
  std::vector<int> bit(end * b);
  for (std::size_t i = 0; i < order.size() / 2; ++i)
    bit[order[i].second] = 1;
  std::vector<std::pair<int, std::size_t>> by_distance;
  for (std::size_t block = begin; block < end; ++block) {
    int distance = 0;
    for (std::size_t slot = 0; slot < b; ++slot) {
      std::size_t ones = 0;
      for (std::size_t other = begin; other < end; ++other)
        ones += bit[other * b + slot] != 0;
      const int anchor = rule.anchor == "mean"    ? 2 * ones > end - begin
                         : rule.anchor == "ones"  ? 1
                         : rule.anchor == "zeros" ? 0
                                                  : slot % 2;
      distance += bit[block * b + slot] != anchor;
    }
    if (gone[block]) by_distance.emplace_back(distance, block);
  }
  std::sort(by_distance.begin(), by_distance.end());
  const std::size_t stay = std::min<std::size_t>(rule.crush, by_distance.size());
  for (std::size_t i = 0; i < stay; ++i)
    gone[by_distance[i * (by_distance.size() / stay)].second] = false;
}

/// Of full blocks [begin, end) of one layer, `area` stay: by attention, then by keys.
void plain_adaptive(const Case& c, std::uint32_t layer, const OpenVinoRule& rule,
                    const std::vector<double>& blocks, const Tokens& order, std::size_t area,
                    std::vector<bool>& gone) {
  const std::size_t b = c.block_size, begin = *std::min_element(order.begin(), order.end());
  const std::size_t first = begin * b, last = first + order.size() * b;
  double all = 0, held = 0;
  for (const std::uint32_t block : order)
    all += blocks[block];
  std::size_t stay = 0;
  for (; stay < area && held < rule.attention_mass * all; ++stay)
    held += blocks[order[stay]];
  for (std::size_t i = stay; i < order.size(); ++i)
    gone[order[i]] = true;

  std::vector<std::pair<double, std::uint32_t>> alike;
  for (std::size_t i = stay; i < order.size(); ++i)
    alike.emplace_back(0.0, order[i]);
  for (std::uint32_t head = 0; head < c.shape.kv_heads; ++head) {
    std::vector<std::vector<double>> unit;
    for (std::size_t i = first; i < last; ++i) {
      auto key = key_of(*c.attention, layer, head, c.live[i]);
      const double norm = std::sqrt(plain_dot(key, key) + 1.1920928955078125e-7);
      for (double& x : key)
        x /= norm;
      unit.push_back(key);
    }
    for (std::size_t i = 0; i < unit.size(); ++i) {
      std::vector<double> row(unit.size());
      double mean = 0;
      for (std::size_t j = 0; j < unit.size(); ++j) {
        row[j] = i == j ? 0 : plain_dot(unit[i], unit[j]);
        mean += row[j] / static_cast<double>(unit.size());
      }
      for (auto& [sum, block] : alike)
        if (block == begin + i / b)
          for (std::size_t j = 0; j < unit.size(); ++j)
            if (row[j] >= mean && gone[begin + j / b]) sum += row[j];
    }
  }
  std::sort(alike.begin(), alike.end());
  for (std::size_t i = 0; i < area - stay; ++i)
    gone[alike[i].second] = false;
}

/// Spec policies §3.23 for one layer. Blocks are full but for the newest, in position order.
Tokens plain_openvino(const Case& c, std::uint32_t layer, const OpenVinoRule& rule) {
  if (c.length <= c.prompt) return c.live;
  const auto sums = token_scores(c, layer, rule);
  const std::uint32_t window = rule.prompt_window == 0 ? c.prompt : rule.prompt_window;
  const std::uint32_t first = c.prompt - std::min(c.prompt, window);

  const std::size_t b = c.block_size, full = c.live.size() / b;
  std::vector<double> blocks(full), live_sums;
  for (std::size_t i = 0; i < full * b; ++i) {
    const std::uint32_t token = c.live[i];
    live_sums.push_back(sums[token]);
    double score = sums[token];
    if (rule.aggregation == "norm_sum") score /= c.length - std::max(token, first);
    blocks[i / b] += score;
  }
  const std::size_t begin = rule.start / b, end = full - rule.recent / b;
  const std::size_t area = (c.options.budget - rule.start - rule.recent) / b;
  Tokens order;
  for (std::size_t block = begin; block < end; ++block)
    order.push_back(static_cast<std::uint32_t>(block));
  // The lowest go; of equals the later one, as everywhere here.
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b2) { return blocks[a] > blocks[b2]; });
  std::vector<bool> gone(full + 1);
  if (rule.aggregation == "adaptive_r_kv") {
    plain_adaptive(c, layer, rule, blocks, order, area, gone);
  } else {
    for (std::size_t i = area; i < order.size(); ++i)
      gone[order[i]] = true;
    if (rule.crush > 0) plain_crush(live_sums, rule, b, begin, end, gone);
  }
  Tokens kept;
  for (std::size_t i = 0; i < c.live.size(); ++i)
    if (!gone[i / b]) kept.push_back(c.live[i]);
  return kept;
}

}  // namespace

namespace {

/// Holds the policy against the plain rule on made rounds, `draw_rule` saying with which options.
template <class DrawRule>
void check_openvino(std::uint32_t seed, DrawRule&& draw_rule) {
  const AttentionShape shape{2, 4, 2, 4};
  Random random(seed);
  std::uint32_t cut = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const std::uint32_t length = 60 + random.below(60);
    const FakeAttention attention(shape, length, i);
    Case c;
    c.shape = shape;
    c.scope = Scope::per_layer;
    c.block_size = 4;
    c.length = length;
    c.prompt = random.of({0u, 9u, 40u, length - 1, length});
    c.attention = &attention;
    OpenVinoRule rule{random.of({0u, 4u, 8u}), random.of({4u, 8u, 16u}),
                      random.of({std::string("norm_sum"), std::string("sum")}),
                      random.of({0u, 3u, 8u}), random.of({1u, 3u, 7u})};
    draw_rule(random, rule);
    c.options.budget = rule.start + rule.recent + 4 * (1 + random.below(6));
    // What earlier rounds leave: whole blocks gone, slots no longer positions.
    for (std::uint32_t block = 0; block < length / 4 + 1; ++block)
      for (std::uint32_t token = 4 * block; token < std::min(4 * block + 4, length); ++token)
        if (4 * block < rule.start || 4 * block + 20 >= length || (block * 7 + i) % 5 != 0)
          c.live.push_back(token);
    c.slots = c.live;
    INFO(i << ": " << c.live.size() << " of " << length << ", prompt " << c.prompt << ", budget "
           << c.options.budget << ", start " << rule.start << ", recent " << rule.recent
           << ", crush " << rule.crush << " " << rule.anchor << ", " << rule.aggregation);
    if (c.live.size() < c.options.budget + 4 * rule.crush + 4) continue;
    const auto sets = c.keep(*openvino(rule, c.options.budget, c.block_size));
    for (std::uint32_t layer = 0; layer < 2; ++layer) {
      CHECK(sets.at(layer) == plain_openvino(c, layer, rule));
      cut += sets[layer].size() < c.live.size();
    }
  }
  CHECK(cut > 40);
}

}  // namespace

TEST_CASE("openvino: a plain reading of the rule keeps the same blocks in each layer") {
  check_openvino(3, [](Random&, OpenVinoRule&) {});
}

TEST_CASE("openvino: KVCrush, a plain reading takes back the same blocks") {
  check_openvino(5, [](Random& random, OpenVinoRule& rule) {
    rule.crush = 1 + random.below(4);
    rule.anchor = random.of(
        {std::string("zeros"), std::string("ones"), std::string("mean"), std::string("alternate")});
  });
}

TEST_CASE("openvino: adaptive R-KV, a plain reading keeps the same blocks") {
  check_openvino(7, [](Random& random, OpenVinoRule& rule) {
    rule.aggregation = "adaptive_r_kv";
    rule.attention_mass = random.of({0.0, 0.2, 0.5, 0.9, 1.0});
    rule.score_window = random.of({1u, 4u, 8u, 200u});
  });
}

// Spec policies §3.23: with KVCrush the steady state is max + budget * B.
TEST_CASE("openvino: KVCrush holds so many blocks more, round after round") {
  constexpr std::uint32_t length = 400;
  const FakeAttention attention({1, 1, 1, 2}, length);
  const auto policy = openvino({8, 16, "norm_sum", 8, 7, 3, "random"}, 64, 4);
  CHECK(policy->capacity(64) == 64 + 3 * 4);
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer;
  c.block_size = 4;
  c.attention = &attention;
  c.options.budget = 64;
  for (c.length = 100; c.length <= length; c.length += 4) {
    const std::uint32_t grown = c.live.empty() ? 0 : c.length - 4;
    for (std::uint32_t token = grown; token < c.length; ++token)
      c.live.push_back(token);
    c.slots = c.live;
    ++c.round;
    c.live = c.keep(*policy).at(0);
    CHECK(c.live.size() == 64 + 3 * 4);
  }
}

TEST_CASE("openvino: KVCrush and adaptive R-KV exclude each other, as in the engine") {
  CHECK_THROWS_WITH(openvino({8, 16, "adaptive_r_kv", 8, 7, 2}),
                    Catch::Contains("eviction.openvino.crush is 2"));
}

TEST_CASE("openvino: the heads of a layer choose alike at any finer scope") {
  const AttentionShape shape{2, 4, 2, 4};
  Case c;
  c.shape = shape;
  c.length = 120;
  c.block_size = 4;
  c.options.budget = 60;
  for (const OpenVinoRule& rule :
       {OpenVinoRule{8, 16, "sum", 8, 7}, OpenVinoRule{8, 16, "norm_sum", 8, 7, 3},
        OpenVinoRule{8, 16, "adaptive_r_kv", 8, 7}}) {
    INFO(rule.aggregation);
    const auto policy = openvino(rule, 60, 4);
    c.scope = Scope::per_layer;
    const auto layers = c.keep(*policy);
    c.scope = Scope::per_layer_per_head;
    CHECK(c.keep(*policy) == std::vector<Tokens>{layers[0], layers[0], layers[1], layers[1]});
  }
}

TEST_CASE("openvino: KVCrush stays within budget and blocks where more tokens are protected") {
  Case c;
  c.shape = {1, 1, 1, 4};
  c.length = 160;
  c.block_size = 4;
  c.options.budget = 64;
  c.options.protect.recent = 64;
  const auto policy = openvino({8, 16, "sum", 8, 7, 3}, 64, 4);
  CHECK(c.keep(*policy).at(0).size() == 64 + 3 * 4);
  CHECK_THROWS_WITH(openvino({32, 32, "sum", 8, 7, 3}, 64, 4),
                    Catch::Contains("eviction.budget is 64 tokens"));
}

TEST_CASE("E-24: openvino refuses areas that are not whole blocks") {
  CHECK_NOTHROW(openvino({}, 672, 16));
  CHECK_NOTHROW(openvino({}, 672, 32));
  CHECK_THROWS_WITH(openvino({}, 680, 16),
                    Catch::Contains("eviction.budget is 680") && Catch::Contains("16"));
  CHECK_THROWS_WITH(openvino({40, 128}, 672, 16), Catch::Contains("eviction.openvino.start"));
  CHECK_THROWS_WITH(openvino({32, 100}, 672, 16), Catch::Contains("eviction.openvino.recent"));
}

// 1,600 tokens of prompt, areas of 32, 512 and 128: 100 blocks, of which 42 stay.
TEST_CASE("E-24: openvino cuts a long prompt at the first token of the output, all at once") {
  const FakeAttention attention({1, 1, 1, 2}, 1601);
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer;
  c.attention = &attention;
  c.options.budget = 672;
  c.prompt = c.length = 1600;
  const auto policy = openvino({});
  CHECK(c.keep(*policy).at(0).size() == 1600);
  c.length = 1601;
  const Tokens kept = c.keep(*policy).at(0);
  CHECK(kept.size() == 672 + 1);
  CHECK(kept[31] == 31);
  CHECK(kept[kept.size() - 129] == 1600 - 128);
  // The trigger: a length above max + B - 1.
  EvictorOptions options = c.options;
  options.trigger = TriggerKind::slack;
  options.interval = 16;
  const Evictor evictor(*policy, options, CacheLayout(1, 1, TableKind::per_layer, Scope::per_layer),
                        16);
  CHECK_FALSE(evictor.length_due({686, 687, 0, 687, false}));
  CHECK(evictor.length_due({687, 688, 0, 688, false}));
}
