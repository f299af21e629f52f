// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

enum class ScoreSum { norm_sum, sum };

template <>
struct EnumNames<ScoreSum> {
  static constexpr EnumName<ScoreSum> table[] = {{ScoreSum::norm_sum, "norm_sum"},
                                                 {ScoreSum::sum, "sum"}};
};

namespace {

struct Options {
  std::uint32_t start = 32;
  std::uint32_t recent = 128;
  ScoreSum aggregation = ScoreSum::norm_sum;
  std::uint32_t prompt_window = 8;
  std::uint32_t pooling = 7;
};

const OptionTable<Options>& option_table() {
  static const auto table =
      OptionTable<Options>()
          .add("start", &Options::start, "tokens", {0, 1 << 24},
               "First tokens, which always stay. Like recent and eviction.budget (the engine's "
               "max_cache_size, 672 there) a multiple of the block size; what the budget leaves "
               "between the two is the area from which blocks go.")
          .add("recent", &Options::recent, "tokens", {0, 1 << 24},
               "Last tokens, which always stay. A round comes when a block more than the budget is "
               "full: set eviction.interval to the block size.")
          .add("aggregation", &Options::aggregation, "", {},
               "A token's attention summed over queries (sum), or divided by the number of those "
               "that could see it (norm_sum).")
          .add("prompt_window", &Options::prompt_window, "queries", {0, 1 << 24},
               "Last queries of the prompt, which count beside all of the output; 0 for all of the "
               "prompt's.")
          .add("pooling", &Options::pooling, "tokens", {1, 4095},
               "A token gets the largest attention of so many, itself and those behind it, of each "
               "query of the output and of the prompt's together; tokens that are gone count among "
               "them (ours). 1 for none.");
  return table;
}

/// Attention received by each token of a layer, summed over its heads, pooled and added.
class LayerScores final : public SequenceState {
 public:
  LayerScores(const AttentionShape& shape, std::uint32_t prompt_tokens, const Options& options)
      : prompt_(prompt_tokens),
        first_query_(options.prompt_window == 0
                         ? 0
                         : prompt_tokens - std::min(prompt_tokens, options.prompt_window)),
        pooling_(options.pooling),
        sums_(shape.layers) {}

  void advance(const SequenceAttention& attention, std::uint32_t length) override {
    for (std::uint32_t layer = 0; layer < sums_.size(); ++layer) {
      sums_[layer].resize(std::max(length, length_), 0.0);
      // The prompt's queries are one observation.
      if (length_ < prompt_ && length >= prompt_) take(attention, layer, first_query_, prompt_);
      for (std::uint32_t query = std::max(length_, prompt_); query < length; ++query)
        take(attention, layer, query, query + 1);
    }
    length_ = std::max(length_, length);
  }

  double sum(std::uint32_t layer, std::uint32_t token) const { return sums_[layer][token]; }
  /// How many of the queries that count could see the token.
  std::uint32_t lifetime(std::uint32_t token) const {
    return length_ - std::max(token, first_query_);
  }

 private:
  void take(const SequenceAttention& attention, std::uint32_t layer, std::uint32_t first,
            std::uint32_t last) {
    observed_.assign(last, 0.0);
    for (std::uint32_t head = 0; head < attention.shape().kv_heads; ++head)
      attention.add_column_sums(layer, head, first, last, observed_);
    for (std::size_t j = 0; j < last; ++j) {
      const auto begin = observed_.begin() + static_cast<std::ptrdiff_t>(j);
      sums_[layer][j] += *std::max_element(
          begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(pooling_, last - j)));
    }
  }

  std::uint32_t prompt_, first_query_, pooling_;
  std::uint32_t length_ = 0;
  std::vector<std::vector<double>> sums_;  // [layer][position]
  std::vector<double> observed_;
};

/// Blocks between the first and the last tokens, by their tokens' scores. The heads of a layer
/// always choose alike.
class OpenVino final : public EvictionPolicy {
 public:
  OpenVino(const Options& options, const PolicyContext& context) : options_(options) {
    check_multiple("eviction.openvino.start", options.start, context.block_size);
    check_multiple("eviction.openvino.recent", options.recent, context.block_size);
    check_multiple("eviction.budget", context.budget, context.block_size);
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    needs.every_row = true;
    return needs;
  }
  KeepCount keep_count() const override { return KeepCount::blocks; }
  Protection protection(std::uint32_t) const override { return {options_.start, options_.recent}; }
  std::unique_ptr<SequenceState> open_state(const AttentionShape& shape,
                                            std::uint32_t prompt_tokens) const override {
    return std::make_unique<LayerScores>(shape, prompt_tokens, options_);
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch&) const override {
    const auto& state = static_cast<const LayerScores&>(*round.state);
    const HeadRange heads = round.heads();
    std::fill(scores.begin(), scores.end(), 0.0);
    for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const std::uint32_t token = round.live[i];
        scores[i] += options_.aggregation == ScoreSum::norm_sum
                         ? state.sum(layer, token) / state.lifetime(token)
                         : state.sum(layer, token);
      }
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    // Nothing goes before the first token of the output, however long the prompt.
    if (round.next_position <= round.prompt_tokens)
      return bits::set_range(keep, 0, round.live.size());
    keep_best_blocks(round, scores_of(*this, round, scratch), BlockAggregate::sum, keep, scratch);
  }

 private:
  static void check_multiple(const char* key, std::uint32_t tokens, std::uint32_t block_size) {
    if (block_size == 0 || tokens % block_size == 0) return;
    throw UserError(std::string(key) + " is " + counted(tokens, "token") +
                    "; the areas of the policy openvino are made of whole blocks, so take a "
                    "multiple of cache.block_size, " +
                    format_count(block_size) + ".");
  }

  Options options_;
};

}  // namespace

PolicyEntry openvino_entry() {
  PolicyEntry entry = entry_of<OpenVino, option_table>(
      "openvino",
      "OpenVINO GenAI: keeps first and last tokens and, in each layer for itself, the blocks that "
      "received most attention.",
      "openvinotoolkit/openvino.genai cache_eviction");
  entry.scope = Scope::per_layer;
  return entry;
}

}  // namespace vacancy
