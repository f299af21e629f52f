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
  static constexpr std::size_t at_once = 2 * VACANCY_LANES_BYTES / sizeof(std::uint32_t);

  /// Draws for at_once tokens or more. The last step may repeat some of the one before it. The batch
  /// is a copy, which no store to `out` can change, so that its values stay in registers.
  VACANCY_LANES_TARGET static void draws(Batch batch, std::span<const std::uint32_t> tokens,
                                         std::span<std::uint32_t> out) {
    for (std::size_t i = 0; i < tokens.size(); i += at_once) {
      const std::size_t first = std::min(i, tokens.size() - at_once);
      const Unaligned* const in = reinterpret_cast<const Unaligned*>(tokens.data() + first);
      Unaligned* const to = reinterpret_cast<Unaligned*>(out.data() + first);
      // Even tokens stand in low halves, odd ones in high halves.
      Lanes lanes[] = {in[0], in[1], in[0] >> 32, in[1] >> 32};
      draw(batch, lanes);
      to[0] = (lanes[0] & 0xFFFFFFFF) | (lanes[2] << 32);
      to[1] = (lanes[1] & 0xFFFFFFFF) | (lanes[3] << 32);
    }
  }

 private:
  using Lanes [[gnu::vector_size(VACANCY_LANES_BYTES)]] = std::uint64_t;
  using Unaligned [[gnu::vector_size(VACANCY_LANES_BYTES), gnu::aligned(4), gnu::may_alias]] =
      std::uint64_t;
  struct State {
    Lanes x0, x1, x2, x3;
  };

  /// Tokens become draws. A multiplication takes longer than a CPU can look ahead over one token's
  /// chain of them; several chains in step keep it busy.
  [[gnu::always_inline]] VACANCY_LANES_TARGET static void draw(const Batch& batch,
                                                               Lanes (&lanes)[4]) {
    const Lanes multiplier0 = Lanes{} + m0, multiplier1 = Lanes{} + m1;
    State states[4];
    for (int i = 0; i < 4; ++i) {
      const Lanes p = VACANCY_LANES_MULTIPLY(multiplier1, lanes[i] ^ batch.token_mask);
      const Lanes q = VACANCY_LANES_MULTIPLY(multiplier0, (p >> 32) ^ batch.second_mask);
      states[i] = {p ^ batch.third_mask, Lanes{} + batch.third_low, (q >> 32) ^ batch.third_key, q};
    }
    for (int round = 3; round < 9; ++round) {
      for (State& s : states) {
        const Lanes p0 = VACANCY_LANES_MULTIPLY(multiplier0, s.x0);
        const Lanes p1 = VACANCY_LANES_MULTIPLY(multiplier1, s.x2);
        s = {(p1 >> 32) ^ batch.key0[round] ^ s.x1, p1, (p0 >> 32) ^ batch.key1[round] ^ s.x3, p0};
      }
    }
    for (int i = 0; i < 4; ++i)
      lanes[i] = (VACANCY_LANES_MULTIPLY(multiplier1, states[i].x2) >> 32) ^ batch.key0[9] ^
                 states[i].x1;
  }
};

#undef VACANCY_LANES
#undef VACANCY_LANES_TARGET
#undef VACANCY_LANES_BYTES
#undef VACANCY_LANES_MULTIPLY
