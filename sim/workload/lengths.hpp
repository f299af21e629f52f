// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "sim/registry/entry.hpp"

namespace vacancy {

/// The longest prompt or output, in tokens: positions of a sequence fit into 32 bits with room.
inline constexpr std::uint32_t max_length_tokens = 1u << 30;

/// What a drawn length is for. Part of the random counter, so prompt and output of one sequence are
/// independent.
enum class LengthPurpose : std::uint32_t { prompt = 0, output = 1 };

/// A rule that gives each sequence a length in tokens.
class LengthDistribution {
 public:
  virtual ~LengthDistribution() = default;

  /// A function of the arguments alone: Philox, stream `workload`, counter
  /// (sequence, 0, 0, purpose).
  virtual std::uint32_t draw(std::uint64_t seed, std::uint32_t sequence,
                             LengthPurpose purpose) const = 0;
  /// No draw is longer.
  virtual std::uint32_t longest() const = 0;
};

struct LengthDistributionEntry {
  EntryInfo info;
  /// Options that contradict each other throw UserError.
  std::unique_ptr<LengthDistribution> (*make)(const ParameterValues&) = nullptr;
};

std::span<const LengthDistributionEntry> length_distributions();
/// The entry of that name, or null.
const LengthDistributionEntry* find_length_distribution(std::string_view name);

std::unique_ptr<LengthDistribution> fixed_length(std::uint32_t tokens);

}  // namespace vacancy
