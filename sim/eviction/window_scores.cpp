// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/window_scores.hpp"

#include "sim/eviction/selection.hpp"
#include "sim/eviction/window_attention.hpp"

namespace vacancy {

void add_window_scores(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                       const WindowOptions& options, GroupRule group, std::span<double> sums,
                       SelectionScratch& scratch) {
  const std::uint32_t first_query = window_start(round, options.window);
  const std::size_t candidates = live_before(round, first_query), tokens = round.live.size();
  const std::uint32_t members = round.attention->shape().group();
  std::vector<double>& received = scratch.parts;
  received.assign(candidates, 0.0);
  if (group == GroupRule::mean) {
    add_window_attention(round, layer, kv_head, first_query, tokens, received, scratch.vectors);
  } else {
    received.resize(2 * candidates);
    const auto best = std::span(received).first(candidates);
    const auto one = std::span(received).subspan(candidates);
    for (std::uint32_t member = 0; member < members; ++member) {
      std::fill(one.begin(), one.end(), 0.0);
      add_head_attention(round, layer, kv_head * members + member, first_query, tokens, one,
                         scratch.vectors);
      for (std::size_t i = 0; i < candidates; ++i)
        best[i] = std::max(best[i], one[i]);
    }
  }
  add_pooled(std::span(received).first(candidates), options.kernel, options.pooling,
             sums.first(candidates));
}

void score_by_window(const EvictionRound& round, const WindowOptions& options, GroupRule group,
                     std::span<double> scores, SelectionScratch& scratch) {
  sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
    add_window_scores(round, layer, head, options, group, sums, scratch);
  });
}

}  // namespace vacancy
