// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/units/philox.hpp"

namespace vacancy {

struct BeamOptions {
  std::uint32_t width = 1;  // candidates of a request; 1: no beam search
  double branching = 0.1;   // chance that a candidate's parent is drawn anew
  double leading = 0;       // chance that this parent is the first candidate
};

/// Which present candidate each of the next ones continues. In a model the scores of all
/// continuations decide; here candidate i continues itself, or with the chance `branching` a parent
/// drawn for it: with the chance `leading` the first candidate, else any, all alike. The ends are
/// exact: with branching 0 candidates are parallel samples, with branching and leading 1 all come
/// from one at every step. With 0.1, beams of 2, 4 and 6 save the shares of blocks that
/// PagedAttention's figure 15 shows for Alpaca, within 5 points (spec published V-5).
///
/// Each draw is a function of (seed, request, output token, candidate).
class BeamParents {
 public:
  BeamParents(const BeamOptions& options, std::uint64_t seed)
      : options_(options), key_(philox_key(seed, Stream::beams)) {}

  std::uint32_t width() const { return options_.width; }
  /// The parent of next candidate `candidate`, once `outputs` output tokens are known.
  std::uint32_t parent(std::uint32_t request, std::uint32_t outputs,
                       std::uint32_t candidate) const {
    const PhiloxCounter draw = philox4x32_10({request, outputs, candidate, 0}, key_);
    if (unit_interval(draw[0]) >= options_.branching) return candidate;
    if (unit_interval(draw[1]) < options_.leading) return 0;
    return static_cast<std::uint32_t>(std::uint64_t{draw[2]} * options_.width >> 32);
  }

 private:
  BeamOptions options_;
  PhiloxKey key_;
};

}  // namespace vacancy
