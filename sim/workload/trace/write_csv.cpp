// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "sim/workload/trace/csv_columns.hpp"
#include "sim/workload/trace/loss_book.hpp"
#include "sim/workload/trace/writers.hpp"

namespace vacancy {

namespace {

class CsvWriter final : public LossBook {
 public:
  CsvWriter(const TraceInfo& source, const TraceWriterOptions& options, std::ostream& out)
      : LossBook("csv", options, out) {
    if (source.token_ids)
      lose_always(TraceLoss::token_ids);
    else if (source.block_size > 0)
      lose_always(TraceLoss::block_keys);
    line_ << csv_arrival_columns[0].name << "," << csv_prompt_column << "," << csv_output_column;
    line_.end(out_);
  }

  void write(const TraceRequest& request) override {
    count_request();
    line_.clear();
    constexpr std::int64_t second = 1'000'000'000;
    line_ << request.arrival.value() / second;
    if (const std::int64_t rest = request.arrival.value() % second; rest != 0) {
      std::string decimals = std::to_string(second + rest).substr(1);
      decimals.erase(decimals.find_last_not_of('0') + 1);
      line_ << "." << decimals;
    }
    line_ << "," << request.prompt_tokens << "," << request.output_tokens;
    line_.end(out_);
  }
};

}  // namespace

std::unique_ptr<TraceWriter> write_csv(const TraceInfo& source, const TraceWriterOptions& options,
                                       std::ostream& out) {
  return std::make_unique<CsvWriter>(source, options, out);
}

}  // namespace vacancy
