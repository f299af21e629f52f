// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/units/error.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

// Requests are numbered from 0 on. One in beam search has several sequences in the cache: candidate
// 3 of request 42 is sequence 300000042, and its first candidate is sequence 42, as if it were
// alone. What stays pinned of its prompt is one more, sequence 3200000042.

inline constexpr std::uint32_t candidate_stride = 100'000'000;
/// Of one request; 42 would fit into 32 bits.
inline constexpr std::uint32_t most_candidates = 32;

constexpr SequenceId candidate_id(SequenceId request, std::uint32_t candidate) {
  if (candidate == 0) return request;
  VACANCY_ASSERT(candidate < most_candidates && request.value() < candidate_stride,
                 "a candidate has a number of its own");
  return SequenceId(candidate * candidate_stride + request.value());
}

constexpr SequenceId pin_id(SequenceId request) {
  VACANCY_ASSERT(request.value() < candidate_stride, "a pinned prompt has a number of its own");
  return SequenceId(most_candidates * candidate_stride + request.value());
}

constexpr SequenceId request_of(SequenceId sequence) {
  return SequenceId(sequence.value() % candidate_stride);
}

}  // namespace vacancy
