// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// What a step computes, as far as its time depends on it (spec rtx4090_run §3). Contexts are
/// counted in slots that attention reads: after an eviction fewer than the sequence's tokens.
struct StepWork {
  std::uint64_t prefill_tokens = 0;   // p: without hits, with recomputation
  std::uint64_t twice_attention = 0;  // 2A = sum over chunks of n (2 c + n), c tokens being there
  std::uint64_t decode_context = 0;   // K
  std::uint32_t decodes = 0;          // n
  std::uint32_t chunks = 0;           // sequences that prefill
  std::uint32_t longest_context = 0;  // X, of the whole step
  // The same as `twice_attention` and `decode_context` in layers whose queries see `window` tokens.
  std::uint32_t window = 0;  // 0: there are none
  std::uint64_t twice_window_attention = 0;
  std::uint64_t decode_window = 0;

  /// A sequence that gets one token; `context` includes it.
  void add_decode(std::uint32_t context) {
    ++decodes;
    decode_context += context;
    decode_window += std::min(context, window);
    longest_context = std::max(longest_context, context);
  }
  /// `tokens` tokens of a prompt, or of what a preemption lost, behind `present` ones.
  void add_chunk(std::uint32_t present, std::uint32_t tokens) {
    ++chunks;
    prefill_tokens += tokens;
    twice_attention += std::uint64_t{tokens} * (2 * std::uint64_t{present} + tokens);
    // The first ones see all that is before them, the others a whole window.
    const std::uint64_t growing = std::min(tokens, window - std::min(present, window));
    twice_window_attention +=
        growing * (2 * std::uint64_t{present} + growing) + 2 * (tokens - growing) * window;
    longest_context = std::max(longest_context, present + tokens);
  }
  std::uint32_t sequences() const { return decodes + chunks; }

  bool operator==(const StepWork&) const = default;
};

/// What a step's time is a sum of.
enum class StepTerm { step, prefill_token, attention_pair, context_token, longest_token, decode };

template <>
struct EnumNames<StepTerm> {
  static constexpr EnumName<StepTerm> table[] = {{StepTerm::step, "step_ns"},
                                                 {StepTerm::prefill_token, "prefill_token_ns"},
                                                 {StepTerm::attention_pair, "attention_pair_ns"},
                                                 {StepTerm::context_token, "context_token_ns"},
                                                 {StepTerm::longest_token, "longest_token_ns"},
                                                 {StepTerm::decode, "decode_ns"}};
};

/// A number for each term: how often it occurs in a step, or what one costs in nanoseconds.
class StepTerms {
 public:
  static constexpr std::size_t count = std::size(EnumNames<StepTerm>::table);

  double& operator[](StepTerm term) { return values_[static_cast<std::size_t>(term)]; }
  double operator[](StepTerm term) const { return values_[static_cast<std::size_t>(term)]; }
  bool operator==(const StepTerms&) const = default;

 private:
  std::array<double, count> values_{};
};

inline StepTerms terms_of(const StepWork& work) {
  StepTerms terms;
  terms[StepTerm::step] = 1;
  terms[StepTerm::prefill_token] = static_cast<double>(work.prefill_tokens);
  terms[StepTerm::attention_pair] = static_cast<double>(work.twice_attention) / 2;
  terms[StepTerm::context_token] = static_cast<double>(work.decode_context);
  terms[StepTerm::longest_token] = static_cast<double>(work.longest_context);
  terms[StepTerm::decode] = static_cast<double>(work.decodes);
  return terms;
}

/// Cost of each term in nanoseconds: one set for steps that only decode, one for those with
/// prefill.
struct StepTimeCoefficients {
  StepTerms decode, prefill;

  const StepTerms& of(const StepWork& work) const {
    return work.prefill_tokens > 0 ? prefill : decode;
  }
  bool operator==(const StepTimeCoefficients&) const = default;
};

}  // namespace vacancy
