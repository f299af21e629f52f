// SPDX-License-Identifier: Apache-2.0
#include "sim/pool/sharing_graph.hpp"

#include <utility>

namespace vacancy {

namespace {

/// The children of every node, in order. Those without a parent stand behind all nodes.
class Children {
 public:
  explicit Children(std::span<const SharingNode> nodes)
      : first_(nodes.size() + 2), children_(nodes.size()) {
    for (const SharingNode& node : nodes)
      ++first_[owner(node, nodes.size()) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i)
      first_[i] += first_[i - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      children_[next[owner(nodes[i], nodes.size())]++] = i;
  }

  std::span<const std::uint32_t> of(std::size_t node) const {
    return std::span(children_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  static std::size_t owner(const SharingNode& node, std::size_t root) {
    return node.parent == no_sharing_parent ? root : node.parent;
  }

  std::vector<std::uint32_t> first_, children_;
};

}  // namespace

SharingGraph merged_chains(std::span<const SharingNode> nodes) {
  const Children children(nodes);
  SharingGraph graph;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // a node, its parent in the graph
  const auto open_children = [&](std::size_t of, std::uint32_t parent) {
    const auto all = children.of(of);
    for (std::size_t i = all.size(); i-- > 0;)
      open.emplace_back(all[i], parent);
  };
  open_children(nodes.size(), no_sharing_parent);
  while (!open.empty()) {
    auto [last, parent] = open.back();
    open.pop_back();
    SharingNode run = nodes[last];
    run.parent = parent;
    for (auto below = children.of(last); below.size() == 1; below = children.of(last)) {
      const SharingNode& next = nodes[below.front()];
      if (next.requests != run.requests || next.hits != run.hits) break;
      run.blocks += next.blocks;
      last = below.front();
    }
    graph.nodes.push_back(run);
    open_children(last, static_cast<std::uint32_t>(graph.nodes.size() - 1));
  }
  return graph;
}

}  // namespace vacancy
