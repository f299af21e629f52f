// SPDX-License-Identifier: Apache-2.0
// Why paging at all: the figures of Kwon et al., "Efficient Memory Management for Large Language
// Model Serving with PagedAttention", SOSP 2023, as published §6 lists them (V-1 to V-7).
//
// What the rows need and what there is. The paper's ShareGPT sample and its Alpaca lengths are not
// available. The ShareGPT-derived workload at hand has longer prompts (704 tokens where the paper's
// have 161), so it serves as it is for order and for paged / Oracle only; everything else uses
// lengths drawn from geometric distributions with the mean input and output that the paper prints.
// Not held: Alpaca's batches (V-2), measured with memory to spare, which need arrivals and step
// times of the machine; V-8 and V-9, which need the paper's prompts and kernels.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <variant>

#include "sim/pool/kv_cache.hpp"
#include "sim/serving/contiguous/contiguous_manager.hpp"
#include "sim/serving/vllm/beam_group.hpp"
#include "sim/simulation/serving_simulation.hpp"
#include "sim/units/philox.hpp"
#include "sim/workload/beam_parents.hpp"
#include "sim/workload/lengths.hpp"
#include "tests/support/length_trace.hpp"
#include "tests/support/parameter_values.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;
using vacancy::test::Lengths;
using vacancy::test::LengthTrace;

namespace {

constexpr std::uint32_t pool_slots = 15'700;  // OPT-13B, 12 GB of an A100 40 GB
constexpr std::uint32_t longest = 2048;       // of OPT

struct Silent final : Observer {
  void on_event(const Event&) override {}
};

/// Lengths with the paper's means. The output of a model that ends after each token with the same
/// chance is geometric.
std::vector<Lengths> drawn_lengths(double prompt, double output, std::uint32_t requests) {
  const LengthDistributionEntry& entry = *find_length_distribution("geometric");
  const auto geometric = [&](double mean) {
    return entry.make(test::values_of(entry.info, {{"mean", mean}, {"min", std::int64_t{1}}}));
  };
  const auto prompts = geometric(prompt), outputs = geometric(output);
  std::vector<Lengths> lengths;
  for (std::uint32_t i = 0; lengths.size() < requests; ++i) {
    const Lengths drawn{prompts->draw(1, i, LengthPurpose::prompt),
                        outputs->draw(1, i, LengthPurpose::output)};
    if (drawn.prompt + drawn.output <= longest) lengths.push_back(drawn);
  }
  return lengths;
}

std::vector<Lengths> sharegpt_lengths() {
  return drawn_lengths(161.31, 337.99, 1000);
}
std::vector<Lengths> alpaca_lengths() {
  return drawn_lengths(19.31, 58.45, 1000);
}

/// The ShareGPT-derived workload's requests that OPT could serve, four times over.
std::vector<Lengths> workload_lengths(const std::filesystem::path& file) {
  std::vector<Lengths> lengths;
  const auto trace = open_trace(file, {});
  for (TraceRequest request; trace->next(request);)
    if (request.prompt_tokens + request.output_tokens <= longest)
      lengths.push_back({request.prompt_tokens, request.output_tokens});
  const std::vector<Lengths> once = lengths;
  for (int i = 0; i < 3; ++i)
    lengths.insert(lengths.end(), once.begin(), once.end());
  return lengths;
}

/// Means over the steps that ran while requests waited: the loaded state.
class Loaded final : public Observer {
 public:
  explicit Loaded(const ServingSimulation& simulation) : cache_(simulation.cache()) {
    const EngineProfile& engine = simulation.config().engine;
    const std::uint32_t block_size =
        engine.contiguous ? engine.contiguous->block_size : engine.hash_chain->block_size;
    slots_ = (std::uint64_t{cache_.used_blocks()} + cache_.free_blocks()) * block_size;
  }

  void on_event(const Event& event) override {
    if (const auto* step = std::get_if<StepComposed>(&event)) {
      waiting_ = step->waiting;
      now_running_ = step->running;
    } else if (std::holds_alternative<ClockAdvanced>(event) && waiting_ > 0) {
      ++steps_;
      running_ += now_running_;
      const SlotCounts slots = cache_.gauges().slots;
      live_ += slots.live;
      tail_ += slots.tail;
      if (const auto* contiguous = dynamic_cast<const ContiguousManager*>(&cache_)) {
        const ContiguousUse use = contiguous->use();
        reserved_ += use.reserved;
        internal_ += use.internal;
        // Somebody waits, so what is free is too small or scattered.
        external_ += use.rounding + use.free;
      }
    }
  }

