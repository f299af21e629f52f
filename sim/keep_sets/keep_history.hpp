// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/keep_sets/keep_set_reader.hpp"
#include "sim/pool/keep_sets.hpp"

namespace vacancy {

/// Turns recorded steps into decisions: which of the tokens that a set holds stay. Holds the rules
/// of a recording: lengths never fall, what is new since the step before is live, and a token that
/// was evicted does not return.
class KeepHistory {
 public:
  explicit KeepHistory(KeepSetReader& reader);

  /// Moves to the next step; false at the end. Throws UserError with its place if it breaks a rule.
  bool next();
  std::uint64_t steps() const { return steps_; }
  /// Tokens that the sequence has at this step, and those of them that are new.
  std::uint32_t length() const { return step_.length; }
  std::uint32_t appended() const { return step_.length - before_; }
  /// What each set keeps, or null in a step that only grows.
  const KeepSets* decision() const { return step_.evicts ? &keep_ : nullptr; }

 private:
  void decide(std::uint32_t set);

  KeepSetReader& reader_;
  RecordedStep step_;
  std::uint64_t steps_ = 0;
  std::uint32_t before_ = 0;                      // length at the step before
  std::vector<std::vector<std::uint64_t>> live_;  // by set, masks over positions
  KeepSets keep_;
};

}  // namespace vacancy
