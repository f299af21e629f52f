// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/synthetic_source.hpp"

#include <algorithm>
#include <map>

#include "sim/attention/registry.hpp"
#include "sim/attention/synthetic_process.hpp"
#include "sim/units/error.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

namespace {

constexpr AttentionFeatures weights_only{.weights = true};

/// One process for each distinct stream, and which one each head follows.
template <class Process>
class Streams {
 public:
  explicit Streams(std::span<const std::uint32_t> stream_of_head) {
    std::map<std::uint32_t, std::size_t> seen;
    for (const std::uint32_t stream : stream_of_head) {
      const auto [place, is_new] = seen.try_emplace(stream, processes_.size());
      if (is_new) processes_.emplace_back(stream);
      index_.push_back(place->second);
    }
  }

  void advance(std::uint32_t length, const SyntheticSourceOptions& options,
               const AttentionDraws& draws) {
    for (Process& process : processes_)
      process.advance(length, options, draws);
  }
  const Process& of(std::uint32_t head) const { return processes_[index_[head]]; }

 private:
  std::vector<Process> processes_;
  std::vector<std::size_t> index_;
};

}  // namespace

class SyntheticSequence final : public SequenceAttention {
 public:
  SyntheticSequence(const SyntheticSource& source, SequenceId id)
      : shape_(source.shape_),
        options_(source.options_),
        draws_(source.seed_, id),
        heavy_(source.heavy_streams_),
        bursts_(source.burst_streams_) {}

  const AttentionShape& shape() const override { return shape_; }
  std::uint32_t length() const override { return length_; }

  void advance(std::uint32_t length) override {
    if (length <= length_) return;
    for (; length_ < length; ++length_) {
      const double distance = length_ + 1.0;
      recency_.push_back(portable_pow(distance, -options_.recency_exponent));
      recency_sums_.push_back((recency_sums_.empty() ? 0.0 : recency_sums_.back()) +
                              recency_.back());
    }
    heavy_.advance(length, options_, draws_);
    bursts_.advance(length, options_, draws_);
  }

  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override {
    VACANCY_ASSERT(query < length_ && row.size() == query + 1, "a row of an available query");
    const std::uint32_t head = layer * shape_.query_heads + query_head;
    std::fill(row.begin(), row.end(), 0.0f);
    double unplaced = add_sinks(row);
    unplaced += heavy_.of(head).attend(options_.heavy_share, row, options_, draws_);
    unplaced += bursts_.of(head).attend(options_.burst_share, row);

    const double scale = (options_.recency_share + unplaced) / recency_sums_[query];
    const double uniform = options_.uniform_share / static_cast<double>(row.size());
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] += static_cast<float>(recency_[query - j] * scale + uniform);
  }

 private:
  double add_sinks(std::span<float> row) const {
    const std::array<double, 4> sinks{options_.sink_0, options_.sink_1, options_.sink_2,
                                      options_.sink_3};
    const std::size_t count = std::min(sinks.size(), row.size());
    double total = 0.0;
    for (std::size_t j = 0; j < count; ++j)
      total += sinks[j];
    if (total == 0.0) return options_.sink_share;
    for (std::size_t j = 0; j < count; ++j)
      row[j] += static_cast<float>(options_.sink_share * sinks[j] / total);
    return 0.0;
  }

  AttentionShape shape_;
  SyntheticSourceOptions options_;
  AttentionDraws draws_;
  Streams<HeavyProcess> heavy_;
  Streams<BurstProcess> bursts_;
  std::uint32_t length_ = 0;
  std::vector<double> recency_;       // [distance - 1]: distance^-exponent
  std::vector<double> recency_sums_;  // [t]: sum over the t + 1 tokens that query t sees
};

SyntheticSource::SyntheticSource(const SyntheticSourceOptions& options, AttentionShape shape,
                                 std::uint64_t seed)
    : options_(options), shape_(shape), seed_(seed) {
  shape_.layers = options.layers.value_or(shape.layers);
  shape_.query_heads = options.query_heads.value_or(shape.query_heads);
  shape_.kv_heads = options.kv_heads.value_or(shape.kv_heads);
  shape_.head_dim = 0;
  check_shape(shape_);

  double* const shares[] = {&options_.sink_share, &options_.recency_share, &options_.heavy_share,
                            &options_.burst_share, &options_.uniform_share};
  double sum = 0.0;
  for (const double* share : shares)
    sum += *share;
  if (sum <= 0.0)
    throw UserError(
        "attention.synthetic: the five shares of a query's attention are all 0; give one of "
        "sink_share, recency_share, heavy_share, burst_share, uniform_share a positive value");
  for (double* share : shares)
    *share /= sum;

  heavy_streams_ = choose_streams(Structure::heavy);
  burst_streams_ = choose_streams(Structure::burst);
}

