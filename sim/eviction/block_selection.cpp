// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

constexpr std::size_t top_tokens = 4;

/// Worth of every block up to the newest one, in `worth`. Blocks without live tokens get minus
/// infinity, so that they are never chosen before one that has some.
class BlockWorth {
 public:
  BlockWorth(BlockAggregate aggregate, std::size_t blocks, SelectionScratch& scratch)
      : aggregate_(aggregate), worth_(scratch.parts), count_(scratch.draws) {
    width_ = aggregate == BlockAggregate::top4 ? top_tokens : 1;
    const bool largest = aggregate == BlockAggregate::max || aggregate == BlockAggregate::top4;
    worth_.assign(blocks * width_, largest ? none : 0.0);
    count_.assign(blocks, 0);
  }

  void add(std::size_t block, double score) {
    double* worth = worth_.data() + block * width_;
    ++count_[block];
    switch (aggregate_) {
      case BlockAggregate::sum:
      case BlockAggregate::mean:
        *worth += score;
        break;
      case BlockAggregate::max:
        *worth = std::max(*worth, score);
        break;
      case BlockAggregate::top4:  // descending; the new score sinks to its place
        for (std::size_t i = 0; i < top_tokens; ++i)
          if (score > worth[i]) std::swap(score, worth[i]);
        break;
    }
  }

  bool live(std::size_t block) const { return count_[block] != 0; }

  /// One value a block, at the front of `scratch.parts`.
  std::span<const double> finish() {
    for (std::size_t block = 0; block < count_.size(); ++block) {
      double value = worth_[block * width_];
      if (!live(block)) {
        value = none;
      } else if (aggregate_ == BlockAggregate::mean) {
        value /= count_[block];
      } else if (aggregate_ == BlockAggregate::top4) {
        for (std::size_t i = 1; i < std::min<std::size_t>(count_[block], top_tokens); ++i)
          value += worth_[block * width_ + i];
      }
      worth_[block] = value;
    }
    return std::span(worth_).first(count_.size());
  }

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();

  BlockAggregate aggregate_;
  std::size_t width_;
  std::vector<double>& worth_;
  std::vector<std::uint32_t>& count_;
};

}  // namespace

void keep_best_blocks(const EvictionRound& round, std::span<const double> scores,
                      BlockAggregate aggregate, std::span<std::uint64_t> kept,
                      SelectionScratch& scratch) {
  if (round.live.empty()) return;
  const std::uint32_t newest =
      *std::max_element(round.slots.begin(), round.slots.end()) / round.block_size;
  const auto block_of = [&](std::size_t i) { return round.slots[i] / round.block_size; };

  BlockWorth blocks(aggregate, std::size_t{newest} + 1, scratch);
  std::vector<std::uint64_t>& forced = scratch.keys;
  forced.assign(bits::words(std::size_t{newest} + 1), 0);
  bits::set(forced, newest);
  bool ordered = true;
  for (std::size_t i = 0; i < round.live.size(); ++i) {
    // A guarded block stays whatever it is worth, and policies leave guarded scores undefined.
    const bool guarded = bits::test(round.guarded, i);
    if (guarded) bits::set(forced, block_of(i));
    ordered &= guarded || scores[i] == scores[i];
    blocks.add(block_of(i), guarded ? 0.0 : scores[i]);
  }
  VACANCY_ASSERT(ordered, "a score is a number");
  const std::span<const double> worth = blocks.finish();

  std::vector<std::uint32_t>& others = scratch.order;
  others.clear();
  for (std::uint32_t block = 0; block < newest; ++block)
    if (blocks.live(block) && !bits::test(forced, block)) others.push_back(block);
  // Beside the newest block as many full ones as the budget asks for: up to B - 1 tokens above it.
  const auto in_newest = static_cast<std::uint32_t>(
      std::count_if(round.slots.begin(), round.slots.end(),
                    [&](std::uint32_t slot) { return slot / round.block_size == newest; }));
  const std::size_t rest = round.keep - std::min(round.keep, in_newest);
  const std::size_t wanted = 1 + (rest + round.block_size - 1) / round.block_size;
  const std::size_t open = wanted - std::min(wanted, bits::count(forced));
  if (open < others.size())
    std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(open),
                     others.end(), [&](std::uint32_t a, std::uint32_t b) {
                       return worth[a] != worth[b] ? worth[a] > worth[b] : a < b;
                     });
  for (std::size_t i = 0; i < std::min(open, others.size()); ++i)
    bits::set(forced, others[i]);

  for (std::size_t i = 0; i < round.live.size(); ++i)
    if (bits::test(forced, block_of(i))) bits::set(kept, i);
}

}  // namespace vacancy
