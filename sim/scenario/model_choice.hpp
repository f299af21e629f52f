// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/attention/attention.hpp"
#include "sim/model/geometry.hpp"
#include "sim/model/memory.hpp"
#include "sim/pool/cache_layout.hpp"

namespace vacancy {

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
