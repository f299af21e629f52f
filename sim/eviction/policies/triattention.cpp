// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "sim/attention/calibration.hpp"
#include "sim/eviction/model_calibration.hpp"
#include "sim/eviction/own_calibration.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/triattention_rows.hpp"
#include "sim/eviction/triattention_score.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

enum class RowAggregation { max, mean };

template <>
struct EnumNames<RowAggregation> {
  static constexpr EnumName<RowAggregation> table[] = {{RowAggregation::max, "max"},
                                                       {RowAggregation::mean, "mean"}};
};

enum class NormalizedOver { candidates, cached };

template <>
struct EnumNames<NormalizedOver> {
  static constexpr EnumName<NormalizedOver> table[] = {{NormalizedOver::candidates, "candidates"},
                                                       {NormalizedOver::cached, "cached"}};
};

template <>
struct EnumNames<OffsetAggregation> {
  static constexpr EnumName<OffsetAggregation> table[] = {{OffsetAggregation::mean, "mean"},
                                                          {OffsetAggregation::max, "max"}};
};

namespace {

/// Keys close to where the mean query will look. The scope picks the public code's mode: model is
/// `union`, per_head and per_layer_per_head its own, per_layer the vLLM plugin's.
///
/// `union` re-ranks the union of every row's top-k by the largest value over rows. That is the
/// top-k by the largest value over rows: in no row do k tokens exceed one that is among them.
class TriAttention final : public EvictionPolicy, public DefinesScores {
 public:
  struct Options {
    std::optional<std::filesystem::path> calibration =
        "shared:data/triattention-stats/qwen3-8b.bin";
    std::uint32_t offset_max = 65536;
    OffsetAggregation offsets = OffsetAggregation::mean;
    RowAggregation heads = RowAggregation::max;
    bool normalize = true;
    NormalizedOver normalize_over = NormalizedOver::candidates;
    bool disable_trig = false, disable_mlr = false;
    double rotary_scaling = 1.0;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("calibration", &Options::calibration, "", {},
                 "Query statistics of the model: a TRIA file or the .pt file of the public tool; "
                 "null = those of the sequence's own queries so far (ours).")
            .add("offset_max", &Options::offset_max, "tokens", {1, 1 << 24},
                 "Largest future distance; the distances are the powers of two up to it.")
            .add("offsets", &Options::offsets, "", {}, "How the distances' values become one.")
            .add("heads", &Options::heads, "", {},
                 "How a set's query heads become one within a layer; scope model is always max.")
            .add("normalize", &Options::normalize, "", {},
                 "Scale each query head's scores to mean 0 and deviation 1; scope model always "
                 "does.")
            .add("normalize_over", &Options::normalize_over, "", {},
                 "The tokens whose mean and deviation these are: those that may go, or all that "
                 "are cached, as in the vLLM plugin. For the plugin also set "
                 "eviction.protect.recent to 128 and eviction.prompt to evictable; for "
                 "TensorRT-LLM eviction.trigger to interval and eviction.prompt to pinned_outside; "
                 "for the reference without slack eviction.trigger to aligned, and "
                 "eviction.count_prompt for its triggers that leave the prompt out.")
            .add("disable_trig", &Options::disable_trig, "", {},
                 "Ablation: leave out the distance-dependent term.")
            .add("disable_mlr", &Options::disable_mlr, "", {},
                 "Ablation: weigh key norms by E|q| instead of E|q| - |E q|.")
            .add("rotary_scaling", &Options::rotary_scaling, "", {0.01, 100},
                 "Attention factor that the model's rotary embedding puts on keys (YaRN), else 1.");
    return table;
  }

  TriAttention(const Options& options, const PolicyContext& context)
      : options_(options),
        terms_{options.offset_max, options.offsets, options.disable_trig, options.disable_mlr,
               options.rotary_scaling},
        group_(context.query_heads / context.kv_heads) {
    const std::string place = "eviction.triattention.calibration";
    if (context.rope_theta <= 0)
      throw UserError(place +
                      ": the policy scores keys by their rotary embedding, but the model has no "
                      "rope_theta; add it to the model or choose another policy.");
    if (context.head_dim % 2 != 0)
      throw UserError(place +
                      ": the rotary embedding turns pairs of components, but the model's head_dim "
                      "is " +
                      std::to_string(context.head_dim) + "; choose another policy.");
    if (options.calibration) file_ = calibration_of_model(*options.calibration, context, place);
    rotary_.emplace(context.rope_theta, context.head_dim, file_ || context.half_rotary);
    frequencies_ = rotary_frequencies(context.rope_theta, context.head_dim);
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    needs.features.queries = !file_;
    needs.features.half_rotary = file_.has_value();
    return needs;
  }
  std::unique_ptr<SequenceState> open_state(const AttentionShape& shape,
                                            std::uint32_t) const override {
    if (file_) return nullptr;
    return std::make_unique<OwnCalibration>(shape, *rotary_);
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const Calibration& calibration =
        file_ ? *file_ : static_cast<const OwnCalibration&>(*round.state).statistics();
    HeadRange heads = round.heads();
    RowJoin join = join_of(*round.layout);
    // As the public code: a KV head without statistics takes the mean of all rows, layers without
    // any keep their oldest tokens.
    if (!any_sampled(calibration, heads)) {
      heads.first_head = 0;
      heads.last_head = round.layout->kv_heads();
      join = RowJoin::mean_of_all;
    }
    if (any_sampled(calibration, heads)) {
      const TriAttentionPhases phases(frequencies_, terms_, round.next_position);
      TriAttentionRows rows(round, calibration, *rotary_, phases, scale_of(*round.layout), scratch);
      join_rows(rows, heads, join, scores);
    } else {
      for (std::size_t i = 0; i < scores.size(); ++i)
        scores[i] = -static_cast<double>(i);
    }
  }

  std::optional<ScoreDefinition> score_definition(const CacheLayout& layout) const override {
    if (!file_ || file_->present_heads() < file_->layers() * file_->query_heads())
      return std::nullopt;
    return TriAttentionScores{&*file_, frequencies_, terms_, scale_of(layout), join_of(layout)};
  }

 private:
  RowJoin join_of(const CacheLayout& layout) const {
    if (layout.scope() == Scope::model) return RowJoin::max_of_all;
    return options_.heads == RowAggregation::max ? RowJoin::mean_of_layer_maxima
                                                 : RowJoin::mean_of_layer_means;
  }
  RowScale scale_of(const CacheLayout& layout) const {
    if (!options_.normalize && layout.scope() != Scope::model) return RowScale::none;
    return options_.normalize_over == NormalizedOver::cached ? RowScale::over_cached
                                                             : RowScale::over_candidates;
  }

  bool any_sampled(const Calibration& calibration, const HeadRange& heads) const {
    for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
      for (std::uint32_t q = heads.first_head * group_; q < heads.last_head * group_; ++q)
        if (calibration.present(layer, q)) return true;
    return false;
  }

  Options options_;
  TriAttentionTerms terms_;
  std::optional<Calibration> file_;  // or else the sequence's own
  std::optional<RotaryBands> rotary_;
  std::vector<double> frequencies_;
  std::uint32_t group_;
};

}  // namespace

PolicyEntry triattention_entry() {
  PolicyEntry entry = entry_of<TriAttention>(
      "triattention",
      "TriAttention: keeps keys that calibrated mean queries will attend to at future distances.",
      "arXiv 2604.04921; WeianMao/triattention");
  entry.scope = Scope::per_head;
  entry.prompt = PromptRule::pinned_inside;
  return entry;
}

}  // namespace vacancy
