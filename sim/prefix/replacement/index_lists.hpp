// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace vacancy {

/// A few doubly linked lists threaded through one array indexed by id; an id is in one list at
/// most. Every operation is O(1) and without branches: each list is a ring through its own head.
template <class Id>
class IndexLists {
 public:
  IndexLists(std::uint32_t lists, std::uint32_t ids) : heads_(lists), sizes_(lists, 0) {
    links_.resize(lists + std::size_t{ids});
    for (std::uint32_t list = 0; list < lists; ++list)
      links_[list] = {list, list, list};
  }

  /// Makes room for ids below `ids`; never fewer than before.
  void grow(std::uint32_t ids) {
    if (heads_ + std::size_t{ids} > links_.size()) links_.resize(heads_ + std::size_t{ids});
  }

  std::uint32_t size(std::uint32_t list) const { return sizes_[list]; }
  bool empty(std::uint32_t list) const { return sizes_[list] == 0; }
  bool contains(Id id) const {
    return node(id) < links_.size() && links_[node(id)].list != no_list;
  }
  bool in(std::uint32_t list, Id id) const {
    return node(id) < links_.size() && links_[node(id)].list == list;
  }

  /// The list must not be empty.
  Id front(std::uint32_t list) const { return id(links_[list].next); }
  Id back(std::uint32_t list) const { return id(links_[list].previous); }

  void push_back(std::uint32_t list, Id id) {
    const std::uint32_t added = node(id), last = links_[list].previous;
    links_[added] = {last, list, list};
    links_[last].next = added;
    links_[list].previous = added;
    ++sizes_[list];
  }

  void remove(Id id) {
    Link& gone = links_[node(id)];
    links_[gone.previous].next = gone.next;
    links_[gone.next].previous = gone.previous;
    --sizes_[gone.list];
    gone.list = no_list;
  }

 private:
  static constexpr std::uint32_t no_list = std::numeric_limits<std::uint32_t>::max();
  struct Link {
    std::uint32_t previous = 0, next = 0;
    std::uint32_t list = no_list;
  };
  std::uint32_t node(Id id) const { return heads_ + id.value(); }
  Id id(std::uint32_t node) const { return Id(node - heads_); }

  std::uint32_t heads_;
  std::vector<Link> links_;  // heads first
  std::vector<std::uint32_t> sizes_;
};

}  // namespace vacancy
