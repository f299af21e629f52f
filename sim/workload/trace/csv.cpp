// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "sim/workload/lengths.hpp"
#include "sim/workload/trace/csv_columns.hpp"
#include "sim/workload/trace/csv_table.hpp"
#include "sim/workload/trace/file_trace.hpp"
#include "sim/workload/trace/readers.hpp"

namespace vacancy {

namespace {

/// Arrivals and lengths under a header of our own (docs/formats/traces.md).
class Csv final : public FileTrace {
 public:
  Csv(std::unique_ptr<LineReader> lines, const TraceOptions& options)
      : FileTrace(std::move(lines), options, "csv", "arrival"),
        table_(this->lines()),
        prompt_(table_.column(csv_prompt_column)),
        output_(table_.column(csv_output_column)) {
    const CsvArrivalColumn* found = nullptr;
    for (const CsvArrivalColumn& column : csv_arrival_columns) {
      if (!table_.find(column.name)) continue;
      if (found != nullptr)
        this->lines().fail(column.name, "the header also names " + std::string(found->name) +
                                            "; rename or remove one.");
      found = &column;
    }
    if (found == nullptr) table_.column(csv_arrival_columns[0].name);
    arrival_ = *table_.find(found->name);
    power_ = found->power;
  }

 private:
  bool read(TraceRequest& request) override {
    if (!table_.next()) return false;
    request.arrival = table_.time(arrival_, power_);
    request.prompt_tokens = static_cast<std::uint32_t>(table_.integer(prompt_, max_length_tokens));
    request.output_tokens = static_cast<std::uint32_t>(table_.integer(output_, max_length_tokens));
    return true;
  }

  CsvTable table_;
  std::size_t prompt_, output_, arrival_ = 0;
  int power_ = 0;
};

}  // namespace

std::unique_ptr<TraceReader> read_csv(std::unique_ptr<LineReader> lines,
                                      const TraceOptions& options) {
  return std::make_unique<Csv>(std::move(lines), options);
}

}  // namespace vacancy
