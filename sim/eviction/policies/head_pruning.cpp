// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "sim/eviction/number_lines.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/window_attention.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

enum class PrunedBy { gates, lazy_layers };

template <>
struct EnumNames<PrunedBy> {
  static constexpr EnumName<PrunedBy> table[] = {{PrunedBy::gates, "gates"},
                                                 {PrunedBy::lazy_layers, "lazy_layers"}};
};

namespace {

/// Heads or layers that look at the first and the last tokens only keep no others. A pruned set
/// forgets once and for all; whether a layer is lazy is asked anew each round.
class HeadPruning final : public EvictionPolicy {
 public:
  struct Options {
    PrunedBy by = PrunedBy::gates;
    std::optional<std::filesystem::path> gates;
    std::optional<double> threshold;
    std::optional<std::uint32_t> sinks, recent;
    std::uint32_t queries = 1;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("by", &Options::by, "", {},
                 "Which sets are pruned to sinks and recent tokens: heads whose gate is below the "
                 "threshold (DuoAttention), or layers whose last queries pay more than the "
                 "threshold of their attention to just these tokens (SimLayerKV). All others keep "
                 "everything, and the budget does not matter. A set that joins heads is pruned if "
                 "all of them are (ours), or by their mean attention.")
            .add("gates", &Options::gates, "", {},
                 "File of gates: a line a layer, a number a KV head. Needed where they decide.")
            .add("threshold", &Options::threshold, "share", {0, 1},
                 "Unless set, 0.5 for gates and 0.9 for lazy layers (advised for Llama 3; 0.85 for "
                 "Qwen; the public default of 1 prunes nothing).")
            .add("sinks", &Options::sinks, "tokens", {0, 1 << 24},
                 "First tokens that a pruned set keeps: unless set, 128 for gates, 4 for lazy "
                 "layers.")
            .add("recent", &Options::recent, "tokens", {1, 1 << 24},
                 "Last tokens that a pruned set keeps: unless set, 256 for gates, 1,024 for lazy "
                 "layers.")
            .add("queries", &Options::queries, "tokens", {1, 1 << 16},
                 "Last queries whose attention says whether a layer is lazy.");
    return table;
  }

  HeadPruning(const Options& options, const PolicyContext& context)
      : by_(options.by), queries_(options.queries) {
    const bool gates = by_ == PrunedBy::gates;
    threshold_ = options.threshold.value_or(gates ? 0.5 : 0.9);
    sinks_ = options.sinks.value_or(gates ? 128 : 4);
    recent_ = options.recent.value_or(gates ? 256 : 1024);
    const std::string key = "eviction.head_pruning.gates";
    if (gates && !options.gates)
      throw UserError(key +
                      " is missing; name a file with the gate of each KV head, or set "
                      "eviction.head_pruning.by to lazy_layers.");
    if (gates)
      gates_ = read_number_lines(*options.gates,
                                 {context.layers, context.kv_heads, "layer", "gate"}, context, key);
  }

  KeepRule keep_rule() const override { return KeepRule::own; }
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = by_ == PrunedBy::lazy_layers;
    return needs;
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const bool all = !pruned(round, scratch);
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = all || streamed(round, i) ? 1.0 : 0.0;
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    if (!pruned(round, scratch)) return bits::set_range(keep, 0, round.live.size());
    for (std::size_t i = 0; i < round.live.size(); ++i)
      if (streamed(round, i) || bits::test(round.guarded, i)) bits::set(keep, i);
  }

 private:
  bool streamed(const EvictionRound& round, std::size_t i) const {
    return round.live[i] < sinks_ || round.live[i] + recent_ >= round.next_position;
  }

  bool pruned(const EvictionRound& round, SelectionScratch& scratch) const {
    const HeadRange heads = round.heads();
    if (by_ == PrunedBy::lazy_layers) return lazy(round, scratch);
    for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
      for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head)
        if (gates_[layer * round.layout->kv_heads() + head] >= threshold_) return false;
    return true;
  }

  /// Whether the last queries of all heads of the set's layers look at sinks and recent tokens.
  bool lazy(const EvictionRound& round, SelectionScratch& scratch) const {
    const HeadRange heads = round.heads();
    const std::uint32_t first_query = window_start(round, queries_);
    double mass = 0, rows = 0;
    for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
      for (std::uint32_t head = 0; head < round.layout->kv_heads(); ++head) {
        scratch.parts.assign(round.live.size(), 0.0);
        add_window_attention(round, layer, head, first_query, round.live.size(), scratch.parts,
                             scratch.vectors);
        for (std::size_t i = 0; i < round.live.size(); ++i)
          if (streamed(round, i)) mass += scratch.parts[i];
        rows += round.attention->shape().group() * (round.next_position - first_query);
      }
    return mass > threshold_ * rows;
  }

  PrunedBy by_;
  std::uint32_t queries_, sinks_ = 0, recent_ = 0;
  double threshold_ = 0;
  std::vector<double> gates_;  // [layer * KV heads + head]
};

}  // namespace

PolicyEntry head_pruning_entry() {
  PolicyEntry entry = entry_of<HeadPruning>(
      "head_pruning",
      "Heads or layers that look at the first and last tokens only keep no others; the rest keep "
      "everything.",
      "DuoAttention, arXiv 2410.10819; SimLayerKV, arXiv 2410.13846");
  entry.scope = Scope::per_layer_per_head;
  entry.trigger = TriggerKind::slack;
  return entry;
}

}  // namespace vacancy
