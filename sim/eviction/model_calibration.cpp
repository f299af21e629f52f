// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/model_calibration.hpp"

#include <algorithm>

#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

std::string shape_text(std::uint32_t layers, std::uint32_t query_heads, std::uint32_t head_dim) {
  return counted(layers, "layer") + ", " + counted(query_heads, "query head") +
         " and head dimension " + std::to_string(head_dim);
}

}  // namespace

Calibration calibration_of_model(const std::filesystem::path& written, const PolicyContext& context,
                                 const std::string& place) {
  Calibration calibration =
      read_calibration(context.resolve_path ? context.resolve_path(written.string()) : written);
  const bool fits = calibration.layers() == context.layers &&
                    calibration.query_heads() == context.query_heads &&
                    calibration.head_dim() == context.head_dim;
  if (!fits)
    throw UserError(
        place + ": " + written.string() + " is of a model with " +
        shape_text(calibration.layers(), calibration.query_heads(), calibration.head_dim()) +
        ", but the scenario's has " +
        shape_text(context.layers, context.query_heads, context.head_dim) +
        "; give the statistics of that model, or null for those of each sequence's own queries.");
  if (context.note) {
    if (const auto theta = rope_theta_disagreement(calibration, context.rope_theta))
      context.note(*theta + '.');
    const auto& scales = calibration.layer_budget_scale;
    if (std::any_of(scales.begin(), scales.end(), [](float scale) { return scale != 1.0f; }))
      context.note(calibration.source +
                   " scales the budget of each layer; every layer keeps eviction.budget here.");
  }
  return calibration;
}

}  // namespace vacancy
