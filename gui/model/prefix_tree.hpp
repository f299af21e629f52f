// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gui/model/recording.hpp"

namespace vacancy::gui {

/// A block that can be found by its contents.
struct PrefixNode {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t block = 0;
  std::uint32_t parent = none;  // the place of another node; none: it begins a prompt, or the
                                // contents before its own are lost
  std::uint32_t children = 0;
  bool operator==(const PrefixNode&) const = default;
};

/// What a prefix index can find at a moment, and what follows what. Kept beside the cursor by
/// whoever shows it: going on reads only the events between, going back reads all up to there.
/// Empty for caches whose events do not tell cached contents (ReplicaShape::tells_cached).
class PrefixTree {
 public:
  explicit PrefixTree(std::shared_ptr<const Recording> recording);

  void seek(std::uint64_t event);
  std::uint64_t event() const { return event_; }
  std::size_t size() const { return blocks_.size(); }
  /// By block id.
  std::vector<PrefixNode> nodes() const;

 private:
  struct Hash {
    std::size_t operator()(const ContentId& id) const;
  };
  struct Contents {
    ContentId own;
    std::optional<ContentId> before;
  };
  using Table = std::pair<SequenceId, std::uint32_t>;

  void apply(const vacancy::Event& event);
  void forget(BlockId block);
  void leave(SequenceId sequence);

  std::shared_ptr<const Recording> recording_;
  HistoryReader reader_;
  std::uint64_t event_ = 0;
  std::map<BlockId, Contents> blocks_;
  /// Blocks with the same contents, the one that is found first.
  std::unordered_map<ContentId, std::vector<BlockId>, Hash> found_;
  /// Contents of the last complete block of each table.
  std::map<Table, ContentId> last_;
};

}  // namespace vacancy::gui
