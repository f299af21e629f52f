// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sim/attention/attention.hpp"
#include "sim/model/geometry.hpp"
#include "sim/model/memory.hpp"
#include "sim/pool/cache_layout.hpp"
#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

nlohmann::ordered_json to_json(const JsonNode& node);

/// The model that the key `model` names; `name` is its checked text, empty for an inline object.
/// Nothing after a fault.
std::optional<ModelGeometry> named_model(const JsonNode& root, const std::string& name,
                                         Diagnostics& faults);

/// Heads as an attention source sees them: the layers that cache tokens.
AttentionShape attention_shape(const ModelGeometry& model);

/// The model of a source that brings its own heads.
ModelGeometry model_of_shape(const AttentionShape& shape, const std::string& source);
/// The same as an inline object of a scenario.
nlohmann::ordered_json model_json_of_shape(const AttentionShape& shape, const std::string& source);

/// "36 layers of 32 query heads and 8 KV heads of 128 numbers".
std::string shape_text(const AttentionShape& shape);

/// What one table of a kind covers, for memory arithmetic.
TableSpan table_span(TableKind table);

}  // namespace vacancy
