// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/run_log/step_time_form.hpp"
#include "tests/unit/run_log/made_engine.hpp"

using namespace vacancy;

TEST_CASE("forms have the terms of rtx4090_run §3") {
  CHECK(columns_of(StepTimeForm::constant).size() == 2);
  CHECK(columns_of(StepTimeForm::abc).size() == 3);
  CHECK(columns_of(StepTimeForm::s4).size() == 4);
  CHECK(columns_of(StepTimeForm::s4_x).size() == 5);
  CHECK(columns_of(StepTimeForm::s10).size() == 10);
}

TEST_CASE("values become prices and prices values, in every form") {
  for (const auto& form : EnumNames<StepTimeForm>::table) {
    INFO(form.name);
    std::vector<double> values;
    for (std::size_t i = 0; i < columns_of(form.value).size(); ++i)
      values.push_back(1.5 + static_cast<double>(i));
    CHECK(values_of(form.value, coefficients_of(form.value, values)) == values);
  }
}

TEST_CASE("the sum of counts times values is the step's time") {
  StepWork decode, mixed;
  for (const std::uint32_t context : {100u, 2'000u, 317u}) {
    decode.add_decode(context);
    mixed.add_decode(context);
  }
  mixed.add_chunk(64, 333);
  struct Row {
    StepTimeForm form;
    StepTimeCoefficients prices;
  };
  for (const Row& row :
       {Row{StepTimeForm::s10, test::true_prices()}, Row{StepTimeForm::s4, test::shared_prices()}})
    for (const StepWork& work : {decode, mixed}) {
      const std::vector<double> values = values_of(row.form, row.prices);
      double sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i)
        sum += values[i] * columns_of(row.form)[i].count(work);
      CHECK(sum == Approx(static_cast<double>(step_time(row.prices, work).value())).epsilon(1e-7));
    }
}
