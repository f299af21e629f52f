// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/number_ranges.hpp"

namespace vacancy {

enum class KeepPattern { list, one_per_block, every_nth, chunks };

template <>
struct EnumNames<KeepPattern> {
  static constexpr EnumName<KeepPattern> table[] = {{KeepPattern::list, "list"},
                                                    {KeepPattern::one_per_block, "one_per_block"},
                                                    {KeepPattern::every_nth, "every_nth"},
                                                    {KeepPattern::chunks, "chunks"}};
};

namespace {

/// A keep set that is known beforehand.
class KeepList final : public EvictionPolicy {
 public:
  struct Options {
    KeepPattern pattern = KeepPattern::list;
    std::string tokens;
    std::uint32_t period = 16;
    std::uint32_t chunk_tokens = 4;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("pattern", &Options::pattern, "", {},
                 "Which tokens stay: those of `tokens`, the first live one of every block, every "
                 "`period`-th, or the first `chunk_tokens` of every `period`. The pattern decides "
                 "how many stay, not the budget; protected tokens stay as well.")
            .add("tokens", &Options::tokens, "", {},
                 "Positions for pattern list, with ranges that include both ends: 0-3,17,40-63.")
            .add("period", &Options::period, "tokens", {1, 1 << 30},
                 "Distance of the tokens of every_nth and of the chunks.")
            .add("chunk_tokens", &Options::chunk_tokens, "tokens", {1, 1 << 30},
                 "Length of each of the chunks.");
    return table;
  }

  KeepList(const Options& options, const PolicyContext& context)
      : options_(options),
        ranges_(parse_number_ranges(options.tokens, "eviction.keep_list.tokens")) {
    if (context.note && options.pattern == KeepPattern::list && options.tokens.empty())
      context.note(
          "The keep list is empty, so every token goes that nothing protects "
          "(eviction.keep_list.tokens).");
  }

  KeepRule keep_rule() const override { return KeepRule::own; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    std::fill(scores.begin(), scores.end(), 0.0);
    for_each_kept(round, scratch, [&](std::size_t i) { scores[i] = 1.0; });
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    std::copy(round.guarded.begin(), round.guarded.end(), keep.begin());
    for_each_kept(round, scratch, [&](std::size_t i) { bits::set(keep, i); });
  }

 private:
  template <class F>
  void for_each_kept(const EvictionRound& round, SelectionScratch& scratch, F&& f) const {
    auto range = ranges_.begin();
    scratch.keys.clear();  // bit b: block b has its token
    for (std::size_t i = 0; i < round.live.size(); ++i) {
      const std::uint32_t position = round.live[i];
      bool stays = false;
      switch (options_.pattern) {
        case KeepPattern::list:
          while (range != ranges_.end() && range->second < position)
            ++range;
          stays = range != ranges_.end() && range->first <= position;
          break;
        case KeepPattern::one_per_block:
          stays = first_visit(round.slots[i] / round.block_size, scratch.keys);
          break;
        case KeepPattern::every_nth:
          stays = position % options_.period == 0;
          break;
        case KeepPattern::chunks:
          stays = position % options_.period < options_.chunk_tokens;
          break;
      }
      if (stays) f(i);
    }
  }

  static bool first_visit(std::size_t block, std::vector<std::uint64_t>& visited) {
    if (visited.size() < bits::words(block + 1)) visited.resize(bits::words(block + 1), 0);
    if (bits::test(visited, block)) return false;
    bits::set(visited, block);
    return true;
  }

  Options options_;
  NumberRanges ranges_;
};

}  // namespace

PolicyEntry keep_list_entry() {
  PolicyEntry entry = entry_of<KeepList>(
      "keep_list", "Keeps an explicit list of tokens or a regular pattern, for every set.", "");
  entry.trigger = TriggerKind::once;
  return entry;
}

}  // namespace vacancy
