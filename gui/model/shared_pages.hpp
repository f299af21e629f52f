// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace vacancy::gui {

/// An array of big elements that copies have in common until one of them writes: a copy costs a
/// pointer an element, a write copies one element. `writer` is a number that nobody else has
/// (new_writer_number). Whoever lets its array be copied takes another number from then on, so that
/// nobody writes what two arrays have, and several threads may read and copy.
template <class Page>
class SharedPages {
 public:
  using Pages = std::span<const std::shared_ptr<const Page>>;

  std::size_t size() const { return pages_.size(); }
  const Page& operator[](std::size_t i) const { return *pages_[i]; }
  Pages pages() const { return pages_; }

  /// New elements are one and the same in memory.
  void resize(std::size_t size, const std::shared_ptr<const Page>& page) {
    pages_.resize(size, page);
    writers_.resize(size, 0);
  }
  /// To write to.
  Page& own(std::size_t i, std::uint64_t writer) {
    if (writers_[i] != writer) {
      pages_[i] = std::make_shared<Page>(*pages_[i]);
      writers_[i] = writer;
    }
    return const_cast<Page&>(*pages_[i]);  // made above, not as a constant
  }

  /// How many elements in memory this has that another one (null: none) has not at the same place.
  std::size_t beside(const SharedPages* other) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const bool theirs = other != nullptr && i < other->size() && pages_[i] == other->pages_[i];
      const bool again = i > 0 && pages_[i] == pages_[i - 1];
      if (!theirs && !again) ++count;
    }
    return count;
  }

 private:
  std::vector<std::shared_ptr<const Page>> pages_;
  std::vector<std::uint64_t> writers_;  // who made each, for itself alone; 0: nobody
};

}  // namespace vacancy::gui
