// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/sequences.hpp"

namespace vacancy {

std::vector<SequencePlan> draw_sequences(std::uint32_t count, const LengthDistribution& prompt,
                                         const LengthDistribution& output, std::uint64_t seed) {
  std::vector<SequencePlan> plans;
  plans.reserve(count);
  for (std::uint32_t sequence = 0; sequence < count; ++sequence)
    plans.push_back({prompt.draw(seed, sequence, LengthPurpose::prompt),
                     output.draw(seed, sequence, LengthPurpose::output)});
  return plans;
}

}  // namespace vacancy
