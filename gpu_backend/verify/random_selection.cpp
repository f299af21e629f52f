// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/random_selection.hpp"

#include <algorithm>

#include "gpu_backend/launch/buffer.hpp"
#include "sim/units/philox.hpp"

namespace vacancy::verify {

void RandomSelection::check(const Books& books, SequenceId id, const TokensEvicted& event,
                            std::uint32_t in_flight) {
  if (passes_over(draws_)) return;
  const CacheLayout& layout = books.layout();
  const std::vector<SetChoice> choices = set_choices(books, id, event, rule_, in_flight);
  // The counter's word for a set names the first of its (layer, KV head) pairs.
  const auto row_of = [&](const SetChoice& choice) {
    return std::size_t{choice.heads.first_layer} * layout.kv_heads() + choice.heads.first_head;
  };
  std::size_t rows = 0, longest = 1;
  for (const SetChoice& choice : choices) {
    rows = std::max(rows, row_of(choice) + 1);
    longest = std::max<std::size_t>(longest, choice.open());
  }
  draws_ += rows * longest;
  std::vector<std::uint32_t> tokens(rows * longest);
  for (const SetChoice& choice : choices)
    std::copy_n(choice.live.begin() + choice.begin, choice.open(),
                tokens.begin() + static_cast<std::ptrdiff_t>(row_of(choice) * longest));

  const PhiloxKey key = philox_key(seed_);
  const gpu::Buffer sequences(device_, std::vector{id.value()}),
      rounds(device_, std::vector{event.round}), positions(device_, tokens);
  const gpu::Buffer<std::uint32_t> draws(device_, tokens.size());
  gpu::RandomScores scores{.sequences = sequences.data(),
                           .rounds = rounds.data(),
                           .tokens = positions.data(),
                           .requests = 1,
                           .sets = static_cast<int>(rows),
                           .length = static_cast<int>(longest),
                           .scores = draws.data()};
  scores.key[0] = key[0];
  scores.key[1] = key[1];
  device_.run(scores);
  for (const SetChoice& choice : choices) {
    const std::vector<bool> kept = told(choice, event);
    std::vector<bool> wanted(kept.size(), true);
    if (choice.keep < choice.open()) {
      const gpu::Buffer end(device_, std::vector{static_cast<std::int32_t>(choice.open())});
      const gpu::Buffer<std::int32_t> best(device_, choice.keep);
      device_.run(gpu::TopK{
          .rows = {.data = reinterpret_cast<float*>(draws.data() + row_of(choice) * longest),
                   .stride = static_cast<std::int64_t>(longest),
                   .requests = 1,
                   .end = end.data()},
          .keep = static_cast<int>(choice.keep),
          .kept = best.data(),
          .unsigned_keys = true});
      std::fill(wanted.begin() + choice.begin, wanted.begin() + choice.end, false);
      for (const std::int32_t i : best.download())
        wanted[choice.begin + static_cast<std::size_t>(i)] = true;
    }
    for (std::uint32_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] != kept[i]) throw_misranked(choice, i, wanted[i], "the kernels' draws");
    counts_.sets += choice.keep < choice.open();
  }
}

}  // namespace vacancy::verify
