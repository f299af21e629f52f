// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {

enum class ChunkBase { snapkv, h2o, tova, knorm, keydiff, lagkv, r_kv };

template <>
struct EnumNames<ChunkBase> {
  static constexpr EnumName<ChunkBase> table[] = {
      {ChunkBase::snapkv, "snapkv"}, {ChunkBase::h2o, "h2o"},         {ChunkBase::tova, "tova"},
      {ChunkBase::knorm, "knorm"},   {ChunkBase::keydiff, "keydiff"}, {ChunkBase::lagkv, "lagkv"},
      {ChunkBase::r_kv, "r_kv"}};
};

namespace {

PolicyEntry base_entry(ChunkBase base) {
  switch (base) {
    case ChunkBase::snapkv:
      return snapkv_entry();
    case ChunkBase::h2o:
      return h2o_entry();
    case ChunkBase::tova:
      return tova_entry();
    case ChunkBase::knorm:
      return knorm_entry();
    case ChunkBase::keydiff:
      return keydiff_entry();
    case ChunkBase::lagkv:
      return lagkv_entry();
    case ChunkBase::r_kv:
      return r_kv_entry();
  }
  return snapkv_entry();
}

std::unique_ptr<EvictionPolicy> make_base(ChunkBase base, const PolicyContext& context) {
  const PolicyEntry entry = base_entry(base);
  ParameterValues defaults;
  for (const Parameter& parameter : entry.info.parameters)
    defaults[parameter.name] = parameter.default_value;
  return entry.make(defaults, context);
}

/// Whole chunks of neighbouring tokens by the mean of another method's scores.
class ChunkKv final : public EvictionPolicy {
 public:
  struct Options {
    ChunkBase base = ChunkBase::snapkv;
    std::uint32_t chunk_length = 20;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("base", &Options::base, "", {},
                 "The method whose scores count, with its own defaults. What it always keeps stays "
                 "here too, and is left out of its chunk's mean (ours).")
            .add("chunk_length", &Options::chunk_length, "tokens", {1, 1 << 20},
                 "Tokens of a chunk: aligned positions (ours, so that a chunk stays one in later "
                 "rounds). Chunks stay whole; one that does not fit in the budget goes, with all "
                 "that are worse, but of the best one as much stays as fits (ours).");
    return table;
  }

  ChunkKv(const Options& options, const PolicyContext& context)
      : length_(options.chunk_length), base_(make_base(options.base, context)) {}

  PolicyNeeds needs() const override { return base_->needs(); }
  std::unique_ptr<SequenceState> open_state(const AttentionShape& shape,
                                            std::uint32_t prompt_tokens) const override {
    return base_->open_state(shape, prompt_tokens);
  }
  KeepCount keep_count() const override { return KeepCount::fewer; }
  Protection protection(std::uint32_t budget) const override { return base_->protection(budget); }

  /// The mean of the token's chunk, over what may go; of no use where nothing of it may.
  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    base_->score(round, scores, scratch);
    for (std::size_t first = 0, end = 0; first < scores.size(); first = end) {
      end = chunk_end(round, first);
      double sum = 0;
      std::uint32_t open = 0;
      for (std::size_t i = first; i < end; ++i) {
        if (bits::test(round.guarded, i)) continue;
        sum += scores[i];
        ++open;
      }
      std::fill(scores.begin() + static_cast<std::ptrdiff_t>(first),
                scores.begin() + static_cast<std::ptrdiff_t>(end), open > 0 ? sum / open : 0.0);
    }
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    const std::span<const double> scores = scores_of(*this, round, scratch);
    std::vector<std::uint32_t>& chunks = scratch.order;  // the first ordinal of each that may go
    chunks.clear();
    for (std::size_t first = 0; first < round.live.size(); first = chunk_end(round, first))
      if (open_tokens(round, first) > 0) chunks.push_back(static_cast<std::uint32_t>(first));
    std::sort(chunks.begin(), chunks.end(), [&](std::uint32_t a, std::uint32_t b) {
      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });

    std::copy(round.guarded.begin(), round.guarded.end(), keep.begin());
    const std::size_t guarded = bits::count(round.guarded);
    const std::size_t open = round.live.size() - guarded;
    std::size_t room = round.keep - guarded;
    const std::size_t count = std::max<std::size_t>(1, chunks.size() * room / open);
    for (std::size_t rank = 0; rank < count; ++rank) {
      const std::size_t size = open_tokens(round, chunks[rank]);
      if (rank > 0 && size > room) break;
      for (std::size_t i = chunks[rank]; i < chunk_end(round, chunks[rank]) && room > 0; ++i) {
        if (bits::test(round.guarded, i)) continue;
        bits::set(keep, i);
        --room;
      }
    }
  }

 private:
  /// The ordinal behind the chunk of live[first].
  std::size_t chunk_end(const EvictionRound& round, std::size_t first) const {
    std::size_t end = first + 1;
    while (end < round.live.size() && round.live[end] / length_ == round.live[first] / length_)
      ++end;
    return end;
  }

  std::size_t open_tokens(const EvictionRound& round, std::size_t first) const {
    const std::size_t end = chunk_end(round, first);
    return end - first - bits::count_range(round.guarded, first, end);
  }

  std::uint32_t length_;
  std::unique_ptr<EvictionPolicy> base_;
};

}  // namespace

PolicyEntry chunkkv_entry() {
  PolicyEntry entry = prompt_entry_of<ChunkKv>(
      "chunkkv",
      "ChunkKV: keeps whole chunks of neighbouring tokens, by the mean of another method's scores.",
      "arXiv 2502.00299; NVIDIA/kvpress chunkkv_press");
  entry.scope = Scope::per_layer;
  return entry;
}

}  // namespace vacancy
