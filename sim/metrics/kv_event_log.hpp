// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sim/pool/events.hpp"

namespace vacancy {

/// The prefix cache's contents as engines publish them to routers: BlockStored,
/// BlockRemoved and AllBlocksCleared, one JSON object a line, under the names of vLLM's KV events.
/// A block's hash is the text of its ContentId, so equal contents have equal hashes.
class KvEventLog final : public Observer {
 public:
  KvEventLog(std::ostream& out, std::uint32_t block_size) : out_(out), block_size_(block_size) {}

  void on_event(const Event& event) override;

 private:
  void stored(const BlocksCached& event);
  void removed(const BlocksUncached& event);
  void cleared();
  void forget_tables(SequenceId id);
  /// The hash of the entry before the first of these blocks, or null.
  std::string parent(const BlocksCached& event) const;

  std::ostream& out_;
  std::uint32_t block_size_;
  SimTime now_;
  std::vector<ContentId> contents_;  // by block
  std::vector<bool> cached_;         // by block
  /// The last block of each table that had its contents stored or adopted.
  std::map<std::pair<SequenceId, std::uint32_t>, BlockId> last_;
};

}  // namespace vacancy
