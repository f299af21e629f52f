// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/reclaim/registry.hpp"

namespace vacancy {

ReclaimerEntry none_entry();
ReclaimerEntry slide_entry();
ReclaimerEntry whole_block_entry();
ReclaimerEntry fill_holes_entry();
ReclaimerEntry fullest_blocks_entry();
ReclaimerEntry copy_out_entry();

/// Appends to plan.release the entries that no set of the table holds any more. The block under a
/// partial end stays even if it is empty: the next token's slot is in it (invariant I5).
void release_empty_entries(const BlockTable& table, TablePlan& plan);

}  // namespace vacancy
