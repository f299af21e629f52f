// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/model/geometry.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// What a step does with a model's weights and its cache, for a roofline. The input embedding is a
/// look-up: it is neither read whole nor multiplied by.
struct ModelWork {
  Bytes weights;                           // a step with many tokens reads them all
  Bytes weights_per_token;                 // what one token passes; less with experts
  std::uint64_t layer_flops_per_token;     // two for each active parameter
  std::uint64_t output_flops_per_sample;   // logits of one position
  std::uint64_t attention_flops_per_pair;  // a query with a key, all layers and heads
  Bytes kv_bytes_per_token;

  /// `tokens` tokens touch at most `tokens` times what one does.
  Bytes weights_read(std::uint64_t tokens) const;
};

/// Throws UserError if the model says too little about its weights.
ModelWork model_work(const ModelGeometry& model);

}  // namespace vacancy
