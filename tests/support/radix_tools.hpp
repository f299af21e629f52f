// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sim/prefix/radix/radix_cache.hpp"

namespace vacancy::test {

/// Of requests whose tokens anybody may share.
inline constexpr NamespaceId none;

inline TokenRuns ids(std::initializer_list<std::uint32_t> list) {
  TokenRuns runs;
  for (const std::uint32_t id : list)
    runs.append(token(id));
  return runs;
}

template <class Runs>
std::vector<std::uint32_t> flat(const Runs& runs) {
  std::vector<std::uint32_t> list;
  for (const SlotRun& run : runs)
    for (std::uint32_t i = 0; i < run.count; ++i)
      list.push_back(run.first + i);
  return list;
}
inline std::vector<std::uint32_t> flat(const SlotRuns& list) {
  return flat(list.runs());
}
inline std::vector<std::uint32_t> flat(const FreeList& list) {
  return flat(list.runs());
}

inline std::vector<RadixNodeId> children(const RadixTree& tree, RadixNodeId parent) {
  std::vector<RadixNodeId> list;
  for (RadixNodeId id = tree.node(parent).first_child; id != no_radix_node;
       id = tree.node(id).next_sibling)
    list.push_back(id);
  return list;
}

}  // namespace vacancy::test
