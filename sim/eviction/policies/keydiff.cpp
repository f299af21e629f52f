// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {
namespace {

/// score = -cos(k, anchor), the anchor being the mean of the normalised post-RoPE keys.
class KeyDiff final : public EvictionPolicy, public DefinesScores {
 public:
  struct Options {
    std::uint32_t step = 128;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = OptionTable<Options>().add(
        "step", &Options::step, "tokens", {0, 1 << 24},
        "Tokens that join at a time: a round begins with as many of the first tokens as may stay, "
        "and after each step those most like the mean key leave; 0 compares all tokens at once. "
        "Whole-block selection always does (ours).");
    return table;
  }

  explicit KeyDiff(Options options) : options_(options) {}

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return KeyDifferenceScores{options_.step};
  }
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    return needs;
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      // The sum of the normalised keys: a cosine does not see that it is no mean.
      std::vector<double>& anchor = scratch.parts;
      anchor.assign(round.attention->shape().head_dim, 0.0);
      for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t, auto key) {
        const double norm = floored(l2_norm(key));
        for (std::size_t c = 0; c < anchor.size(); ++c)
          anchor[c] += double{key[c]} / norm;
      });
      double squares = 0;
      for (const double x : anchor)
        squares += x * x;
      const double anchor_norm = floored(std::sqrt(squares));
      for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t i, auto key) {
        double dot = 0;
        for (std::size_t c = 0; c < anchor.size(); ++c)
          dot += double{key[c]} * anchor[c];
        sums[i] -= dot / (floored(l2_norm(key)) * anchor_norm);
      });
    });
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    if (options_.step == 0) return EvictionPolicy::select(round, keep, scratch);
    // Ordinals of the tokens that are in the running, and the same as a round of its own.
    std::vector<std::uint32_t>& running = scratch.order;
    running.resize(round.keep);
    std::iota(running.begin(), running.end(), 0u);
    EvictionRound part = round;
    part.slots = {};
    for (std::size_t next = round.keep; next < round.live.size();) {
      const std::size_t end = std::min<std::size_t>(round.live.size(), next + options_.step);
      for (; next < end; ++next)
        running.push_back(static_cast<std::uint32_t>(next));
      scratch.draws.resize(running.size());
      scratch.marks.assign(bits::words(running.size()), 0);
      for (std::size_t i = 0; i < running.size(); ++i) {
        scratch.draws[i] = round.live[running[i]];
        bits::assign(scratch.marks, i, bits::test(round.guarded, running[i]));
      }
      part.live = scratch.draws;
      part.guarded = scratch.marks;
      scratch.scores.resize(running.size());
      score(part, scratch.scores, scratch);
      scratch.keys.assign(bits::words(running.size()), 0);
      keep_best(scratch.scores, part.guarded, round.keep, scratch.keys, scratch);
      std::size_t stay = 0;
      bits::for_each(scratch.keys, 0, running.size(),
                     [&](std::size_t i) { running[stay++] = running[i]; });
      running.resize(stay);
    }
    for (const std::uint32_t i : running)
      bits::set(keep, i);
  }

 private:
  /// A key, or an anchor, without length is like no other: its cosine is 0.
  static double floored(double norm) { return std::max(norm, 1e-12); }

  Options options_;
};

}  // namespace

PolicyEntry keydiff_entry() {
  return prompt_entry_of<KeyDiff>("keydiff",
                                  "KeyDiff: keeps the keys that are least like the mean key.",
                                  "arXiv 2504.15364; NVIDIA/kvpress keydiff_press");
}

}  // namespace vacancy
