// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sim/eviction/block_crush.hpp"
#include "sim/eviction/block_diversity.hpp"
#include "sim/eviction/layer_scores.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

enum class ScoreSum { norm_sum, sum, adaptive_r_kv };

template <>
struct EnumNames<ScoreSum> {
  static constexpr EnumName<ScoreSum> table[] = {{ScoreSum::norm_sum, "norm_sum"},
                                                 {ScoreSum::sum, "sum"},
                                                 {ScoreSum::adaptive_r_kv, "adaptive_r_kv"}};
};

namespace {

/// Blocks between the first and the last tokens, by their tokens' scores. The heads of a layer
/// always choose alike.
class OpenVino final : public EvictionPolicy {
 public:
  struct Options {
    std::uint32_t start = 32;
    std::uint32_t recent = 128;
    ScoreSum aggregation = ScoreSum::norm_sum;
    std::uint32_t prompt_window = 8;
    std::uint32_t pooling = 7;
    std::uint32_t crush = 0;
    CrushAnchor anchor = CrushAnchor::random;
    double attention_mass = 0.9;
    std::uint32_t score_window = 8;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("start", &Options::start, "tokens", {0, 1 << 24},
                 "First tokens, which always stay. Like recent and eviction.budget (the engine's "
                 "max_cache_size, 672 there) a multiple of the block size; what the budget leaves "
                 "between the two is the area from which blocks go.")
            .add("recent", &Options::recent, "tokens", {0, 1 << 24},
                 "Last tokens, which always stay. A round comes when a block more than the budget "
                 "is full: set eviction.interval to the block size.")
            .add("aggregation", &Options::aggregation, "", {},
                 "A token's attention summed over queries (sum), divided by the number of those "
                 "that could see it (norm_sum), or averaged over the last score_window "
                 "(adaptive_r_kv). With the last, the best blocks stay only until they hold "
                 "attention_mass; the rest of the budget goes to blocks whose keys are least like "
                 "those of others, in a time that grows with the square of their tokens.")
            .add("prompt_window", &Options::prompt_window, "queries", {0, 1 << 24},
                 "Last queries of the prompt, which count beside all of the output; 0 for all of "
                 "the prompt's.")
            .add("pooling", &Options::pooling, "tokens", {1, 4095},
                 "A token gets the largest attention of so many, itself and those behind it, of "
                 "each query of the output and of the prompt's together; tokens that are gone "
                 "count among them (ours). 1 for none.")
            .add("crush", &Options::crush, "blocks", {0, 4096},
                 "KVCrush: so many of the blocks that would go stay beside eviction.budget, to "
                 "stand for the others. A round comes when a block more than the budget and these "
                 "is full (ours; the engine has them only from the first round on in which so many "
                 "would go).")
            .add("anchor", &Options::anchor, "", {},
                 "The pattern of bits that KVCrush holds a block's against. A token's bit is 1 "
                 "where its attention is in the upper half of all that may go; blocks stay from "
                 "the nearest to the farthest in equal steps. Of equal distance the lower block "
                 "comes first, a token that is gone has bit 0, and a random pattern is drawn for "
                 "each round and layer (ours).")
            .add("attention_mass", &Options::attention_mass, "share", {0, 1},
                 "For adaptive_r_kv: share of the attention of all blocks that may go, at which "
                 "keys take over.")
            .add("score_window", &Options::score_window, "queries", {1, 256},
                 "For adaptive_r_kv: last queries whose mean counts, the prompt's being one. They "
                 "reach back beyond a round (ours).");
    return table;
  }

