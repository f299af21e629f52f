// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/geometry.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// Layers of one kind that share a block table.
struct LayerGroup {
  LayerKind kind = LayerKind::full;
  std::uint32_t layers = 0;  // at most LayerGroups::layers_per_block

  bool operator==(const LayerGroup&) const = default;
};

/// How vLLM lets layers of several kinds live in one pool of equal blocks (spec engines V25). A
/// block has room for the same number of layers in every group; a group with fewer leaves the rest
/// of it unused.
struct LayerGroups {
  std::uint32_t layers_per_block = 0;
  std::vector<LayerGroup> groups;  // in the order in which the model has their kinds

  /// Layers that blocks have room for, one block of each group taken together, and no layer uses.
  std::uint32_t unused_layers() const;
};

/// The groups of the layers that cache tokens. A block has room for as many layers as the rarer
/// kind has; if the other kind has less than half as many more, for as many as that one has.
LayerGroups group_layers(const ModelGeometry& model);

/// Bytes of one block of `block_size` tokens of `groups`.
Bytes bytes_per_block(const ModelGeometry& model, const LayerGroups& groups,
                      std::uint32_t block_size);

}  // namespace vacancy
