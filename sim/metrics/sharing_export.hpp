// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "sim/pool/sharing_graph.hpp"

namespace vacancy {

// The sharing graph for other tools: a vertex for each node with its blocks, requests and hits, an
// edge from a parent to its child. Vertices are numbered in the order of the graph.

/// For Graphviz; wider frames were found more often.
void write_dot(std::ostream& out, const SharingGraph& graph);
/// GraphML (graphml.graphdrawing.org), for Gephi, yEd or NetworkX.
void write_graphml(std::ostream& out, const SharingGraph& graph);

}  // namespace vacancy
