// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu_backend/kernels/row_operations.hpp"
#include "gpu_backend/verify/books.hpp"
#include "sim/eviction/evictor_options.hpp"
#include "sim/eviction/policy.hpp"

namespace vacancy::verify {

/// Whole blocks stay, by what their tokens' scores join to.
struct BlockRule {
  gpu::BlockJoin worth = gpu::BlockJoin::sum;
  bool tokens_at_prompt_end = false;  // the round there chooses token by token
};

/// How many tokens stay in a round, and which ones whatever their score.
struct ChoiceRule {
  std::uint32_t keep = 0;  // tokens a set keeps; a prompt outside the budget not counted
  PromptRule prompt = PromptRule::evictable;
  Protection protection;
  /// How many a set keeps is the policy's to say: taken from the event.
  bool shares_told = false;
  std::optional<BlockRule> blocks = {};
};

/// What one set could choose from: its tokens, or blocks that may go. Ordinals index `live`.
struct SetChoice {
  std::uint32_t table, set, policy_set;
  HeadRange heads;
  const char* among = "token";
  std::vector<std::uint32_t> live = {};   // ascending, those in flight at the end
  std::vector<std::uint32_t> slots = {};  // of each token in the table
  std::uint32_t computed = 0;             // ordinal behind the last one that is not in flight
  std::uint32_t begin = 0, end = 0;       // ordinals that may go
  std::uint32_t keep = 0;                 // how many of these stay

  std::uint32_t open() const { return end - begin; }
};

/// The choices that a decision leaves to scores, by the books before it. `in_flight` tokens at the
/// end of the sequence have no keys yet and stay.
std::vector<SetChoice> set_choices(const Books& books, SequenceId id, const TokensEvicted& event,
                                   const ChoiceRule& rule, std::uint32_t in_flight);

/// What the event says of a set's live tokens, one after the other. Throws a BookFault if one that
/// cannot go does.
std::vector<bool> told(const SetChoice& choice, const TokensEvicted& event);

/// "token 7 kept by set 2, as `ranker` rank it", found otherwise.
[[noreturn]] void throw_misranked(const SetChoice& choice, std::uint32_t ordinal, bool stays,
                                  const char* ranker);

struct SelectionCounts {
  std::uint64_t sets = 0;         // chosen anew by kernels
  std::uint64_t scored = 0;       // of these, by scores from keys and queries
  std::uint64_t passed_over = 0;  // rounds that were not chosen anew, to save time
  /// Tokens that the simulator's precision ranks on the other side of the threshold than the
  /// kernels', and the farthest of them from it, as a share of the tolerance.
  std::uint64_t differing = 0;
  double farthest = 0;
};

/// Chooses keep sets a second time, by kernels.
class KeepSetCheck {
 public:
  /// After `most_scores` scores only every 16th round is chosen anew.
  explicit KeepSetCheck(std::uint64_t most_scores) : most_scores_(most_scores) {}
  virtual ~KeepSetCheck() = default;

  /// Throws a BookFault if the decision on the sequence, as the books have it before, is not the
  /// one that the kernels make.
  virtual void check(const Books& books, SequenceId id, const TokensEvicted& event,
                     std::uint32_t in_flight) = 0;
  /// The sequence has left.
  virtual void forget(SequenceId) {}
  const SelectionCounts& counts() const { return counts_; }

 protected:
  /// Whether the next round is taken from the event, to save time. `scores`: made so far.
  bool passes_over(std::uint64_t scores) {
    ++rounds_;
    const bool passed = scores > most_scores_ && rounds_ % 16 != 0;
    counts_.passed_over += passed;
    return passed;
  }

  SelectionCounts counts_;

 private:
  std::uint64_t most_scores_, rounds_ = 0;
};

}  // namespace vacancy::verify
