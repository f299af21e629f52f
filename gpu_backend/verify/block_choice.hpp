// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/verify/keep_set_check.hpp"
#include "gpu_backend/verify/kernel_scores.hpp"

namespace vacancy::verify {

/// A choice of whole blocks, put as one among blocks that may go. The newest block stays, and so
/// does each with a token that does; beside the newest so many full ones as the budget asks for.
class BlockChoice {
 public:
  /// `kept`: what the event says of each token. Throws a BookFault where a block is torn, or one
  /// that stays is not whole. How many blocks stay is counted in `kept` if `shares_told`.
  BlockChoice(const SetChoice& tokens, const std::vector<bool>& kept, std::uint32_t block_size,
              bool shares_told);

  const SetChoice& choice() const { return choice_; }
  /// Of each of its blocks, whether the event keeps it.
  const std::vector<bool>& kept() const { return kept_; }
  /// What the kernel makes of the tokens' scores, block by block.
  KernelScores worths(gpu::Device& device, const KernelScores& scores, gpu::BlockJoin join) const;

 private:
  std::uint32_t block_size_;
  std::vector<std::uint32_t> slots_;  // of each token
  SetChoice choice_;
  std::vector<bool> kept_;
};

}  // namespace vacancy::verify
