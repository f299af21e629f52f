// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/maximum_closure.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace vacancy {

namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;

struct Pipe {
  std::int64_t capacity = 0, left = 0;
  Traits::edge_descriptor back{};
};

using Network =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Pipe>;

void connect(Network& network, std::uint32_t from, std::uint32_t to, std::int64_t capacity) {
  const auto there = boost::add_edge(from, to, {capacity, 0, {}}, network).first;
  const auto back = boost::add_edge(to, from, {0, 0, there}, network).first;
  network[there].back = back;
}

/// What the source still reaches once the flow is highest: the smallest side of a minimum cut.
std::vector<std::uint32_t> reached(const Network& network, std::uint32_t source) {
  std::vector<bool> seen(boost::num_vertices(network), false);
  std::vector<std::uint32_t> result{source};
  seen[source] = true;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto pipes = boost::out_edges(result[i], network);
    for (auto pipe = pipes.first; pipe != pipes.second; ++pipe) {
      const auto to = static_cast<std::uint32_t>(boost::target(*pipe, network));
      if (seen[to] || network[*pipe].left == 0) continue;
      seen[to] = true;
      result.push_back(to);
    }
  }
  return result;
}

}  // namespace

Closure maximum_closure(const FreeingGraph& graph, Price price) {
  const auto nodes = static_cast<std::uint32_t>(graph.nodes.size());
  const std::uint32_t source = nodes, sink = nodes + 1;
  Network network(nodes + 2);
  std::int64_t positive = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::int64_t worth = value(graph.nodes[node].gain, graph.nodes[node].loss, price);
    if (worth > 0) connect(network, source, node, worth);
    if (worth < 0) connect(network, node, sink, -worth);
    if (worth > 0) positive += worth;
  }
  // No more than all that is worth something can flow.
  for (const Arc& arc : graph.arcs)
    connect(network, arc.from, arc.to, positive + 1);
  boost::push_relabel_max_flow(network, source, sink, boost::get(&Pipe::capacity, network),
                               boost::get(&Pipe::left, network), boost::get(&Pipe::back, network),
                               boost::get(boost::vertex_index, network));
  std::vector<std::uint32_t> chosen = reached(network, source);
  chosen.erase(chosen.begin());  // the source
  return closure_of(graph, chosen);
}

}  // namespace vacancy
