// SPDX-License-Identifier: Apache-2.0
// Included by philox.cpp once per instruction set, with
//   VACANCY_LANES           name of the class,
//   VACANCY_LANES_TARGET    the function attribute that allows the instructions,
//   VACANCY_LANES_BYTES     size of a vector,
//   VACANCY_LANES_MULTIPLY  low 32 bits × low 32 bits → 64 bits, lane by lane.

/// Batch::draw with a token in each 64-bit lane. A product fills its lane; as a multiplication
/// reads low halves only, the high halves of other values are left as they come.
class VACANCY_LANES {
 public:
  /// Draws for the first tokens, as far as whole vectors go; how many.
  VACANCY_LANES_TARGET static std::size_t draws(const Batch& batch,
                                                std::span<const std::uint32_t> tokens,
                                                std::span<std::uint32_t> out) {
    constexpr std::size_t at_once = sizeof(Lanes) / sizeof(std::uint32_t);
    std::size_t i = 0;
    for (; i + at_once <= tokens.size(); i += at_once) {
      Lanes both;  // even tokens in the low halves, odd ones in the high halves
      std::memcpy(&both, tokens.data() + i, sizeof both);
      const Lanes even = draw(batch, both), odd = draw(batch, both >> 32);
      both = (even & 0xFFFFFFFF) | (odd << 32);
      std::memcpy(out.data() + i, &both, sizeof both);
    }
    return i;
  }

 private:
  using Lanes [[gnu::vector_size(VACANCY_LANES_BYTES)]] = std::uint64_t;

  [[gnu::always_inline]] VACANCY_LANES_TARGET static Lanes draw(const Batch& batch, Lanes token) {
    const Lanes multiplier0 = Lanes{} + m0, multiplier1 = Lanes{} + m1;
    const Lanes p = VACANCY_LANES_MULTIPLY(multiplier1, token ^ batch.token_mask);
    const Lanes q = VACANCY_LANES_MULTIPLY(multiplier0, (p >> 32) ^ batch.second_mask);
    Lanes x0 = p ^ batch.third_mask, x1 = Lanes{} + batch.third_low;
    Lanes x2 = (q >> 32) ^ batch.third_key, x3 = q;
    for (int round = 3; round < 9; ++round) {
      const Lanes p0 = VACANCY_LANES_MULTIPLY(multiplier0, x0);
      const Lanes p1 = VACANCY_LANES_MULTIPLY(multiplier1, x2);
      x0 = (p1 >> 32) ^ batch.key0[round] ^ x1;
      x2 = (p0 >> 32) ^ batch.key1[round] ^ x3;
      x1 = p1;
      x3 = p0;
    }
    return (VACANCY_LANES_MULTIPLY(multiplier1, x2) >> 32) ^ batch.key0[9] ^ x1;
  }
};

#undef VACANCY_LANES
#undef VACANCY_LANES_TARGET
#undef VACANCY_LANES_BYTES
#undef VACANCY_LANES_MULTIPLY
