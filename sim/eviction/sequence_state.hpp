// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/attention/attention.hpp"

namespace vacancy {

/// What a policy remembers of a sequence's queries, taken in order. A memo of a pure function of
/// (attention, length), kept because recomputing it in each round is quadratic: which rounds there
/// were before, and what they evicted, leaves no trace in it but by the queries themselves.
class SequenceState {
 public:
  virtual ~SequenceState() = default;

  /// For an oracle: rows of the queries before `known` may be read, which is not less than the
  /// length that `advance` is told next. The attention may have more of them, for other readers.
  virtual void look_ahead(std::uint32_t /*known*/) {}
  /// Takes in the queries up to `length` that are not in yet; the attention has that many. Shorter
  /// than before is a no-op.
  virtual void advance(const SequenceAttention& attention, std::uint32_t length) = 0;
};

}  // namespace vacancy