  OpenVino(const Options& options, const PolicyContext& context)
      : options_(options),
        key_(philox_key(context.seed)),
        crush_tokens_(options.crush * context.block_size) {
    if (adaptive() && options.crush > 0)
      throw UserError("eviction.openvino.crush is " + format_count(options.crush) +
                      " and aggregation adaptive_r_kv: the engine has one or the other. Set crush "
                      "to 0, or another aggregation.");
    if (options.crush > 0 && context.budget > 0 &&
        std::uint64_t{options.start} + options.recent >= context.budget)
      throw UserError("eviction.budget is " + counted(context.budget, "token") + ", which start (" +
                      format_count(options.start) + ") and recent (" +
                      format_count(options.recent) +
                      ") fill: KVCrush adds to an area between the two. Raise the budget.");
    check_multiple("eviction.openvino.start", options.start, context.block_size);
    check_multiple("eviction.openvino.recent", options.recent, context.block_size);
    check_multiple("eviction.budget", context.budget, context.block_size);
    if (context.note && context.budget > 0 && options.crush > 0)
      context.note("KVCrush keeps " + counted(options.crush, "block") +
                   " beside the budget: " + counted(capacity(context.budget), "token") + " a set.");
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    needs.every_row = true;
    needs.features.keys = adaptive();
    return needs;
  }
  std::uint32_t capacity(std::uint32_t budget) const override { return budget + crush_tokens_; }
  KeepCount keep_count() const override { return KeepCount::blocks; }
  Protection protection(std::uint32_t) const override { return {options_.start, options_.recent}; }
  std::unique_ptr<SequenceState> open_state(const AttentionShape& shape,
                                            std::uint32_t prompt_tokens) const override {
    return std::make_unique<LayerScores>(shape, prompt_tokens,
                                         LayerScoreOptions{options_.prompt_window, options_.pooling,
                                                           adaptive() ? options_.score_window : 0});
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch&) const override {
    sum_layers(round, options_.aggregation == ScoreSum::norm_sum, scores);
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    // Nothing goes before the first token of the output, however long the prompt.
    if (round.next_position <= round.prompt_tokens)
      return bits::set_range(keep, 0, round.live.size());
    if (round.live.empty()) return;
    WeighedTokens tokens{scores_of(*this, round, scratch), round.slots, round.guarded,
                         round.block_size};
    std::vector<std::uint64_t>&open = scratch.keys, &areas = scratch.forced;
    const std::size_t blocks = open_forced_blocks(round, open);
    areas = open;
    if (adaptive()) {
      open_until_share(tokens, areas, options_.attention_mass, blocks, open, scratch);
      open_most_diverse(round, areas, blocks, open, scratch);
    } else {
      const std::size_t best = blocks - std::min<std::size_t>(options_.crush, blocks);
      open_best_blocks(tokens, BlockAggregate::sum, best, open, scratch);
      if (options_.crush > 0) {
        scratch.spare.resize(tokens.size());
        sum_layers(round, false, scratch.spare);
        tokens.weights = scratch.spare;
        open_representatives(tokens, areas, crush_rule(round), blocks, open, scratch);
      }
    }
    keep_open_blocks(tokens, open, keep);
  }

 private:
  bool adaptive() const { return options_.aggregation == ScoreSum::adaptive_r_kv; }

  static void sum_layers(const EvictionRound& round, bool by_lifetime, std::span<double> sums) {
    const auto& state = static_cast<const LayerScores&>(*round.state);
    const HeadRange heads = round.heads();
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::uint32_t token = round.live[i];
        sums[i] += state.score(layer, token) / (by_lifetime ? state.lifetime(token) : 1);
      }
  }

  CrushRule crush_rule(const EvictionRound& round) const {
    return {options_.anchor,
            key_,
            {round.sequence.value(), round.heads().first_layer, round.number, 0}};
  }

  static void check_multiple(const char* key, std::uint32_t tokens, std::uint32_t block_size) {
    if (block_size == 0 || tokens % block_size == 0) return;
    throw UserError(std::string(key) + " is " + counted(tokens, "token") +
                    "; the areas of the policy openvino are made of whole blocks, so take a "
                    "multiple of cache.block_size, " +
                    format_count(block_size) + ".");
  }

  Options options_;
  PhiloxKey key_;
  std::uint32_t crush_tokens_;
};

}  // namespace

PolicyEntry openvino_entry() {
  PolicyEntry entry = entry_of<OpenVino>(
      "openvino",
      "OpenVINO GenAI: keeps first and last tokens and, in each layer for itself, the blocks that "
      "received most attention.",
      "openvinotoolkit/openvino.genai cache_eviction");
  entry.scope = Scope::per_layer;
  return entry;
}

}  // namespace vacancy
