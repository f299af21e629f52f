// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/step_time_form.hpp"

#include <array>

#include "sim/units/error.hpp"

namespace vacancy {
namespace {

using enum StepTerm;

constexpr FitColumn shared(StepTerm term) {
  return {term, term};
}
constexpr FitColumn in_decode(StepTerm term) {
  return {term, std::nullopt};
}
constexpr FitColumn in_prefill(StepTerm term) {
  return {std::nullopt, term};
}

// Ordered so that each form is the beginning of the next.
constexpr FitColumn s4_x_columns[] = {shared(step), in_prefill(prefill_token),
                                      shared(context_token), in_prefill(attention_pair),
                                      shared(longest_token)};
constexpr FitColumn s10_columns[] = {in_decode(step),           in_decode(context_token),
                                     in_decode(longest_token),  in_decode(decode),
                                     in_prefill(step),          in_prefill(prefill_token),
                                     in_prefill(context_token), in_prefill(longest_token),
                                     in_prefill(decode),        in_prefill(attention_pair)};

}  // namespace

double FitColumn::count(const StepWork& work) const {
  const std::optional<StepTerm>& term = work.prefill_tokens > 0 ? prefill : decode;
  return term ? terms_of(work)[*term] : 0;
}

std::span<const FitColumn> columns_of(StepTimeForm form) {
  switch (form) {
    case StepTimeForm::constant:
      return std::span(s4_x_columns).first(2);
    case StepTimeForm::abc:
      return std::span(s4_x_columns).first(3);
    case StepTimeForm::s4:
      return std::span(s4_x_columns).first(4);
    case StepTimeForm::s4_x:
      return s4_x_columns;
    case StepTimeForm::s10:
      return s10_columns;
  }
  return {};
}

StepTimeCoefficients coefficients_of(StepTimeForm form, std::span<const double> values) {
  const auto columns = columns_of(form);
  VACANCY_ASSERT(values.size() == columns.size(), "a value for each unknown of the form");
  StepTimeCoefficients coefficients;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].decode) coefficients.decode[*columns[i].decode] = values[i];
    if (columns[i].prefill) coefficients.prefill[*columns[i].prefill] = values[i];
  }
  return coefficients;
}

std::vector<double> values_of(StepTimeForm form, const StepTimeCoefficients& coefficients) {
  std::vector<double> values;
  for (const FitColumn& column : columns_of(form))
    values.push_back(column.decode ? coefficients.decode[*column.decode]
                                   : coefficients.prefill[*column.prefill]);
  return values;
}

}  // namespace vacancy
