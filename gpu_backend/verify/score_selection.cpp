// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/score_selection.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy::verify {

namespace {

/// Ordinals that stay, by the kernel's top-k.
std::vector<bool> ranked_by_kernel(gpu::Device& device, const SetChoice& choice,
                                   const KernelScores& scores) {
  std::vector<bool> stay(choice.computed, true);
  std::fill(stay.begin() + choice.begin, stay.begin() + choice.end, false);
  if (choice.keep == 0) return stay;
  const gpu::Buffer begin(device, std::vector{static_cast<std::int32_t>(choice.begin)}),
      end(device, std::vector{static_cast<std::int32_t>(choice.end)});
  const gpu::Buffer<std::int32_t> best(device, choice.keep);
  device.run(gpu::TopK{.rows = {.data = scores.scores.data(),
                                .stride = static_cast<std::int64_t>(choice.computed),
                                .requests = 1,
                                .begin = begin.data(),
                                .end = end.data()},
                       .keep = static_cast<int>(choice.keep),
                       .kept = best.data()});
  for (const std::int32_t i : best.download())
    stay[static_cast<std::size_t>(i)] = true;
  return stay;
}

/// The same by the simulator's selection.
std::vector<bool> ranked_by_simulator(const SetChoice& choice, const std::vector<float>& scores) {
  // Those of tokens that stay anyway may be anything.
  std::vector<double> values(choice.computed);
  std::copy(scores.begin() + choice.begin, scores.begin() + choice.end,
            values.begin() + choice.begin);
  std::vector<std::uint64_t> guarded(bits::words(choice.computed)), kept(guarded.size());
  bits::set_range(guarded, 0, choice.begin);
  bits::set_range(guarded, choice.end, choice.computed);
  SelectionScratch scratch;
  keep_best(values, guarded, choice.keep + choice.computed - choice.open(), kept, scratch);
  std::vector<bool> stay(choice.computed);
  for (std::size_t i = 0; i < stay.size(); ++i)
    stay[i] = bits::test(kept, i);
  return stay;
}

}  // namespace

void ScoreSelection::check(const Books& books, SequenceId id, const TokensEvicted& event,
                           std::uint32_t in_flight) {
  ++rounds_;
  if (kernels_.work() > most_work_ && rounds_ % 16 != 0) {
    ++counts_.passed_over;
    return;
  }
  const std::uint32_t tokens = books.sequences().at(id).tokens();
  const std::uint32_t computed = tokens - std::min(tokens, in_flight);
  std::unique_ptr<SequenceAttention>& attention = attention_[id];
  if (attention == nullptr) attention = source_.open(id);
  attention->advance(computed);
  for (const SetChoice& choice : set_choices(books, id, event, rule_, in_flight)) {
    const std::vector<bool> kept = told(choice, event);
    if (choice.keep < choice.open()) {
      compare(choice, kept, kernels_.score(*attention, id, choice, computed));
      ++counts_.sets;
      ++counts_.scored;
      continue;
    }
    for (std::uint32_t i = choice.begin; i < choice.end; ++i)
      if (!kept[i]) throw_misranked(choice, i, true, "the budget, which all fit,");
  }
}

void ScoreSelection::compare(const SetChoice& choice, const std::vector<bool>& kept,
                             const KernelScores& scores) {
  const std::vector<float> values = scores.scores.download();
  const std::vector<bool> stay = ranked_by_kernel(device_, choice, scores);
  const std::vector<bool> same = ranked_by_simulator(choice, values);
  double threshold = HUGE_VAL;  // none stays
  for (std::uint32_t i = choice.begin; i < choice.end; ++i) {
    if (stay[i] != same[i])
      throw_misranked(choice, i, same[i], "the simulator's selection and the same scores");
    if (stay[i]) threshold = std::min(threshold, double{values[i]});
  }
  const auto kept_open = std::count(kept.begin() + choice.begin, kept.begin() + choice.end, true);
  if (kept_open != static_cast<std::ptrdiff_t>(choice.keep))
    throw BookFault{choice.table,
                    {},
                    {},
                    std::to_string(choice.keep) + " tokens kept for their scores by set " +
                        std::to_string(choice.policy_set),
                    std::to_string(kept_open)};
  const double tolerance = 2 * scores.error(threshold);
  for (std::uint32_t i = choice.begin; i < choice.end; ++i) {
    if (kept[i] == stay[i]) continue;
    const double apart = std::abs(double{values[i]} - threshold);
    if (!(apart <= tolerance)) {
      std::ostringstream ranker;
      ranker << "the kernels' scores (its own " << values[i] << ", threshold " << threshold
             << ", tolerance " << tolerance << ")";
      throw_misranked(choice, i, stay[i], ranker.str().c_str());
    }
    ++counts_.differing;
    counts_.farthest = std::max(counts_.farthest, apart / tolerance);
  }
}

void ScoreSelection::forget(SequenceId id) {
  attention_.erase(id);
  kernels_.forget(id);
}

}  // namespace vacancy::verify
