// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/keep_set_axes.hpp"

namespace vacancy {

Scope KeepSetAxes::scope() const {
  if (layers > 1) return heads > 1 ? Scope::per_layer_per_head : Scope::per_layer;
  return heads > 1 ? Scope::per_head : Scope::model;
}

CacheLayout KeepSetAxes::layout(TableKind table) const {
  return {model_layers, model_heads, table, scope()};
}

std::string KeepSetAxes::place_of(std::uint32_t set) const {
  std::string text;
  if (layers > 1) text += ", layer " + std::to_string(set / heads);
  if (heads > 1) text += ", head " + std::to_string(set % heads);
  return text;
}

KeepSetAxes axes_of(const CacheLayout& layout) {
  const bool layers_choose =
      layout.scope() == Scope::per_layer || layout.scope() == Scope::per_layer_per_head;
  const bool heads_choose =
      layout.scope() == Scope::per_head || layout.scope() == Scope::per_layer_per_head;
  return {layers_choose ? layout.layers() : 1, heads_choose ? layout.kv_heads() : 1,
          layout.layers(), layout.kv_heads()};
}

}  // namespace vacancy
