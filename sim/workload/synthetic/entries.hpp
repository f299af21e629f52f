// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/workload/synthetic/synthetic.hpp"

namespace vacancy {

// One a file.

SyntheticEntry independent_entry();
SyntheticEntry shared_prefix_entry();
SyntheticEntry multi_turn_entry();
SyntheticEntry rag_entry();
SyntheticEntry agent_loop_entry();

}  // namespace vacancy
