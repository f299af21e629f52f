// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/prefix/replacement/index_lists.hpp"
#include "sim/prefix/replacement/policy.hpp"

namespace vacancy {

/// Lists of evicted contents, oldest eviction first. A content is in one list at most; an unknown
/// content in none.
class GhostLists {
 public:
  explicit GhostLists(std::uint32_t lists) : lists_(lists, 0) {}

  std::uint32_t size(std::uint32_t list) const { return lists_.size(list); }
  bool in(std::uint32_t list, ContentIndex content) const {
    return content != no_content && lists_.in(list, content);
  }

  void push(std::uint32_t list, ContentIndex content) {
    if (content == no_content) return;
    lists_.grow(content.value() + 1);
    if (lists_.contains(content)) lists_.remove(content);  // evicted from another entry before
    lists_.push_back(list, content);
  }
  void remove(ContentIndex content) { lists_.remove(content); }
  void remove_oldest(std::uint32_t list) { lists_.remove(lists_.front(list)); }

 private:
  IndexLists<ContentIndex> lists_;
};

}  // namespace vacancy
