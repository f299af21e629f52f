// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sim/attention/tokenizer.hpp"

namespace vacancy {

struct SamplingOptions {
  double temperature = 1.0;  // 0 = greedy
  double top_p = 1.0;        // smallest set of likeliest tokens with this probability; 1 = all
};

/// The next token. `uniform` in [0, 1) is its one random draw: it picks by cumulated probability,
/// tokens in ascending order of id, or of falling probability (then id) under top_p < 1.
TokenId sample_token(std::span<const float> logits, const SamplingOptions& options, double uniform);

}  // namespace vacancy
