// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/device/step_work.hpp"

namespace vacancy {

/// Which terms a fit may price, and which of them cost the same in both kinds of step (spec
/// rtx4090_run §3).
enum class StepTimeForm { constant, abc, s4, s4_x, s10 };

template <>
struct EnumNames<StepTimeForm> {
  static constexpr EnumName<StepTimeForm> table[] = {{StepTimeForm::constant, "constant"},
                                                     {StepTimeForm::abc, "abc"},
                                                     {StepTimeForm::s4, "s4"},
                                                     {StepTimeForm::s4_x, "s4_x"},
                                                     {StepTimeForm::s10, "s10"}};
};

/// One unknown: the price of a term in steps without prefill, in steps with it, or in both.
struct FitColumn {
  std::optional<StepTerm> decode, prefill;

  /// How often it occurs in a step.
  double count(const StepWork& work) const;
};

std::span<const FitColumn> columns_of(StepTimeForm form);
StepTimeCoefficients coefficients_of(StepTimeForm form, std::span<const double> values);
/// The values of a form's unknowns; a shared one is read from the steps without prefill.
std::vector<double> values_of(StepTimeForm form, const StepTimeCoefficients& coefficients);

}  // namespace vacancy
