// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/trtllm/table_events.hpp"

#include <numeric>
#include <span>

#include "sim/units/overloaded.hpp"

namespace vacancy {

void TableEvents::start() {
  std::uint32_t first_id = 0;
  for (const reuse_tree::WindowBlockManager& manager : cache_.windows()) {
    Window& window = windows_.emplace_back();
    window.first_id = first_id;
    window.hits.resize(manager.blocks());
    first_id += manager.blocks();
  }
}

void TableEvents::tell_removed(Window& window, UncacheCause cause) {
  if (window.removed.empty()) return;
  out_.on_event(BlocksUncached{window.removed, cause});
  window.removed.clear();
}

void TableEvents::tell_adopted(SequenceId sequence, std::uint32_t index) {
  Window& window = windows_[index];
  if (window.adopted.empty()) return;
  out_.on_event(BlocksAdopted{sequence, index, window.adopted});
  window.adopted.clear();
}

void TableEvents::tell_allocated(SequenceId sequence, std::uint32_t index, BlockId block,
                                 std::size_t entry) {
  Window& window = windows_[index];
  tell_left(index, FreeCause::window);
  tell_removed(window, UncacheCause::allocation);
  tell_adopted(sequence, index);
  const BlockId id = told(window, block);
  out_.on_event(
      BlocksAllocated{sequence, index, static_cast<std::uint32_t>(entry), std::span(&id, 1)});
}

void TableEvents::tell_left(std::uint32_t index, FreeCause cause) {
  Window& window = windows_[index];
  if (window.left.empty()) return;
  entries_.resize(window.left.size());
  std::iota(entries_.begin(), entries_.end(), window.first_left);
  out_.on_event(BlocksReleased{window.leaving, index, cause, cause != FreeCause::window, entries_,
                               window.left, window.freed});
  window.left.clear();
  window.freed = 0;
}

void TableEvents::added(SequenceId sequence) {
  for (std::uint32_t i = 0; i < windows_.size(); ++i)
    tell_adopted(sequence, i);
}

void TableEvents::extended() {
  for (std::uint32_t i = 0; i < windows_.size(); ++i)
    tell_left(i, FreeCause::window);
}

void TableEvents::about_to_release(SequenceId sequence) {
  for (std::uint32_t i = 0; i < windows_.size(); ++i) {
    Window& window = windows_[i];
    const reuse_tree::WindowTable& table = cache_.table(sequence, i);
    for (const BlockId block : table.held())
      window.left.push_back(told(window, block));
    window.first_left = static_cast<std::uint32_t>(table.detached.size());
    window.leaving = sequence;
  }
}

void TableEvents::released(FreeCause cause) {
  for (std::uint32_t i = 0; i < windows_.size(); ++i)
    tell_left(i, cause);
}

void TableEvents::on_event(std::uint32_t index, const reuse_tree::Event& event) {
  Window& window = windows_[index];
  const reuse_tree::WindowBlockManager& manager = cache_.windows()[index];
  std::visit(
      Overloaded{
          [&](const reuse_tree::BlockRemoved& e) {
            window.removed.push_back(told(window, e.block));
          },
          [&](const reuse_tree::BlockReused& e) {
            tell_removed(window, UncacheCause::rewrite);  // a leaf that is reused in part
            window.adopted.push_back(told(window, e.block));
            if (manager.tree().stored(e.block)) ++window.hits[e.block.value()];
          },
          [&](const reuse_tree::BlockStored& e) { window.hits[e.block.value()] = 0; },
          // The block is in the table when it was allocated, and joins it when it was copied.
          [&](const reuse_tree::BlockAllocated& e) {
            tell_allocated(e.sequence, index, e.block,
                           cache_.table(e.sequence, index).blocks.size() - 1);
          },
          [&](const reuse_tree::BlockCopied& e) {
            tell_allocated(e.sequence, index, e.to, cache_.table(e.sequence, index).blocks.size());
          },
          [&](const reuse_tree::BlockDetached& e) {
            if (window.left.empty())
              window.first_left =
                  static_cast<std::uint32_t>(cache_.table(e.sequence, index).detached.size()) - 1;
            window.left.push_back(told(window, e.block));
            window.leaving = e.sequence;
          },
          [&](const reuse_tree::BlockReleased&) { ++window.freed; },
          [&](const reuse_tree::BlockOffloaded& e) {
            tell_left(index, FreeCause::window);  // it may be one of them
            out_.on_event(
                BlockOffloaded{index, told(window, e.block), told(window, e.other), e.stored});
          },
          [&](const reuse_tree::BlockOnboarded& e) {
            tell_removed(window, UncacheCause::allocation);
            out_.on_event(BlockOnboarded{index, told(window, e.block), told(window, e.other)});
          },
          [](const reuse_tree::PriorityUpdated&) {},
      },
      event);
}

std::vector<SharingNode> TableEvents::sharing() const {
  std::vector<SharingNode> result;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const reuse_tree::WindowBlockManager& manager = cache_.windows()[i];
    const reuse_tree::ReuseTree& tree = manager.tree();
    std::vector<std::uint32_t> place(manager.blocks(), no_sharing_parent);
    auto nodes = static_cast<std::uint32_t>(result.size());
    for (std::uint32_t id = 0; id < place.size(); ++id)
      if (tree.stored(BlockId(id))) place[id] = nodes++;
    for (std::uint32_t id = 0; id < place.size(); ++id) {
      if (place[id] == no_sharing_parent) continue;
      const BlockId parent = tree.parent(BlockId(id));
      result.push_back({parent == tree.root() ? no_sharing_parent : place[parent.value()], 1,
                        manager.references(BlockId(id)), windows_[i].hits[id]});
    }
  }
  return result;
}

}  // namespace vacancy
