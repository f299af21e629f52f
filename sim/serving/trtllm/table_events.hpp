// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/pool/events.hpp"
#include "sim/pool/sharing_graph.hpp"
#include "sim/prefix/reuse_tree/reuse_tree_cache.hpp"

namespace vacancy {

/// Tells what happens in a reuse tree's cache in the words of the event stream, and counts who
/// found what.
///
/// Table i of the stream is that of the i-th window size, ascending. Block ids of a window size
/// stand behind those of the window sizes before it, so that an id means one block.
class TableEvents final : public reuse_tree::Observer {
 public:
  /// The cache is made after this, with this as its observer; then start() is called.
  TableEvents(const reuse_tree::ReuseTreeCache& cache, vacancy::Observer& out)
      : cache_(cache), out_(out) {}
  void start();

  void on_event(std::uint32_t window, const reuse_tree::Event& event) override;
  /// The sequence has its prompt's blocks.
  void added(SequenceId sequence);
  /// A sequence has room for one more token.
  void extended();
  /// To be called before the sequence releases its blocks, and after it did.
  void about_to_release(SequenceId sequence);
  void released(FreeCause cause);

  /// A node for each stored block, siblings by id.
  std::vector<SharingNode> sharing() const;

 private:
  struct Window {
    std::uint32_t first_id = 0;       // in the event stream
    std::vector<std::uint64_t> hits;  // by block: admissions that found it whole
    // Not told yet, in ids of the event stream.
    std::vector<BlockId> removed, adopted, left;
    SequenceId leaving;  // the table that `left` stood in, from entry `first_left` on
    std::uint32_t first_left = 0, freed = 0;
  };
  BlockId told(const Window& window, BlockId block) const {
    return BlockId(window.first_id + block.value());
  }
  void tell_removed(Window& window, UncacheCause cause);
  void tell_adopted(SequenceId sequence, std::uint32_t window);
  void tell_allocated(SequenceId sequence, std::uint32_t window, BlockId block, std::size_t entry);
  void tell_left(std::uint32_t window, FreeCause cause);

  const reuse_tree::ReuseTreeCache& cache_;
  vacancy::Observer& out_;
  std::vector<Window> windows_;
  std::vector<std::uint32_t> entries_;  // scratch
};

}  // namespace vacancy
