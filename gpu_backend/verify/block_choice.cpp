// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/block_choice.hpp"

#include <algorithm>
#include <limits>

#include "gpu_backend/reference/scores.hpp"

namespace vacancy::verify {

BlockChoice::BlockChoice(const SetChoice& tokens, const std::vector<bool>& kept,
                         std::uint32_t block_size, bool shares_told)
    : block_size_(block_size),
      slots_(tokens.slots.begin(), tokens.slots.begin() + tokens.computed),
      choice_(tokens) {
  const std::uint32_t newest = *std::max_element(slots_.begin(), slots_.end()) / block_size;
  std::vector<std::uint32_t> live(newest + 1), staying(newest + 1);  // tokens of each block
  std::vector<bool> forced(newest + 1);
  forced[newest] = true;
  for (std::uint32_t i = 0; i < tokens.computed; ++i) {
    const std::uint32_t block = slots_[i] / block_size;
    ++live[block];
    staying[block] += kept[i];
    if (i < tokens.begin || i >= tokens.end) forced[block] = true;
  }
  for (std::uint32_t i = 0; i < tokens.computed; ++i) {
    const std::uint32_t block = slots_[i] / block_size;
    if (!kept[i] && (forced[block] || staying[block] > 0))
      throw_misranked(tokens, i, true, "the rules of whole blocks");
  }

  choice_.among = "block";
  choice_.live.clear();
  choice_.slots.clear();
  for (std::uint32_t block = 0; block <= newest; ++block) {
    if (forced[block] || live[block] == 0) continue;
    choice_.live.push_back(block);
    kept_.push_back(staying[block] > 0);
  }
  choice_.begin = 0;
  choice_.end = choice_.computed = static_cast<std::uint32_t>(choice_.live.size());
  if (shares_told) {
    choice_.keep = static_cast<std::uint32_t>(std::count(kept_.begin(), kept_.end(), true));
    return;
  }
  const std::uint32_t stay = tokens.keep + tokens.computed - tokens.open();
  const std::uint32_t beside_newest = stay - std::min(stay, live[newest]);
  const std::uint32_t blocks = 1 + (beside_newest + block_size - 1) / block_size;
  const auto certain = static_cast<std::uint32_t>(std::count(forced.begin(), forced.end(), true));
  choice_.keep = std::min(blocks - std::min(blocks, certain), choice_.open());
}

KernelScores BlockChoice::worths(gpu::Device& device, const KernelScores& scores,
                                 gpu::BlockJoin join) const {
  // The kernel reads scores where tokens stand, not-a-number where none does.
  const std::vector<float> of_tokens = scores.scores.download();
  const std::size_t blocks = *std::max_element(slots_.begin(), slots_.end()) / block_size_ + 1;
  std::vector<float> at_slots(blocks * block_size_, std::numeric_limits<float>::quiet_NaN());
  std::vector<std::vector<double>> of_blocks(blocks);
  std::vector<double> errors(blocks);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::size_t block = slots_[i] / block_size_;
    const double score{of_tokens[i]};
    at_slots[slots_[i]] = of_tokens[i];
    of_blocks[block].push_back(score);
    // Each addition rounds, by a share of what there is at most.
    const double rounding = static_cast<double>(block_size_) * 0x1.0p-24 * std::abs(score);
    const double error = scores.error(score) + scores.doubt(i) + rounding;
    errors[block] =
        join == gpu::BlockJoin::max ? std::max(errors[block], error) : errors[block] + error;
  }
  const gpu::Buffer row(device, at_slots);
  const gpu::Buffer end(device, std::vector{static_cast<std::int32_t>(at_slots.size())});
  const gpu::Buffer<float> target(device, blocks);
  device.run(gpu::AggregateBlocks{.rows = {.data = row.data(),
                                           .stride = static_cast<std::int64_t>(at_slots.size()),
                                           .requests = 1,
                                           .end = end.data()},
                                  .slots = static_cast<int>(block_size_),
                                  .join = join,
                                  .target = target.data(),
                                  .target_stride = static_cast<std::int64_t>(blocks)});
  const std::vector<float> all = target.download();
  KernelScores worths;
  std::vector<float> of_choice;
  for (const std::uint32_t block : choice_.live) {
    const auto tokens = static_cast<double>(of_blocks[block].size());
    of_choice.push_back(all[block]);
    worths.in_double.push_back(gpu::reference::block_worth(of_blocks[block], join));
    worths.doubts.push_back(join == gpu::BlockJoin::mean ? errors[block] / tokens : errors[block]);
  }
  worths.scores = gpu::Buffer<float>(device, of_choice);
  return worths;
}

}  // namespace vacancy::verify
