// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sim/workload/lengths.hpp"
#include "sim/workload/trace/csv_table.hpp"
#include "sim/workload/trace/field_text.hpp"
#include "sim/workload/trace/file_trace.hpp"
#include "sim/workload/trace/readers.hpp"
#include "sim/workload/trace/timestamp.hpp"

namespace vacancy {

namespace {

/// Wall-clock times and lengths (spec formats §4.3); the first row is the first instant.
class Azure final : public FileTrace {
 public:
  Azure(std::unique_ptr<LineReader> lines, const TraceOptions& options)
      : FileTrace(std::move(lines), options, "azure", "TIMESTAMP"),
        table_(this->lines()),
        timestamp_(table_.column("TIMESTAMP")),
        prompt_(table_.column("ContextTokens")),
        output_(table_.column("GeneratedTokens")) {}

 private:
  bool read(TraceRequest& request) override {
    if (!table_.next()) return false;
    const auto time = parse_timestamp(table_.text(timestamp_));
    if (!time)
      table_.fail(timestamp_, unexpected("a time such as 2023-11-16 18:17:03.9799600",
                                         quoted_excerpt(table_.text(timestamp_))));
    if (!first_) first_ = *time;
    request.arrival = SimTime(*time - *first_);
    request.prompt_tokens = static_cast<std::uint32_t>(table_.integer(prompt_, max_length_tokens));
    request.output_tokens = static_cast<std::uint32_t>(table_.integer(output_, max_length_tokens));
    return true;
  }

  CsvTable table_;
  std::size_t timestamp_, prompt_, output_;
  std::optional<std::int64_t> first_;
};

}  // namespace

std::unique_ptr<TraceReader> read_azure(std::unique_ptr<LineReader> lines,
                                        const TraceOptions& options) {
  return std::make_unique<Azure>(std::move(lines), options);
}

}  // namespace vacancy