  double batch() const { return ratio(running_, steps_); }
  double tail_per_request() const { return ratio(tail_, running_); }
  // Shares of the KV memory, in percent.
  double live() const { return percent(live_); }
  double reserved() const { return percent(reserved_); }
  double internal() const { return percent(internal_); }
  double external() const { return percent(external_); }

 private:
  static double ratio(std::uint64_t sum, std::uint64_t count) {
    return static_cast<double>(sum) / static_cast<double>(count);
  }
  double percent(std::uint64_t slots) const { return 100 * ratio(slots, steps_ * slots_); }

  const CacheManager& cache_;
  std::uint64_t slots_ = 0;  // of the pool
  std::uint32_t waiting_ = 0, now_running_ = 0;
  // Sums over the steps.
  std::uint64_t steps_ = 0, running_ = 0, live_ = 0, tail_ = 0;
  std::uint64_t reserved_ = 0, internal_ = 0, external_ = 0;
};

struct LoadedState {
  double batch, live, reserved, internal, external, tail_per_request;
};

/// All requests wait from the start and only memory limits how many run. The step model is the
/// plainest: every step takes the same time. What a mean over the loaded state shows depends on how
/// many tokens each request still has to go, not on how long a step is.
LoadedState loaded_state(const std::string& profile, const std::vector<Lengths>& lengths,
                         std::uint32_t block_size = 16) {
  ServingConfig config;
  config.engine = *find_engine_profile(profile);
  if (config.engine.contiguous) {
    block_size = 1;
    config.engine.contiguous->block_size = 1;
    config.engine.contiguous->blocks = pool_slots;
    config.engine.max_sequence_tokens = longest;
  } else {
    config.engine.hash_chain->block_size = block_size;
    config.engine.hash_chain->blocks = pool_slots / block_size;
    config.engine.hash_chain->prefix_caching = false;
  }
  config.scheduler.max_num_batched_tokens = 1'000'000;
  config.scheduler.max_num_seqs = 10'000;
  config.arrivals = ArrivalRule::closed_loop;
  ServingSimulation simulation(
      config, std::make_unique<RequestSource>(std::make_unique<LengthTrace>(lengths), block_size));
  Loaded loaded(simulation);
  simulation.add_observer(loaded);
  while (simulation.step() == RunStatus::running) {
  }
  CHECK(simulation.status() == RunStatus::completed);
  const LoadedState state{loaded.batch(),    loaded.live(),     loaded.reserved(),
                          loaded.internal(), loaded.external(), loaded.tail_per_request()};
  UNSCOPED_INFO(profile << ", blocks of " << block_size << ": batch " << state.batch << ", live "
                        << state.live << " %, reserved " << state.reserved << " %, internal "
                        << state.internal << " %, external " << state.external << " %, tail "
                        << state.tail_per_request);
  return state;
}

/// Within a quarter of what the paper prints.
Approx about(double printed) {
  return Approx(printed).epsilon(0.25);
}

}  // namespace

TEST_CASE("V-1: seven sequences of 2,048 tokens stand in 15,700 slots") {
  static_assert(pool_slots / longest == 7);
  const LoadedState max = loaded_state("orca-max", sharegpt_lengths());
  CHECK(max.batch == 7);
  CHECK(max.external == Approx(8.9).margin(0.3));  // what seven runs leave of the pool
}

TEST_CASE("V-2: mean batch and memory shares of Max, Pow2, Oracle and paging, ShareGPT's means") {
  const auto lengths = sharegpt_lengths();
  const LoadedState max = loaded_state("orca-max", lengths);
  const LoadedState pow2 = loaded_state("orca-pow2", lengths);
  const LoadedState oracle = loaded_state("orca-oracle", lengths);
  const LoadedState paged = loaded_state("vllm-main-2026-08", lengths);

  CHECK(max.batch < pow2.batch);
  CHECK(pow2.batch < oracle.batch);
  CHECK(oracle.batch < paged.batch);
  CHECK(max.batch == about(7.00));
  CHECK(pow2.batch == about(9.81));
  CHECK(oracle.batch == about(13.62));
  CHECK(paged.batch == about(30.42));
  CHECK(pow2.batch / max.batch == about(9.81 / 7.00));
  CHECK(oracle.batch / pow2.batch == about(13.62 / 9.81));
  CHECK(paged.batch / oracle.batch == about(30.42 / 13.62));

  // The shares of the bars: within a quarter, or 3 points where they are small.
  const auto share = [](double printed) { return Approx(printed).epsilon(0.25).margin(3); };
  CHECK(max.live == share(20.4));
  CHECK(max.reserved == share(13.3));
  CHECK(max.internal == share(57.3));
  CHECK(max.external == share(8.9));
  CHECK(pow2.live == share(26.8));
  CHECK(pow2.reserved == share(17.9));
  CHECK(pow2.internal == share(13.6));
  CHECK(pow2.external == share(41.6));
  CHECK(oracle.live == share(38.2));
  CHECK(oracle.reserved == share(25.2));
  CHECK(oracle.internal == 0);
  CHECK(oracle.external == share(36.6));
  for (const LoadedState& state : {max, pow2, oracle})
    CHECK(state.live + state.reserved + state.internal + state.external == Approx(100));
  // V-3. Everything that is not a token: ends of tables, and blocks too few for who waits.
  CHECK(100 - paged.live <= 4);
}

