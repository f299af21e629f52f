// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/file_trace.hpp"

#include "sim/units/format.hpp"
#include "sim/workload/trace/field_text.hpp"

namespace vacancy {

FileTrace::FileTrace(std::unique_ptr<LineReader> lines, const TraceOptions& options,
                     std::string format, std::string arrival_field)
    : lines_(std::move(lines)), limit_(options.limit), arrival_field_(std::move(arrival_field)) {
  info_.format = std::move(format);
}

bool FileTrace::next(TraceRequest& request) {
  if (given_ == limit_) return false;
  request.block_keys.clear();
  request.prompt_ids.clear();
  request.output_ids.clear();
  if (!read(request)) {
    if (given_ == 0) lines_->fail_file("has no requests; name another file.");
    return false;
  }
  if (request.arrival < last_)
    lines_->fail(arrival_field_, "the request arrives " + format_duration(last_ - request.arrival) +
                                     " before the one above it; sort the file by arrival.");
  last_ = request.arrival;
  ++given_;
  return true;
}

void check_key_count(const LineReader& lines, std::string_view field, std::uint64_t keys,
                     std::uint64_t expected, std::uint32_t prompt_tokens,
                     std::uint32_t block_size) {
  if (keys == expected) return;
  lines.fail(field, count_mismatch("ids", keys, expected,
                                   "a prompt of " + std::to_string(prompt_tokens) +
                                       " tokens in blocks of " + std::to_string(block_size)) +
                        " If an id stands for another number of tokens, say so (--block-size, "
                        "workload.trace.block_size).");
}

}  // namespace vacancy
