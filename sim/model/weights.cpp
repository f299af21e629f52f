// SPDX-License-Identifier: Apache-2.0
#include "sim/model/weights.hpp"

#include <algorithm>

#include "sim/model/memory.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t flops_per_parameter = 2;  // one multiplication, one addition
constexpr std::uint64_t bf16_bytes = 2;

/// QK^T and PV. In its absorbed form MLA scores the latent and the rotary part and sums latents
/// (DeepSeek-V2, arXiv 2405.04434, §2.1.2).
std::uint64_t pair_values(const ModelGeometry& model) {
  if (!model.mla) return 2 * std::uint64_t{model.head_dim};
  return 2 * std::uint64_t{model.mla->latent} + model.mla->rotary;
}

}  // namespace

Bytes ModelWork::weights_read(std::uint64_t tokens) const {
  const std::uint64_t enough = weights.value() / weights_per_token.value();
  if (tokens > enough) return weights;
  return weights_per_token * tokens;
}

ModelWork model_work(const ModelGeometry& model) {
  if (!model.layer_parameters || !model.hidden || !model.vocabulary)
    throw UserError("The roofline of a step needs the weights of " + model.name +
                    ", which does not say layer_parameters, hidden and vocabulary. Add them to the "
                    "model's file, or take a device whose step_time was fitted.");
  const std::uint64_t active = model.active_parameters.value_or(*model.layer_parameters);
  const std::uint64_t output = std::uint64_t{*model.hidden} * *model.vocabulary;
  const std::uint64_t all = *model.layer_parameters + output;
  ModelWork work;
  work.weights = model.weight_bytes.value_or(Bytes(all * bf16_bytes));
  // Experts and the rest are taken to be stored alike.
  const Wide per_token = Wide{work.weights.value()} * (active + output) / all;
  work.weights_per_token = Bytes(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(per_token)));
  work.layer_flops_per_token = flops_per_parameter * active;
  work.output_flops_per_sample = flops_per_parameter * output;
  const auto attention = [&](std::uint64_t layers) {
    return ModelWork::Attention{
        flops_per_parameter * layers * std::uint64_t{model.query_heads} * pair_values(model),
        bytes_per_token(model, TableSpan::layer) * layers};
  };
  work.full = attention(model.layer_count(LayerKind::full));
  work.sliding = attention(model.layer_count(LayerKind::sliding));
  work.window = model.window;
  return work;
}

}  // namespace vacancy
