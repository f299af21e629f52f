// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/replayed_arrivals.hpp"

#include <string>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {
namespace {

class MeasuredArrivals final : public TraceReader {
 public:
  MeasuredArrivals(std::unique_ptr<TraceReader> workload, const RunLog& log,
                   MeasuredArrival arrival)
      : workload_(std::move(workload)), requests_(log.requests), arrival_(arrival) {}

  const TraceInfo& info() const override { return workload_->info(); }

  bool next(TraceRequest& request) override {
    const bool more = workload_->next(request);
    if (more != (at_ < requests_.size())) mismatch("has more or fewer requests than the log");
    if (!more) return false;
    const MeasuredRequest& measured = requests_[at_];
    if (request.prompt_tokens != measured.prompt_tokens ||
        request.output_tokens != measured.output_tokens)
      mismatch("has " + std::to_string(request.prompt_tokens) + " and " +
               std::to_string(request.output_tokens) + " tokens in request " + std::to_string(at_) +
               ", the log " + std::to_string(measured.prompt_tokens) + " and " +
               std::to_string(measured.output_tokens));
    request.arrival = arrival_ == MeasuredArrival::queued ? measured.queued : measured.arrival;
    ++at_;
    return true;
  }

 private:
  [[noreturn]] static void mismatch(const std::string& how) {
    throw UserError("The workload " + how + "; give the workload that the log was made with.");
  }

  std::unique_ptr<TraceReader> workload_;
  std::vector<MeasuredRequest> requests_;
  MeasuredArrival arrival_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<TraceReader> with_measured_arrivals(std::unique_ptr<TraceReader> workload,
                                                    const RunLog& log, MeasuredArrival arrival) {
  return std::make_unique<MeasuredArrivals>(std::move(workload), log, arrival);
}

}  // namespace vacancy
