// SPDX-License-Identifier: Apache-2.0
// How fast rounds and slot occupancy are, each beside a plain reference in the same run:
//   1  whole rounds (decode beta tokens, decide, evict, slide) at K 2,048, beta 128 with 36 x 8
//   head
//      sets on one table, random selection, on one and on two threads; the reference draws from
//      std::mt19937, selects with std::nth_element over doubles and keeps vectors of bool;
//   2  TriAttention's scores of one such round, fused form against the definition of the paper;
//   3  one-shot evictions of 87.5 % of 10^4 to 10^8 tokens with the exponent of the fitted power
//   law,
//      and the occupancy update alone against a vector of bool.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "sim/attention/calibration.hpp"
#include "sim/eviction/registry.hpp"
#include "sim/eviction/triattention_score.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/simulation/simulation.hpp"
#include "tests/bench/stopwatch.hpp"
#include "tests/support/made_calibration.hpp"

using namespace vacancy;
using vacancy::bench::median_seconds;
using vacancy::bench::seconds_of;

namespace {

constexpr std::uint32_t kept = 2048, interval = 128, layers = 36, heads = 8, block = 16,
                        head_dim = 128;

struct Silent final : Observer {
  void on_event(const Event&) override {}
};

ParameterValues defaults(const EntryInfo& info) {
  ParameterValues values;
  for (const Parameter& parameter : info.parameters)
    values[parameter.name] = parameter.default_value;
  return values;
}

SimulationConfig random_rounds(std::uint32_t rounds, std::uint64_t seed) {
  SimulationConfig config;
  config.seed = seed;
  config.cache = {block, std::nullopt,
                  CacheLayout(layers, heads, TableKind::shared, Scope::per_layer_per_head),
                  Bytes(block * 147456)};
  config.sequences = {{0, kept + rounds * interval}};
  config.eviction.budget = kept;
  config.eviction.interval = interval;
  PolicyContext context;
  context.seed = seed;
  context.layers = layers;
  context.kv_heads = heads;
  const PolicyEntry* policy = find_policy("random");
  config.policy = policy->make(defaults(policy->info), context);
  config.reclaimer = make_reclaimer(*find_reclaimer("slide"), {});
  return config;
}

void run_rounds(std::uint32_t rounds, std::uint64_t seed) {
  Simulation simulation(random_rounds(rounds, seed), {});
  while (simulation.step() == RunStatus::running) {
  }
  if (simulation.cache().pool().held() != kept / block) std::abort();
}

/// The same rounds with the plainest tools: per set a vector of tokens and one of bool.
void run_plain_rounds(std::uint32_t rounds) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::vector<std::uint32_t>> tokens(layers * heads);
  std::uint32_t next = 0;
  for (auto& set : tokens)
    for (std::uint32_t i = 0; i < kept; ++i)
      set.push_back(i);
  next = kept;
  std::vector<double> scores, sorted;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (auto& set : tokens) {
      for (std::uint32_t i = 0; i < interval; ++i)
        set.push_back(next + i);
      scores.resize(set.size());
      for (double& score : scores)
        score = uniform(engine);
      sorted = scores;
      std::nth_element(sorted.begin(), sorted.begin() + kept - 1, sorted.end(), std::greater<>());
      const double threshold = sorted[kept - 1];
      std::vector<bool> live(set.size());
      for (std::size_t i = 0; i < set.size(); ++i)
        live[i] = scores[i] >= threshold;
      std::size_t out = 0;
      for (std::size_t i = 0; i < set.size(); ++i)
        if (live[i]) set[out++] = set[i];
      set.resize(out);
    }
    next += interval;
  }
  if (tokens[0].size() != kept) std::abort();
}

