// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "sim/workload/lengths.hpp"
#include "sim/workload/trace/csv_table.hpp"
#include "sim/workload/trace/decimal.hpp"
#include "sim/workload/trace/field_text.hpp"
#include "sim/workload/trace/file_trace.hpp"
#include "sim/workload/trace/readers.hpp"

namespace vacancy {

namespace {

/// Lengths of a chat service (spec formats §4.4). Columns are found by name, so that versions with
/// and without sessions read alike. Requests that failed have no response tokens and stay.
class BurstGpt final : public FileTrace {
 public:
  BurstGpt(std::unique_ptr<LineReader> lines, const TraceOptions& options)
      : FileTrace(std::move(lines), options, "burstgpt", "Timestamp"),
        table_(this->lines()),
        timestamp_(table_.column("Timestamp")),
        prompt_(table_.column("Request tokens")),
        output_(table_.column("Response tokens")),
        total_(table_.find("Total tokens")) {}

 private:
  bool read(TraceRequest& request) override {
    if (!table_.next()) return false;
    request.arrival = table_.time(timestamp_, seconds_to_nanoseconds);
    const std::uint64_t prompt = table_.integer(prompt_, max_length_tokens);
    const std::uint64_t output = table_.integer(output_, max_length_tokens);
    if (total_)
      if (const std::uint64_t total = table_.integer(*total_, 2 * std::uint64_t{max_length_tokens});
          total != prompt + output)
        table_.fail(*total_, "is " + std::to_string(total) + ", but request and response have " +
                                 std::to_string(prompt + output) +
                                 " tokens; correct or remove the line.");
    request.prompt_tokens = static_cast<std::uint32_t>(prompt);
    request.output_tokens = static_cast<std::uint32_t>(output);
    return true;
  }

  CsvTable table_;
  std::size_t timestamp_, prompt_, output_;
  std::optional<std::size_t> total_;
};

}  // namespace

std::unique_ptr<TraceReader> read_burstgpt(std::unique_ptr<LineReader> lines,
                                           const TraceOptions& options) {
  return std::make_unique<BurstGpt>(std::move(lines), options);
}

}  // namespace vacancy
