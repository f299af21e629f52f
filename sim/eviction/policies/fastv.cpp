// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {
namespace {

/// Image tokens that the prompt's last token looks at; every text token. Whatever the budget: a set
/// that speaks for one of the first layers drops nothing.
class FastV final : public EvictionPolicy {
 public:
  struct Options {
    std::uint32_t image_start = 5;
    std::uint32_t image_tokens = 576;
    std::uint32_t layer = 2;
    double drop = 0.5;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("image_start", &Options::image_start, "tokens", {0, 1 << 24},
                 "Position of the first image token in the prompt.")
            .add("image_tokens", &Options::image_tokens, "tokens", {1, 1 << 24},
                 "Image tokens; those beyond the end of the prompt do not count.")
            .add("layer", &Options::layer, "", {1, 1 << 16},
                 "K: the first K layers keep everything, the others what the last token of the "
                 "prompt attends to at the last of these. 2 in the paper, 3 in the demo.")
            .add("drop", &Options::drop, "share", {0, 1},
                 "R: part of the image tokens that goes. 0.5 in the paper, 0.75 in the demo.");
    return table;
  }

  FastV(const Options& options, const PolicyContext& context) : options_(options) {
    if (context.note && options.layer >= context.layers)
      context.note("Nothing will be evicted: eviction.fastv.layer spares " +
                   counted(options.layer, "first layer") + ", and the model has " +
                   counted(context.layers, "layer") + ".");
  }

  KeepRule keep_rule() const override { return KeepRule::own; }
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    return needs;
  }

  /// Text stands above all image tokens.
  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    std::fill(scores.begin(), scores.end(), 2.0);
    if (round.heads().first_layer < options_.layer) return;
    const std::uint32_t end = prompt_end(round), group = round.attention->shape().group();
    const std::uint32_t first = round.heads().first_head * group,
                        last = round.heads().last_head * group;
    const Image image = image_of(round);
    for (std::size_t i = image.first; i < image.last; ++i)
      scores[i] = 0;
    scratch.vectors.resize(end);
    for (std::uint32_t q = first; q < last; ++q) {
      round.attention->weights(options_.layer - 1, q, end - 1, scratch.vectors);
      for (std::size_t i = image.first; i < image.last; ++i)
        scores[i] += double{scratch.vectors[round.live[i]]} / (last - first);
    }
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    if (round.heads().first_layer < options_.layer)
      return bits::set_range(keep, 0, round.live.size());
    const std::span<const double> scores = scores_of(*this, round, scratch);
    const Image image = image_of(round);
    // Of those that the prompt had, so that a later round drops no more.
    const std::uint32_t end = prompt_end(round);
    const std::uint32_t had =
        std::min(end - std::min(end, options_.image_start), options_.image_tokens);
    const auto stay = static_cast<std::size_t>(std::nearbyint(had * (1 - options_.drop)));
    const std::size_t live = image.last - image.first;
    const std::size_t guarded = bits::count_range(round.guarded, image.first, image.last);
    const std::size_t kept = round.live.size() - live + std::clamp(stay, guarded, live);
    keep_best(scores, round.guarded, static_cast<std::uint32_t>(kept), keep, scratch);
  }

 private:
  struct Image {
    std::size_t first, last;  // ordinals
  };

  /// Without a prompt, the last query stands for its last token.
  static std::uint32_t prompt_end(const EvictionRound& round) {
    return round.prompt_tokens > 0 ? std::min(round.prompt_tokens, round.next_position)
                                   : round.next_position;
  }

  Image image_of(const EvictionRound& round) const {
    const auto ordinal = [&](std::uint64_t position) {
      return static_cast<std::size_t>(
          std::lower_bound(round.live.begin(), round.live.end(), position) - round.live.begin());
    };
    const std::uint64_t end = prompt_end(round), start = options_.image_start;
    return {ordinal(std::min(start, end)), ordinal(std::min(start + options_.image_tokens, end))};
  }

  Options options_;
};

}  // namespace

PolicyEntry fastv_entry() {
  PolicyEntry entry = prompt_entry_of<FastV>(
      "fastv",
      "FastV: behind the first layers keeps the text and the image tokens that the prompt's last "
      "token attends to.",
      "arXiv 2403.06764; pkunlp-icler/FastV");
  entry.scope = Scope::per_layer;
  return entry;
}

}  // namespace vacancy