void bench_rounds() {
  constexpr std::uint32_t rounds = 60;
  const double one = median_seconds(3, [&] { run_rounds(rounds, 1); });
  const double two = median_seconds(3, [&] {
    std::thread other([&] { run_rounds(rounds, 2); });
    run_rounds(rounds, 1);
    other.join();
  });
  const double plain = median_seconds(1, [&] { run_plain_rounds(rounds / 6); }) * 6;
  std::printf("Random rounds, K %u, beta %u, %u x %u head sets on one table, slide\n", kept,
              interval, layers, heads);
  std::printf("  %-34s %10.1f rounds/s\n", "one thread", rounds / one);
  std::printf("  %-34s %10.1f rounds/s\n", "two threads, a run each", 2 * rounds / two);
  std::printf("  %-34s %10.1f rounds/s   ratio %.2f\n", "plain reference, one thread",
              rounds / plain, plain / one);
}

/// Post-RoPE keys without a model behind them: token t has row t mod 4,096 of one table.
class RepeatedKeys final : public AttentionSource {
 public:
  AttentionShape shape() const override { return {layers, 4 * heads, heads, head_dim}; }
  AttentionFeatures features() const override { return {.keys = true, .half_rotary = true}; }
  std::uint32_t max_length() const override { return 1u << 30; }
  std::unique_ptr<SequenceAttention> open(SequenceId) const override {
    return std::make_unique<Sequence>(shape());
  }

 private:
  static constexpr std::uint32_t rows = 4096;

  class Sequence final : public SequenceAttention {
   public:
    explicit Sequence(const AttentionShape& shape) : shape_(shape), table_(rows * head_dim) {
      std::mt19937 engine(5);
      for (float& value : table_)
        value = static_cast<float>(engine()) * 0x1p-31f - 1.0f;
    }
    const AttentionShape& shape() const override { return shape_; }
    void advance(std::uint32_t length) override { length_ = length; }
    std::uint32_t length() const override { return length_; }
    void weights(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float>) const override {
      std::abort();
    }
    void keys(std::uint32_t, std::uint32_t, std::uint32_t first,
              std::span<float> out) const override {
      for (std::size_t i = 0; i < out.size(); i += head_dim)
        std::copy_n(&table_[(first + i / head_dim) % rows * head_dim], head_dim, &out[i]);
    }

   private:
    AttentionShape shape_;
    std::vector<float> table_;
    std::uint32_t length_ = 0;
  };
};

void bench_triattention() {
  constexpr std::uint32_t rounds = 2;
  const test::TemporaryFile file("bench.tria",
                                 test::made_calibration(layers, 4 * heads, heads, head_dim));
  SimulationConfig config = random_rounds(rounds, 1);
  config.attention = std::make_shared<RepeatedKeys>();
  config.quality_queries = 0;
  PolicyContext context;
  context.layers = layers;
  context.query_heads = 4 * heads;
  context.kv_heads = heads;
  context.head_dim = head_dim;
  context.rope_theta = 1e6;
  context.resolve_path = [](const std::string& path) { return path; };
  const PolicyEntry* entry = find_policy("triattention");
  ParameterValues values = defaults(entry->info);
  values["calibration"] = file.path().string();
  config.policy = entry->make(values, context);
  const double fused = seconds_of([&] {
    Simulation simulation(config, {});
    while (simulation.step() == RunStatus::running) {
    }
  });

  // The definition, on a sample of the keys and query heads that a round scores.
  constexpr std::uint32_t sample = 2000;
  const auto frequencies = rotary_frequencies(1e6, head_dim);
  const Calibration calibration = read_calibration(file.path());
  const auto keys = config.attention->open(SequenceId(0));
  std::vector<float> key(head_dim);
  double sum = 0;
  const double explicit_form = seconds_of([&] {
    for (std::uint32_t i = 0; i < sample; ++i) {
      keys->keys(0, 0, i, key);
      sum += triattention_score_explicit(calibration.head(i % layers, i % (4 * heads)), frequencies,
                                         {}, 2176, i, key);
    }
  });
  if (!(std::abs(sum) < 1e9)) std::abort();
  const double scores_a_round = double(kept + interval) * layers * 4 * heads;
  const double round = fused / rounds, plain = explicit_form / sample * scores_a_round;
  std::printf("\nTriAttention rounds, the same sizes, 4 query heads a KV head, d %u\n", head_dim);
  std::printf("  %-34s %10.2f rounds/s   %.2f ns a score\n", "whole rounds, fused form", 1 / round,
              round / scores_a_round * 1e9);
  std::printf("  %-34s %10.4f rounds/s   ratio %.0f\n", "the definition, scores alone", 1 / plain,
              plain / round);
}

