// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "sim/registry/entry.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// What a trace can lose when it is written in another format.
enum class TraceLoss {
  block_keys,   // which prompts share prefixes
  block_size,   // that a key stands for another number of tokens than the format's
  token_ids,    // contents
  time_digits,  // digits of arrival times beyond the format's unit
};

template <>
struct EnumNames<TraceLoss> {
  static constexpr EnumName<TraceLoss> table[] = {{TraceLoss::block_keys, "block_keys"},
                                                  {TraceLoss::block_size, "block_size"},
                                                  {TraceLoss::token_ids, "token_ids"},
                                                  {TraceLoss::time_digits, "time_digits"}};
};

/// "the token ids": what the message about a loss calls it.
std::string_view loss_text(TraceLoss loss);

struct TraceWriterOptions {
  std::set<TraceLoss> allowed_losses;
  /// A trace without block keys may be written to a format that has them: every block gets a key
  /// of its own, so that nothing is shared.
  bool unshared_blocks = false;
};

/// Writes one request after another. What would be lost and may not be is a UserError.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  virtual void write(const TraceRequest& request) = 0;
  /// What was lost of how many requests so far.
  virtual std::uint64_t lost(TraceLoss loss) const = 0;
};

struct TraceTargetEntry {
  EntryInfo info;
  /// Throws UserError if the target cannot hold what the source says of itself.
  std::unique_ptr<TraceWriter> (*open)(const TraceInfo& source, const TraceWriterOptions&,
                                       std::ostream&) = nullptr;
  /// Tokens of a block where the format fixes them; 0: it has no block keys.
  std::uint32_t block_size = 0;
};

/// The formats that can be written.
std::span<const TraceTargetEntry> trace_targets();
/// Throws UserError with the nearest name if there is none.
const TraceTargetEntry& named_trace_target(std::string_view name);

}  // namespace vacancy
