// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/drawn_arrivals.hpp"

#include <utility>

#include "sim/workload/synthetic/arrivals.hpp"

namespace vacancy {

namespace {

StreamOptions stream(double rate, double burstiness) {
  StreamOptions options;
  options.rate = rate;
  options.burstiness = burstiness;
  return options;
}

class DrawnArrivals final : public TraceReader {
 public:
  DrawnArrivals(std::unique_ptr<TraceReader> requests, double rate, double burstiness,
                std::uint64_t seed)
      : requests_(std::move(requests)), arrivals_(stream(rate, burstiness), RandomDraws(seed)) {}

  const TraceInfo& info() const override { return requests_->info(); }

  bool next(TraceRequest& request) override {
    if (!requests_->next(request)) return false;
    request.arrival = arrivals_.time();
    arrivals_.advance();
    return true;
  }

 private:
  std::unique_ptr<TraceReader> requests_;
  Arrivals arrivals_;
};

}  // namespace

std::unique_ptr<TraceReader> with_drawn_arrivals(std::unique_ptr<TraceReader> requests, double rate,
                                                 double burstiness, std::uint64_t seed) {
  return std::make_unique<DrawnArrivals>(std::move(requests), rate, burstiness, seed);
}

}  // namespace vacancy
