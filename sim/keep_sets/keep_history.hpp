// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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
  /// Makes room for so many words a set.
  void widen(std::size_t words);
  std::span<std::uint64_t> live(std::size_t set) {
    return std::span(live_).subspan(set * words_, words_);
  }

  KeepSetReader& reader_;
  RecordedStep step_;
  std::uint64_t steps_ = 0;
  std::uint32_t before_ = 0;  // length at the step before
  std::size_t sets_, words_ = 0;
  std::vector<std::uint64_t> live_;  // masks over positions, one set behind the other
  KeepSets keep_;
};

}  // namespace vacancy
