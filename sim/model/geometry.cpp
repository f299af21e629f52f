// SPDX-License-Identifier: Apache-2.0
#include "sim/model/geometry.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

namespace vacancy {

AttentionKind ModelGeometry::attention() const {
  if (mla) return AttentionKind::mla;
  if (kv_heads == query_heads) return AttentionKind::mha;
  return kv_heads == 1 ? AttentionKind::mqa : AttentionKind::gqa;
}

std::uint32_t ModelGeometry::layer_count(LayerKind kind) const {
  return static_cast<std::uint32_t>(std::ranges::count(layers, kind));
}

std::uint32_t ModelGeometry::kv_layers() const {
  return layer_count(LayerKind::full) + layer_count(LayerKind::sliding);
}

std::uint32_t ModelGeometry::vector_values() const {
  return mla ? mla->latent + mla->rotary : head_dim;
}

ModelGeometry with_kv_dtype(ModelGeometry model, KvDtype dtype) {
  const std::uint32_t group = kv_dtype_size(dtype).group;
  if (model.vector_values() % group != 0)
    throw UserError("The cache format " + std::string(enum_name(dtype)) + " stores groups of " +
                    std::to_string(group) + " values, but a vector of " + model.name + " has " +
                    std::to_string(model.vector_values()) +
                    "; choose a format whose group divides it, such as fp8 or bf16.");
  model.kv_dtype = dtype;
  return model;
}

ModelGeometry as_multi_head(ModelGeometry model) {
  model.kv_heads = model.query_heads;
  model.mla.reset();
  return model;
}

}  // namespace vacancy
