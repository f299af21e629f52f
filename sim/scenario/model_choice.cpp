// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/model_choice.hpp"

#include <nlohmann/json.hpp>

#include "sim/model/model_file.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

AttentionShape attention_shape(const ModelGeometry& model) {
  return {model.kv_layers(), model.query_heads, model.kv_heads, model.head_dim};
}

/// What a source without vectors gets; only bytes depend on it.
constexpr std::uint32_t usual_head_dim = 128;

nlohmann::ordered_json model_json_of_shape(const AttentionShape& shape, const std::string& source) {
  return {{"name", "The model of attention source " + source},
          {"layers", shape.layers},
          {"query_heads", shape.query_heads},
          {"kv_heads", shape.kv_heads},
          {"head_dim", shape.head_dim > 0 ? shape.head_dim : usual_head_dim}};
}

ModelGeometry model_of_shape(const AttentionShape& shape, const std::string& source) {
  return model_from_json(nlohmann::json(model_json_of_shape(shape, source)), "attention." + source);
}

std::string shape_text(const AttentionShape& shape) {
  return counted(shape.layers, "layer") + " of " + counted(shape.query_heads, "query head") +
         " and " + counted(shape.kv_heads, "KV head") + " of " + counted(shape.head_dim, "number");
}

TableSpan table_span(TableKind table) {
  switch (table) {
    case TableKind::shared:
      return TableSpan::model;
    case TableKind::per_layer:
      return TableSpan::layer;
    case TableKind::per_layer_per_head:
      return TableSpan::head;
  }
  return TableSpan::model;
}

}  // namespace vacancy
