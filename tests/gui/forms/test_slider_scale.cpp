// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gui/model/form/form_tree.hpp"
#include "gui/model/form/slider_scale.hpp"

using namespace vacancy;
using namespace vacancy::gui;

TEST_CASE("A slider stays in the range of its key and finds its values again") {
  for (const FormField* field : all_fields(form_tree()))
    for (const double centre : {0.0, 1.0, 16.0, 2000.0}) {
      const Parameter& parameter = field->key->parameter;
      const auto scale = SliderScale::of(parameter, centre);
      const bool number =
          parameter.type == ParameterType::integer || parameter.type == ParameterType::number;
      if (!number) CHECK_FALSE(scale);
      if (!scale) continue;
      CAPTURE(field->path, centre);
      double before = scale->value(0);
      for (int at = 0; at <= scale->steps(); ++at) {
        const double value = scale->value(at);
        const bool inside = value >= parameter.minimum.value_or(value) &&
                            value <= parameter.maximum.value_or(value) && value >= before;
        if (!inside || scale->value(scale->position(value)) != value) {
          CAPTURE(at, value);
          CHECK(inside);
          CHECK(scale->value(scale->position(value)) == value);
        }
        before = value;
      }
    }
}

TEST_CASE("A slider of few integers has a position for each") {
  Parameter parameter;
  parameter.minimum = 0;
  parameter.maximum = 8;
  const auto scale = SliderScale::of(parameter, 3);
  REQUIRE(scale);
  CHECK(scale->steps() == 8);
  CHECK(scale->entry(5) == "5");
}
