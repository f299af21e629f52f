// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/sharing_export.hpp"

#include <bit>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <cstdint>
#include <string>

namespace vacancy {

namespace {

using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, SharingNode>;
using Vertex = boost::graph_traits<BoostGraph>::vertex_descriptor;

BoostGraph boost_graph(const SharingGraph& graph) {
  BoostGraph result(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const SharingNode& node = graph.nodes[i];
    result[i] = node;
    if (node.parent != no_sharing_parent) boost::add_edge(node.parent, i, result);
  }
  return result;
}

std::string counted(std::uint64_t count, const std::string& thing) {
  return std::to_string(count) + ' ' + thing + (count == 1 ? "" : "s");
}

}  // namespace

void write_dot(std::ostream& out, const SharingGraph& graph) {
  const BoostGraph shared = boost_graph(graph);
  const auto write_vertex = [&](std::ostream& text, Vertex vertex) {
    const SharingNode& node = shared[vertex];
    text << "[label=\"" << counted(node.blocks, "block");
    if (node.hits > 0) text << "\\n" << counted(node.hits, "hit");
    if (node.requests > 0) text << "\\n" << counted(node.requests, "request");
    text << "\", penwidth=" << std::bit_width(node.hits) + 1 << ']';
  };
  const auto write_graph = [](std::ostream& text) { text << "rankdir=LR;\nnode [shape=box];\n"; };
  const auto write_edge = [](std::ostream&, const auto&) {};
  boost::write_graphviz(out, shared, write_vertex, write_edge, write_graph);
}

void write_graphml(std::ostream& out, const SharingGraph& graph) {
  BoostGraph shared = boost_graph(graph);
  boost::dynamic_properties properties;
  properties.property("blocks", boost::get(&SharingNode::blocks, shared));
  properties.property("requests", boost::get(&SharingNode::requests, shared));
  properties.property("hits", boost::get(&SharingNode::hits, shared));
  boost::write_graphml(out, shared, properties, true);
}

}  // namespace vacancy