/// Survivors: every eighth token, shuffled inside its octet so that blocks do not empty in step.
KeepSets one_of_eight(std::uint32_t tokens) {
  KeepSets keep;
  keep.reset(1);
  auto mask = keep.begin(0, tokens);
  std::mt19937 engine(3);
  for (std::uint32_t i = 0; i + 8 <= tokens; i += 8)
    bits::set(mask, i + engine() % 8);
  return keep;
}

double occupancy_seconds(std::uint32_t tokens, const KeepSets& keep) {
  Silent silent;
  double best = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) {
    KvCache cache({block, std::nullopt, {1, 1, TableKind::shared, Scope::model}, Bytes(block)},
                  silent);
    cache.start(SequenceId(0), 0);
    if (!cache.append(SequenceId(0), tokens)) std::abort();
    best = std::min(best, seconds_of([&] { cache.evict(SequenceId(0), keep); }));
  }
  return best;
}

double plain_occupancy_seconds(std::uint32_t tokens, const KeepSets& keep) {
  double best = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<bool> live(tokens, true);
    const auto mask = keep.mask(0);
    std::uint32_t empty = 0;
    best = std::min(best, seconds_of([&] {
                      for (std::uint32_t i = 0; i < tokens; ++i)
                        if (!bits::test(mask, i)) live[i] = false;
                      for (std::uint32_t b = 0; b < tokens / block; ++b) {
                        bool any = false;
                        for (std::uint32_t i = 0; i < block; ++i)
                          any |= live[b * block + i];
                        empty += !any;
                      }
                    }));
    if (empty > tokens) std::abort();
  }
  return best;
}

double one_shot_seconds(std::uint32_t tokens) {
  SimulationConfig config = random_rounds(1, 1);
  config.cache.layout = {1, 1, TableKind::shared, Scope::model};
  config.sequences = {{tokens, 0}};
  config.eviction.budget = tokens / 8;
  config.eviction.trigger = TriggerKind::once;
  config.reclaimer = make_reclaimer(*find_reclaimer("none"), {});
  return seconds_of([&] {
    Simulation simulation(std::move(config), {});
    while (simulation.step() == RunStatus::running) {
    }
  });
}

void bench_scaling(double largest) {
  std::printf("\nOne-shot eviction of 87.5 %% of the tokens, block %u\n", block);
  std::printf("  %12s %14s %12s | %16s %16s %8s\n", "tokens", "whole run, s", "ns/token",
              "occupancy, ns", "vector<bool>, ns", "ratio");
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
  for (double size = 1e4; size <= largest; size *= 10) {
    const auto tokens = static_cast<std::uint32_t>(size);
    const KeepSets keep = one_of_eight(tokens);
    double seconds = one_shot_seconds(tokens);
    for (int i = 0; i < (tokens < 10'000'000 ? 4 : 0); ++i)
      seconds = std::min(seconds, one_shot_seconds(tokens));
    const double ours = occupancy_seconds(tokens, keep);
    const double plain = plain_occupancy_seconds(tokens, keep);
    std::printf("  %12u %14.5f %12.2f | %16.2f %16.2f %8.2f\n", tokens, seconds,
                seconds / size * 1e9, ours / size * 1e9, plain / size * 1e9, plain / ours);
    const double x = std::log(size), y = std::log(seconds);
    sx += x, sy += y, sxx += x * x, sxy += x * y, ++n;
  }
  std::printf("  cost ~ tokens^%.3f\n", (n * sxy - sx * sy) / (n * sxx - sx * sx));
}

}  // namespace

int main(int argc, char** argv) {
  bench_rounds();
  bench_triattention();
  bench_scaling(argc > 1 ? std::atof(argv[1]) : 1e8);
}
