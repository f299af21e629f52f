// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/registry/entry.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// One request as a trace records it. A trace that has no contents leaves the lists empty.
struct TraceRequest {
  SimTime arrival;                  // since the first instant of the trace
  std::uint32_t prompt_tokens = 0;  // as written; may be 0
  std::uint32_t output_tokens = 0;  // as written; may be 0, as for a request that failed
  /// Identity of the prompt's blocks of TraceInfo::block_size tokens. A key stands for its block
  /// and all blocks before it: equal keys have equal prefixes. Whether a partial last block has a
  /// key is the format's own (Mooncake: yes; Claude Code: no).
  std::vector<std::uint64_t> block_keys;
  std::vector<std::uint32_t> prompt_ids, output_ids;  // token ids, where the trace has them
  std::uint32_t tenant = 0;  // nothing is reused across tenants; no format names any so far
};

struct TraceInfo {
  std::string format;            // the entry's name
  std::uint32_t block_size = 0;  // tokens that one key stands for; 0: no keys
  bool token_ids = false;
};

/// Reads one request after another; memory does not grow with the file where the format's order
/// allows it. A fault in the file is a UserError with file, line and field.
class TraceReader {
 public:
  virtual ~TraceReader() = default;
  virtual const TraceInfo& info() const = 0;
  /// The next request in the order in which they are to be served; false at the end. Reuses the
  /// capacity of `request`.
  virtual bool next(TraceRequest& request) = 0;
};

/// How Claude Code traces place a sub-task's requests (spec published §8): as written (rule A), or
/// at its start plus their own times (rule B).
enum class NestedTime { as_written, absolute };

struct TraceOptions {
  std::string format;                  // an entry's name; empty: told from the contents
  std::optional<std::uint64_t> limit;  // requests; nothing: all
  /// Overrides the format's own tokens per key. Where a trace has token ids and no keys: full
  /// prompt blocks of so many tokens get keys. An error where there is neither.
  std::optional<std::uint32_t> block_size;
  NestedTime nested_time = NestedTime::as_written;
};

/// Opens a trace, plain or gzip. Throws UserError if it cannot be read or its format is unknown.
std::unique_ptr<TraceReader> open_trace(const std::filesystem::path& path,
                                        const TraceOptions& options);

}  // namespace vacancy