TEST_CASE("V-2, V-3: the ShareGPT-derived workload: order, paged / Oracle, paged waste") {
  const auto file = test::shared_file("data/vllm-runs/sharegpt-llama-3.1-8b-300-sps10.jsonl");
  if (!file) return;
  const auto lengths = workload_lengths(*file);
  CHECK(lengths.size() == 4 * 260);
  const LoadedState max = loaded_state("orca-max", lengths);
  const LoadedState pow2 = loaded_state("orca-pow2", lengths);
  const LoadedState oracle = loaded_state("orca-oracle", lengths);
  const LoadedState paged = loaded_state("vllm-main-2026-08", lengths);
  // Prompts and outputs together have 1,349 tokens here, so nearly every rounded output needs as
  // long a run as the maximum: Pow2 gains nothing, and Oracle little.
  CHECK(max.batch == 7);
  CHECK(pow2.batch == 7);
  CHECK(oracle.batch > pow2.batch);
  CHECK(paged.batch / oracle.batch == about(30.42 / 13.62));
  CHECK(100 - paged.live <= 4);
}

TEST_CASE("V-3: at the loaded state paging wastes the ends of tables, half a block each") {
  for (const auto& lengths : {sharegpt_lengths(), alpaca_lengths()}) {
    const LoadedState paged = loaded_state("vllm-main-2026-08", lengths);
    CHECK(paged.tail_per_request == Approx(7.5).epsilon(0.05));
  }
}

// V-7's optimum is one of kernels on the side of small blocks; on the side of large ones it is one
// of memory.
TEST_CASE("V-7: the larger the block, the more is wasted; short sequences feel it sooner") {
  const auto sharegpt = sharegpt_lengths(), alpaca = alpaca_lengths();
  double batch_before = 1e9;
  for (const std::uint32_t block : {1u, 8u, 16u, 32u, 64u, 128u, 256u}) {
    const LoadedState state = loaded_state("vllm-main-2026-08", sharegpt, block);
    CHECK(state.batch < batch_before);
    CHECK(state.tail_per_request == Approx((block - 1) / 2.0).epsilon(0.07));
    batch_before = state.batch;
  }
  const auto kept = [&](const std::vector<Lengths>& lengths, std::uint32_t block) {
    return loaded_state("vllm-main-2026-08", lengths, block).batch /
           loaded_state("vllm-main-2026-08", lengths, 16).batch;
  };
  // ShareGPT is served well up to 128, Alpaca up to 32.
  CHECK(kept(sharegpt, 128) > 0.85);
  CHECK(kept(alpaca, 32) > 0.85);
  CHECK(kept(alpaca, 128) < 0.6);
}

namespace {

/// n outputs of one prompt: blocks held, and blocks that n requests apart would hold.
class Samples {
 public:
  Samples(std::uint32_t prompt, std::uint32_t n, std::uint32_t block_size)
      : n_(n), length_(prompt), cache_(config(block_size), silent_) {
    const SequenceId id(0);
    cache_.start(id, prompt);
    if (!cache_.append(id, prompt)) FAIL("an unlimited pool has room");
    group_.emplace(cache_, id, n, prompt);
  }

  void step() {
    group_->grow(cache_, length_, length_ + 1);
    ++length_;
  }
  /// Of the next n candidates, the i-th continues candidate parents[i].
  void select(const std::vector<std::uint32_t>& parents) {
    group_->select(cache_, parents, length_);
  }

  std::uint64_t held() const { return cache_.pool().held(); }
  std::uint64_t apart() const {
    const std::uint64_t block_size = cache_.config().block_size;
    return n_ * ((length_ + block_size - 1) / block_size);
  }
  void check() const { cache_.check_invariants(); }

