// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/window_attention.hpp"

namespace vacancy {
namespace {

/// What the last query attends to, over all heads of the set. The method takes the mean over the
/// heads of a layer; a sum ranks the same.
class Tova final : public EvictionPolicy, public DefinesScores {
 public:
  struct Options {
    bool keep_newest = false;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>().add("keep_newest", &Options::keep_newest, "", {},
                                   "Keep the newest token whatever its attention, as the port of "
                                   "kvpress does; the original may drop it.");
    return table;
  }

  explicit Tova(Options options) : options_(options) {}

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override {
    return {0, options_.keep_newest ? 1u : 0u};
  }

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return WindowScores{.options = {1, 1, Pooling::avg}, .scores_window = true};
  }
  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      add_window_attention(round, layer, head, window_start(round, 1), round.live.size(), sums,
                           scratch.vectors);
    });
  }

 private:
  Options options_;
};

}  // namespace

PolicyEntry tova_entry() {
  PolicyEntry entry = entry_of<Tova>(
      "tova",
      "TOVA: keeps what the last query attends to, summed over the heads that share a choice.",
      "arXiv 2401.06104; schwartz-lab-NLP/TOVA");
  entry.scope = Scope::per_layer;
  return entry;
}

}  // namespace vacancy
