// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/workload/synthetic/arrivals.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// Requests that arrive independently of each other.
class RequestStream : public TraceReader {
 public:
  const TraceInfo& info() const final { return info_; }
  bool next(TraceRequest& request) final;

 protected:
  RequestStream(std::string name, const StreamOptions& options, std::uint64_t seed);

  /// Lengths and keys of a request whose lists are empty.
  virtual void fill(std::uint32_t number, TraceRequest& request) const = 0;

  const RandomDraws& draws() const { return draws_; }
  std::uint32_t output_tokens(const OutputOptions& options, std::uint32_t number) const {
    return draws_.tokens(options.output_median, options.output_sigma, options.output_max, number, 0,
                         DrawPurpose::output);
  }

 private:
  TraceInfo info_;
  std::uint64_t requests_;
  RandomDraws draws_;
  Arrivals arrivals_;
};

}  // namespace vacancy
