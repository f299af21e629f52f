// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/workload/trace/text_line.hpp"
#include "sim/workload/trace/writer.hpp"

namespace vacancy {

/// What the writers share: counts what is lost, and refuses what may not be.
class LossBook : public TraceWriter {
 public:
  std::uint64_t lost(TraceLoss loss) const final;

 protected:
  LossBook(std::string target, const TraceWriterOptions& options, std::ostream& out)
      : out_(out), target_(std::move(target)), allowed_(options.allowed_losses) {}

  /// Something that no request of the source can keep.
  void lose_always(TraceLoss loss);
  /// Something that the current request cannot keep; `where` follows the words about the loss.
  void lose(TraceLoss loss, const std::string& where);
  void count_request();
  std::uint64_t requests() const { return requests_; }

  std::ostream& out_;
  TextLine line_;

 private:
  void refuse_unless_allowed(TraceLoss loss, const std::string& where) const;

  std::string target_;
  std::set<TraceLoss> allowed_;
  std::vector<TraceLoss> always_;
  std::map<TraceLoss, std::uint64_t> counts_;
  std::uint64_t requests_ = 0;
};

}  // namespace vacancy
