// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/score_selection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>

#include "gpu_backend/verify/block_choice.hpp"
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
template <class Number>
std::vector<bool> ranked_by_simulator(const SetChoice& choice, const std::vector<Number>& scores) {
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

/// How far the score of the last token that stays may be off, since those of others are in doubt.
double doubt_of_threshold(const SetChoice& choice, const std::vector<float>& values,
                          const KernelScores& scores) {
  if (scores.doubts.empty() || choice.keep == 0) return 0;
  const auto threshold = [&](double sign) {
    std::vector<double> open;
    for (std::uint32_t i = choice.begin; i < choice.end; ++i)
      open.push_back(double{values[i]} + sign * scores.doubts[i]);
    const auto last = open.begin() + static_cast<std::ptrdiff_t>(choice.keep) - 1;
    std::nth_element(open.begin(), last, open.end(), std::greater<>());
    return *last;
  };
  const double as_is = threshold(0);
  return std::max(as_is - threshold(-1), threshold(1) - as_is);
}

/// Throws a BookFault where the kernels' scores are not those in double precision.
void compare_with_reference(const SetChoice& choice, const KernelScores& scores) {
  const std::vector<float> values = scores.scores.download();
  for (std::uint32_t i = choice.begin; i < choice.end; ++i) {
    const double wanted = scores.in_double[i], tolerance = scores.error(wanted) + scores.doubt(i);
    if (std::abs(double{values[i]} - wanted) <= tolerance) continue;
    std::ostringstream expected, found;
    expected << "score " << wanted << " of " << choice.among << " " << choice.live[i] << " in set "
             << choice.policy_set << ", tolerance " << tolerance;
    found << values[i] << " by the kernels";
    throw BookFault{choice.table, {}, {}, expected.str(), found.str()};
  }
}

/// Whether the choice leaves nothing to scores. Throws a BookFault if something goes that fits.
bool all_fit(const SetChoice& choice, const std::vector<bool>& kept) {
  if (choice.keep < choice.open()) return false;
  for (std::uint32_t i = choice.begin; i < choice.end; ++i)
    if (!kept[i]) throw_misranked(choice, i, true, "the budget, which all fit,");
  return true;
}

/// Of the choice's tokens, those at `ordinals`, ascending. `stay` of them stay, whatever their
/// score or for it.
SetChoice part_of(const SetChoice& choice, const std::vector<std::uint32_t>& ordinals,
                  std::uint32_t stay) {
  const auto behind = [&](std::uint32_t ordinal) {
    return static_cast<std::uint32_t>(std::lower_bound(ordinals.begin(), ordinals.end(), ordinal) -
                                      ordinals.begin());
  };
  SetChoice part = choice;
  part.live.clear();
  for (const std::uint32_t i : ordinals)
    part.live.push_back(choice.live[i]);
  part.computed = static_cast<std::uint32_t>(ordinals.size());
  part.begin = behind(choice.begin);
  part.end = behind(choice.end);
  part.keep = stay - (part.computed - part.open());
  return part;
}

}  // namespace

void ScoreSelection::check(const Books& books, SequenceId id, const TokensEvicted& event,
                           std::uint32_t in_flight) {
  if (passes_over(kernels_.work())) return;
  const std::uint32_t tokens = books.sequences().at(id).tokens();
  const std::uint32_t computed = tokens - std::min(tokens, in_flight);
  std::unique_ptr<SequenceAttention>& attention = attention_[id];
  if (attention == nullptr) attention = source_.open(id);
  attention->advance(computed);
  const bool by_blocks = rule_.blocks && !(rule_.blocks->tokens_at_prompt_end &&
                                           computed == books.sequences().at(id).prompt_tokens);
  for (const SetChoice& choice : set_choices(books, id, event, rule_, in_flight)) {
    const std::vector<bool> kept = told(choice, event);
    if (all_fit(choice, kept)) continue;
    if (by_blocks) {
      const BlockChoice blocks(choice, kept, books.block_size(), rule_.shares_told);
      if (all_fit(blocks.choice(), blocks.kept())) continue;
      const KernelScores scores = kernels_.score(*attention, id, choice, computed);
      compare_with_reference(choice, scores);
      compare(blocks.choice(), blocks.kept(), blocks.worths(device_, scores, rule_.blocks->worth));
    } else if (step_ > 0) {
      check_in_steps(*attention, id, choice, kept, step_, computed);
    } else {
      compare(choice, kept, kernels_.score(*attention, id, choice, computed));
    }
    ++counts_.sets;
    ++counts_.scored;
  }
}

void ScoreSelection::check_in_steps(const SequenceAttention& attention, SequenceId id,
                                    const SetChoice& choice, const std::vector<bool>& kept,
                                    std::uint32_t step, std::uint32_t next_position) {
  const std::uint32_t stay = choice.keep + choice.computed - choice.open();
  std::vector<std::uint32_t> running(stay);
  std::iota(running.begin(), running.end(), 0u);
  for (std::uint32_t next = stay; next < choice.computed;) {
    const std::uint32_t end = std::min(choice.computed - next, step) + next;
    for (; next < end; ++next)
      running.push_back(next);
    const SetChoice part = part_of(choice, running, stay);
    const KernelScores scores = kernels_.score(attention, id, part, next_position);
    std::vector<bool> kept_now;
    if (end < choice.computed)
      kept_now = ranked_by_simulator(part, scores.in_double);
    else
      for (const std::uint32_t i : running)
        kept_now.push_back(kept[i]);
    compare(part, kept_now, scores);
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0; i < running.size(); ++i)
      if (kept_now[i])
        left.push_back(running[i]);
      else if (kept[running[i]])
        throw_misranked(choice, running[i], false, "the kernels' scores of an earlier step");
    running = std::move(left);
  }
}

void ScoreSelection::compare(const SetChoice& choice, const std::vector<bool>& kept,
                             const KernelScores& scores) {
  const std::vector<float> values = scores.scores.download();
  compare_with_reference(choice, scores);
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
                    std::to_string(choice.keep) + " " + choice.among +
                        "s kept for their scores by set " + std::to_string(choice.policy_set),
                    std::to_string(kept_open)};
  const double common = 2 * scores.error(threshold) + doubt_of_threshold(choice, values, scores);
  bool equal_left = false;  // an equal one, in no doubt, was evicted
  for (std::uint32_t i = choice.begin; i < choice.end; ++i) {
    const double apart = std::abs(double{values[i]} - threshold),
                 tolerance = common + scores.doubt(i);
    if (!scores.doubts.empty() && apart == 0 && scores.doubt(i) == 0 &&
        scores.error(threshold) == 0) {
      if (kept[i] && equal_left)
        throw_misranked(choice, i, false, "the kernels' scores, of equal ones the first ones,");
      equal_left = equal_left || !kept[i];
    }
    if (kept[i] == stay[i]) continue;
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
