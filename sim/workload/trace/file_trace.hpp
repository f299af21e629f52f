// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "sim/workload/trace/line_reader.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// What the readers of files share: the limit of requests, the order of arrivals, and that a trace
/// without requests is a fault.
class FileTrace : public TraceReader {
 public:
  const TraceInfo& info() const final { return info_; }
  bool next(TraceRequest& request) final;

 protected:
  FileTrace(std::unique_ptr<LineReader> lines, const TraceOptions& options, std::string format,
            std::string arrival_field);

  /// The next request into an empty one; false at the end.
  virtual bool read(TraceRequest& request) = 0;

  LineReader& lines() { return *lines_; }
  TraceInfo info_;

 private:
  std::unique_ptr<LineReader> lines_;
  std::optional<std::uint64_t> limit_;
  std::string arrival_field_;
  std::uint64_t given_ = 0;
  SimTime last_;
};

/// Throws UserError at the current line if a request does not have one key for each of its blocks.
void check_key_count(const LineReader& lines, std::string_view field, std::uint64_t keys,
                     std::uint64_t expected, std::uint32_t prompt_tokens, std::uint32_t block_size);

}  // namespace vacancy
