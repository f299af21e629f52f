// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/model/geometry.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// What a step does with a model's weights and its cache, for a roofline. The input embedding is a
/// look-up: it is neither read whole nor multiplied by.
struct ModelWork {
  Bytes weights;                          // a step with many tokens reads them all
  Bytes weights_per_token;                // what one token passes; less with experts
  std::uint64_t layer_flops_per_token;    // two for each active parameter
  std::uint64_t output_flops_per_sample;  // logits of one position
  /// Attention in the layers of one kind.
  struct Attention {
    std::uint64_t flops_per_pair = 0;  // a query with a key it sees, all layers and heads
    Bytes kv_bytes_per_token;
  };
  Attention full;        // every query sees all tokens before it
  Attention sliding;     // it sees `window` tokens, itself included
  std::uint32_t window;  // 0 where no layer slides

  /// `tokens` tokens touch at most `tokens` times what one does.
  Bytes weights_read(std::uint64_t tokens) const;
};

/// Throws UserError if the model says too little about its weights.
ModelWork model_work(const ModelGeometry& model);

}  // namespace vacancy