std::vector<std::uint32_t> SyntheticSource::choose_streams(Structure structure) const {
  constexpr std::uint32_t common = 0;
  const AttentionDraws draws(seed_, SequenceId{0});
  std::vector<std::uint32_t> streams(std::size_t{shape_.layers} * shape_.query_heads);
  for (std::uint32_t set = 0; set < streams.size(); ++set) {
    const auto words =
        draws(DrawPurpose::common_stream, set, static_cast<std::uint32_t>(structure), 0);
    streams[set] = unit_interval(words[0]) < options_.correlation ? common : 1 + set;
  }
  return streams;
}

AttentionFeatures SyntheticSource::features() const {
  return weights_only;
}

std::uint32_t SyntheticSource::max_length() const {
  return made_up_max_length;
}

std::unique_ptr<SequenceAttention> SyntheticSource::open(SequenceId id) const {
  return std::make_unique<SyntheticSequence>(*this, id);
}

const OptionTable<SyntheticSourceOptions>& SyntheticSource::option_table() {
  using Options = SyntheticSourceOptions;
  static const auto table =
      OptionTable<Options>()
          .add("layers", &Options::layers, "", {1, 1024}, "Layers; null = the model's.")
          .add("query_heads", &Options::query_heads, "", {1, 4096},
               "Query heads of a layer; null = the model's.")
          .add("kv_heads", &Options::kv_heads, "", {1, 4096},
               "KV heads of a layer, a divisor of the query heads; null = the model's.")
          .add("correlation", &Options::correlation, "probability", {0.0, 1.0},
               "Probability that a head's heavy hitters, and apart from that its bursts, follow "
               "the process common to all heads: 0 = independent heads, 1 = equal rows.")
          .add("sink_share", &Options::sink_share, "share", {0.0, 1.0},
               "Attention that goes to the first four tokens; the five shares are divided by "
               "their sum.")
          .add("recency_share", &Options::recency_share, "share", {0.0, 1.0},
               "Attention that falls with distance by a power law.")
          .add("heavy_share", &Options::heavy_share, "share", {0.0, 1.0},
               "Attention that goes to heavy hitters.")
          .add("burst_share", &Options::burst_share, "share", {0.0, 1.0},
               "Attention that goes to spans of the past while a burst on them lasts.")
          .add("uniform_share", &Options::uniform_share, "share", {0.0, 1.0},
               "Attention that all tokens get alike.")
          .add("sink_0", &Options::sink_0, "", {0.0, 1.0},
               "Part of token 0 in the sink share; the four parts are divided by their sum.")
          .add("sink_1", &Options::sink_1, "", {0.0, 1.0}, "Part of token 1 in the sink share.")
          .add("sink_2", &Options::sink_2, "", {0.0, 1.0}, "Part of token 2 in the sink share.")
          .add("sink_3", &Options::sink_3, "", {0.0, 1.0}, "Part of token 3 in the sink share.")
          .add("recency_exponent", &Options::recency_exponent, "", {0.0, 10.0},
               "The recency share falls as (distance + 1) to the power of minus this.")
          .add("heavy_fraction", &Options::heavy_fraction, "share", {0.0, 0.5},
               "Fraction of tokens that are heavy hitters.")
          .add("heavy_run", &Options::heavy_run, "tokens", {1.0, 1e6},
               "Mean length of a run of heavy hitters: 1 = scattered, 16 = clustered.")
          .add("heavy_tail", &Options::heavy_tail, "", {0.1, 100.0},
               "Exponent of the Pareto law of their weights; smaller = more uneven.")
          .add("heavy_cap", &Options::heavy_cap, "", {1.0, 1e9},
               "Largest weight; the smallest is 1.")
          .add("heavy_permanent", &Options::heavy_permanent, "probability", {0.0, 1.0},
               "Probability that a heavy hitter stays one to the end.")
          .add("heavy_life", &Options::heavy_life, "queries", {1.0, 1e9},
               "Mean life of the others behind their own position.")
          .add("heavy_window", &Options::heavy_window, "queries", {1, 1e6},
               "Queries over which a heavy hitter is on or off as a whole.")
          .add("heavy_on", &Options::heavy_on, "probability", {0.0, 1.0},
               "Probability that a heavy hitter is on in a window.")
          .add("burst_first_query", &Options::burst_first_query, "queries", {1, 1e9},
               "Bursts start from this query on.")
          .add("burst_interval", &Options::burst_interval, "queries", {1.0, 1e9},
               "Mean distance between the starts of two bursts.")
          .add("burst_length", &Options::burst_length, "tokens", {1.0, 1e6},
               "Mean number of tokens that a burst attends to.")
          .add("burst_duration", &Options::burst_duration, "queries", {1.0, 1e6},
               "Mean number of queries that a burst lasts.");
  return table;
}

AttentionSourceEntry synthetic_source_entry() {
  return {{"synthetic",
           "A made-up process of sinks, recency, persistent and bursty heavy hitters, clustered or "
           "scattered, correlated between heads or not.",
           "ours", SyntheticSource::option_table().parameters()},
          weights_only,
          [](const ParameterValues& values,
             const AttentionContext& context) -> std::unique_ptr<AttentionSource> {
            return std::make_unique<SyntheticSource>(SyntheticSource::option_table().read(values),
                                                     context.model, context.seed);
          }};
}

}  // namespace vacancy
