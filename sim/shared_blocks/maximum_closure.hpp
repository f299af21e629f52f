// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/shared_blocks/freeing_graph.hpp"

namespace vacancy {

/// The closure with the highest gain · price − loss: a minimum cut (Picard, Management Science
/// 22(11), 1976). Of several optima the one that is a part of all others; it grows with the price.
Closure maximum_closure(const FreeingGraph& graph, Price price);

}  // namespace vacancy
