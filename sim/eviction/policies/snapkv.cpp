// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "sim/eviction/policies/entries.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

enum class Pooling { avg, max };

template <>
struct EnumNames<Pooling> {
  static constexpr EnumName<Pooling> table[] = {{Pooling::avg, "avg"}, {Pooling::max, "max"}};
};

namespace {

struct Options {
  std::uint32_t window = 32;
  std::uint32_t kernel = 5;
  Pooling pooling = Pooling::avg;
};

const OptionTable<Options>& option_table() {
  static const auto table =
      OptionTable<Options>()
          .add("window", &Options::window, "tokens", {1, 1 << 16},
               "The last queries, whose attention scores the tokens before them; these last "
               "tokens always stay.")
          .add("kernel", &Options::kernel, "tokens", {1, 4095},
               "Odd width of the pooling over neighbouring tokens; 1 for none.")
          .add("pooling", &Options::pooling, "", {},
               "Average or maximum over the kernel, per KV head before heads are joined.");
  return table;
}

/// Pools over candidates [0, n). Past the ends an average sees zeros and still divides by the
/// kernel's width, a maximum sees nothing (the paper's code: PyTorch's default padding).
void add_pooled(std::span<const double> values, const Options& options, std::span<double> sums) {
  const std::size_t half = options.kernel / 2;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = i - std::min(i, half);
    const auto near = values.subspan(first, std::min(values.size(), i + half + 1) - first);
    if (options.pooling == Pooling::max) {
      sums[i] += *std::max_element(near.begin(), near.end());
    } else {
      double sum = 0;
      for (const double value : near)
        sum += value;
      sums[i] += sum / options.kernel;
    }
  }
}

/// The tokens that the last `window` queries attend to. Softmax runs over the cached tokens: rows
/// of the uncompressed run are scaled so that the live ones sum to 1.
class SnapKv final : public EvictionPolicy {
 public:
  explicit SnapKv(const Options& options) : options_(options) {
    if (options.kernel % 2 == 0)
      throw UserError("eviction.snapkv.kernel is " + std::to_string(options.kernel) +
                      "; pooling is centred on a token, so take an odd width.");
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {0, options_.window}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const std::uint32_t window_start =
        round.next_position - std::min(round.next_position, options_.window);
    const auto candidates = static_cast<std::size_t>(
        std::lower_bound(round.live.begin(), round.live.end(), window_start) - round.live.begin());
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      scratch.parts.assign(candidates, 0.0);
      add_window_attention(round, layer, head, window_start, scratch.parts, scratch.vectors);
      add_pooled(scratch.parts, options_, sums.first(candidates));
    });
  }

 private:
  /// received[i]: attention of the window's queries to candidate i, summed over the head's group.
  void add_window_attention(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                            std::uint32_t window_start, std::span<double> received,
                            std::vector<float>& row) const {
    const std::uint32_t group = round.attention->shape().group();
    for (std::uint32_t member = 0; member < group; ++member) {
      for (std::uint32_t query = window_start; query < round.next_position; ++query) {
        row.resize(std::size_t{query} + 1);
        round.attention->weights(layer, kv_head * group + member, query, row);
        double live_mass = 0;
        for (std::size_t i = 0; i < round.live.size() && round.live[i] <= query; ++i)
          live_mass += double{row[round.live[i]]};
        if (live_mass <= 0) continue;
        for (std::size_t i = 0; i < received.size(); ++i)
          received[i] += double{row[round.live[i]]} / live_mass;
      }
    }
  }

  Options options_;
};

}  // namespace

PolicyEntry snapkv_entry() {
  PolicyEntry entry;
  entry.info.name = "snapkv";
  entry.info.summary =
      "SnapKV: keeps what the last queries attend to, pooled, and the last tokens.";
  entry.info.citation = "arXiv 2404.14469; FasterDecoding/SnapKV";
  entry.info.parameters = option_table().parameters();
  entry.scope = Scope::per_layer_per_head;
  entry.prompt = PromptRule::evictable;
  entry.trigger = TriggerKind::once;
  entry.once = OnceAt::prompt_end;
  entry.make = [](const ParameterValues& values,
                  const PolicyContext&) -> std::unique_ptr<EvictionPolicy> {
    return std::make_unique<SnapKv>(option_table().read(values));
  };
  return entry;
}

}  // namespace vacancy
