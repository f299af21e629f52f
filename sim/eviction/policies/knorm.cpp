// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/selection.hpp"

namespace vacancy {
namespace {

/// score = -|k|: keys of small norm draw much attention. A rotation keeps norms, so the cached
/// post-RoPE keys serve.
class Knorm final : public EvictionPolicy, public DefinesScores {
 public:
  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return KeyNormScores{};
  }
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    return needs;
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      for_each_live_key(round, layer, head, scratch.vectors,
                        [&](std::size_t i, auto key) { sums[i] -= l2_norm(key); });
    });
  }
};

}  // namespace

PolicyEntry knorm_entry() {
  return prompt_entry_of<Knorm>("knorm", "Keeps the keys of smallest L2 norm.",
                                "arXiv 2406.11430; NVIDIA/kvpress knorm_press");
}

}  // namespace vacancy
