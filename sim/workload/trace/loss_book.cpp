// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/loss_book.hpp"

#include "sim/units/error.hpp"

namespace vacancy {

std::uint64_t LossBook::lost(TraceLoss loss) const {
  const auto found = counts_.find(loss);
  return found == counts_.end() ? 0 : found->second;
}

void LossBook::lose_always(TraceLoss loss) {
  refuse_unless_allowed(loss, "");
  always_.push_back(loss);
}

void LossBook::lose(TraceLoss loss, const std::string& where) {
  refuse_unless_allowed(loss, where);
  ++counts_[loss];
}

void LossBook::count_request() {
  ++requests_;
  for (const TraceLoss loss : always_)
    ++counts_[loss];
}

void LossBook::refuse_unless_allowed(TraceLoss loss, const std::string& where) const {
  if (allowed_.contains(loss)) return;
  throw UserError("The format " + target_ + " cannot hold " + std::string(loss_text(loss)) + where +
                  "; add --drop " + std::string(enum_name(loss)) +
                  " to write the trace without, or choose another format.");
}

}  // namespace vacancy