 private:
  static CacheConfig config(std::uint32_t block_size) {
    CacheConfig config;
    config.block_size = block_size;
    config.block_bytes = Bytes(block_size);
    return config;
  }

  Silent silent_;
  std::uint32_t n_, length_;
  KvCache cache_;
  std::optional<BeamGroup> group_;
};

/// Published §6, end: the share of blocks that n outputs of O tokens to one prompt of P save.
double parallel_saving(double P, double O, double n, double B) {
  const double shared = std::floor(P / B), whole = std::ceil((P + O) / B);
  return 1 - (shared + n * (whole - shared)) / (n * whole);
}

/// Blocks saved in percent, over all steps of all requests.
double saving(const std::vector<Lengths>& lengths, std::uint32_t n, double branching) {
  const BeamParents process({n, branching, 0}, 3);
  std::uint64_t held = 0, apart = 0;
  std::vector<std::uint32_t> parents(n);
  for (std::uint32_t i = 0; i < lengths.size(); ++i) {
    Samples samples(lengths[i].prompt, n, 16);
    for (std::uint32_t output = 1; output <= lengths[i].output; ++output) {
      samples.step();
      held += samples.held();
      apart += samples.apart();
      if (branching == 0) continue;
      for (std::uint32_t j = 0; j < n; ++j)
        parents[j] = process.parent(i, output, j);
      samples.select(parents);
    }
    samples.check();
  }
  return 100 * (1 - static_cast<double>(held) / static_cast<double>(apart));
}

std::vector<Lengths> first(std::vector<Lengths> lengths, std::size_t count) {
  lengths.resize(count);
  return lengths;
}

}  // namespace

TEST_CASE("V-4: parallel samples save what the closed form says, to the block") {
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    const auto draw = philox4x32_10({trial, 0, 0, 0}, philox_key(2));
    const std::uint32_t prompt = 1 + draw[0] % 200, output = 1 + draw[1] % 200;
    const std::uint32_t n = 2 + draw[2] % 7;
    const std::uint32_t block_size = std::array{1u, 8u, 16u, 32u}[draw[3] % 4];
    Samples samples(prompt, n, block_size);
    for (std::uint32_t step = 1; step <= output; ++step) {
      samples.step();
      const double saved = static_cast<double>(samples.apart() - samples.held());
      CHECK(saved / static_cast<double>(samples.apart()) ==
            Approx(parallel_saving(prompt, step, n, block_size)).margin(1e-12));
    }
    samples.check();
  }
}

// What V-4 to V-6 print was measured on prompts that are not at hand; these match in their means.

TEST_CASE("V-4: parallel sampling, Alpaca's means, within 2 points") {
  const auto lengths = alpaca_lengths();
  CHECK(saving(lengths, 2, 0) == Approx(6.09).margin(2));
  CHECK(saving(lengths, 4, 0) == Approx(8.53).margin(2));
  CHECK(saving(lengths, 6, 0) == Approx(9.79).margin(2));
}

// The printed range, give or take the 2 points of V-4.
TEST_CASE("V-6: parallel sampling, ShareGPT's means: 16.2 to 30.5 % for 2 to 6 samples") {
  const auto lengths = first(sharegpt_lengths(), 300);
  double before = 16.2 - 2;
  for (const std::uint32_t n : {2u, 4u, 6u}) {
    const double here = saving(lengths, n, 0);
    CHECK(here > before);
    CHECK(here < 30.5 + 2);
    before = here;
  }
}

// How often beams branch is the model's own matter. The two ends are known: beams that never branch
// are parallel samples, and beams whose parents are drawn anew at every step share all but their
// last block or two. What was measured lies between them.
TEST_CASE("V-5, V-6: beams share more than parallel samples, less than if they branched freely") {
  const auto alpaca = alpaca_lengths(), sharegpt = first(sharegpt_lengths(), 100);
  const std::pair<std::uint32_t, double> printed[] = {{2, 37.56}, {4, 53.13}, {6, 55.16}};
  for (const auto& [n, percent] : printed) {
    CHECK(percent > saving(alpaca, n, 0));
    CHECK(percent < saving(alpaca, n, 1));
    // V-5's 5 points: the one chance that was fitted serves all three.
    CHECK(saving(alpaca, n, BeamOptions{}.branching) == Approx(percent).margin(5));
  }
  CHECK(saving(sharegpt, 2, 0) < 44.3);
  CHECK(saving(sharegpt, 2, 1) > 44.3);
  CHECK(saving(sharegpt, 6, 0) < 66.3);
  CHECK(saving(sharegpt, 6, 1) > 66.3);
}
