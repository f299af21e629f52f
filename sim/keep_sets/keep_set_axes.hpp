// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/pool/cache_layout.hpp"

namespace vacancy {

/// Whose choices are recorded: keep sets of `layers` layers and `heads` KV heads each, where 1
/// stands for all of them; and how many the model has, which says what a table shares.
struct KeepSetAxes {
  std::uint32_t layers = 1, heads = 1;
  std::uint32_t model_layers = 1, model_heads = 1;

  bool operator==(const KeepSetAxes&) const = default;

  std::uint32_t sets() const { return layers * heads; }
  Scope scope() const;
  CacheLayout layout(TableKind table) const;
  /// ", layer 3, head 1" of a set, as far as the axes tell them apart.
  std::string place_of(std::uint32_t set) const;
};

/// The axes of what chooses in a layout.
KeepSetAxes axes_of(const CacheLayout& layout);

}  // namespace vacancy
