// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/units/units.hpp"

namespace vacancy {

/// Which free block with cached contents is allocated next, where that is not the front of the free
/// queue. Blocks without contents go before all of them.
class BlockReplacement {
 public:
  virtual ~BlockReplacement() = default;

  /// A block with cached contents lost its last reference. `before`: the block before it in the
  /// table that let go of it, which that table still has; null_block if there is none.
  virtual void freed(BlockId block, BlockId before) = 0;
  /// A free block with cached contents is referenced again.
  virtual void taken(BlockId block) = 0;
  /// Chooses the free block that gives up its contents; at least one has some.
  virtual BlockId evict() = 0;
};

}  // namespace vacancy
