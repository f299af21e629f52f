// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vacancy {

/// Which components of a head's vector form one rotated pair (band f of d/2).
enum class RopePairing {
  interleaved,  // (2f, 2f + 1): llama2.c, GPT-J
  half,         // (f, f + d/2): Hugging Face's Llama and Qwen, TriAttention
};

/// Rotary position embedding: at position p, band f turns by p · theta^(-2f/d). The table of sines
/// and cosines grows with the longest position asked for.
class RotaryTable {
 public:
  RotaryTable(std::uint32_t head_dim, double theta, RopePairing pairing);

  /// Angular frequency of each band, radians per token.
  const std::vector<double>& frequencies() const { return frequencies_; }

  /// Makes positions [0, length) available to rotate().
  void grow(std::uint32_t length);
  std::uint32_t length() const { return length_; }

  /// Rotates one head's vector in place by the angles of `position`.
  void rotate(std::span<float> vector, std::uint32_t position) const;

 private:
  std::uint32_t bands_;
  RopePairing pairing_;
  std::uint32_t length_ = 0;
  std::vector<double> frequencies_;
  std::vector<float> table_;  // per position: bands_ cosines, then bands_ sines
};

}  // namespace vacancy
