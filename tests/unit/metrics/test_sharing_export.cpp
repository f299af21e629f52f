// SPDX-License-Identifier: Apache-2.0
// Sharing graphs: merged chains, and what is written reads back.
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <catch2/catch.hpp>
#include <sstream>

#include "sim/metrics/sharing_export.hpp"

using namespace vacancy;

namespace {

constexpr std::uint32_t no_parent = no_sharing_parent;

/// GraphML knows no unsigned integers.
struct ReadNode {
  long blocks = 0, requests = 0, hits = 0;
};
using ReadGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, ReadNode>;

ReadGraph read(const std::string& text) {
  ReadGraph graph;
  boost::dynamic_properties properties;
  properties.property("blocks", boost::get(&ReadNode::blocks, graph));
  properties.property("requests", boost::get(&ReadNode::requests, graph));
  properties.property("hits", boost::get(&ReadNode::hits, graph));
  std::istringstream in(text);
  boost::read_graphml(in, graph, properties);
  return graph;
}

/// Two prefixes, the first of which forks.
const SharingGraph forked{{{no_parent, 2, 0, 2},
                           {0, 1, 1, 1},
                           {1, 1, 0, 0},
                           {1, 300, 0, 0},
                           {0, 2, 0, 0},
                           {no_parent, 7, 0, 1}}};

}  // namespace

TEST_CASE("runs of blocks that nothing tells apart become one node") {
  CHECK(merged_chains({}).nodes.empty());
  // 3 ─ 1 ─ 0 are a chain, whose parents stand behind their children; 0 forks into 2 and 5, and 5
  // goes on with 4. 6 and 7 differ in hits.
  const std::vector<SharingNode> nodes = {{1, 1, 0, 9},         {3, 2, 0, 9}, {0, 1, 0, 0},
                                          {no_parent, 1, 0, 9}, {5, 1, 1, 1}, {0, 1, 1, 1},
                                          {no_parent, 1, 0, 2}, {6, 1, 0, 1}};
  CHECK(merged_chains(nodes).nodes ==
        std::vector<SharingNode>{
            {no_parent, 4, 0, 9}, {0, 1, 0, 0}, {0, 2, 1, 1}, {no_parent, 1, 0, 2}, {3, 1, 0, 1}});
  CHECK(merged_chains(forked.nodes).nodes == forked.nodes);
}

TEST_CASE("a chain of a million blocks is one node") {
  std::vector<SharingNode> chain(1'000'000);
  for (std::uint32_t i = 1; i < chain.size(); ++i)
    chain[i].parent = i - 1;
  CHECK(merged_chains(chain).nodes == std::vector<SharingNode>{{no_parent, 1'000'000, 0, 0}});
}

TEST_CASE("GraphML reads back as the same graph") {
  std::ostringstream out;
  write_graphml(out, forked);
  const ReadGraph graph = read(out.str());
  REQUIRE(boost::num_vertices(graph) == forked.nodes.size());
  CHECK(boost::num_edges(graph) == 4);
  for (std::size_t i = 0; i < forked.nodes.size(); ++i) {
    const SharingNode& node = forked.nodes[i];
    CHECK(graph[i].blocks == static_cast<long>(node.blocks));
    CHECK(graph[i].requests == static_cast<long>(node.requests));
    CHECK(graph[i].hits == static_cast<long>(node.hits));
    const auto [first, last] = boost::in_edges(i, graph);
    CHECK(std::distance(first, last) == (node.parent == no_parent ? 0 : 1));
    if (first != last) CHECK(boost::source(*first, graph) == node.parent);
  }
  std::ostringstream again;
  write_graphml(again, forked);
  CHECK(again.str() == out.str());

  std::ostringstream nothing;
  write_graphml(nothing, {});
  CHECK(boost::num_vertices(read(nothing.str())) == 0);
}

TEST_CASE("DOT names each vertex's counts") {
  std::ostringstream out;
  write_dot(out, {{{no_parent, 2, 0, 1}, {0, 1, 3, 0}}});
  CHECK(out.str() == R"(digraph G {
rankdir=LR;
node [shape=box];
0[label="2 blocks\n1 hit", penwidth=2];
1[label="1 block\n3 requests", penwidth=1];
0->1 ;
}
)");
}
