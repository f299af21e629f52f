// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/pool/content_id.hpp"
#include "sim/prefix/hash_chain/hash_chain_index.hpp"
#include "sim/prefix/replacement/registry.hpp"

namespace vacancy {

/// Copies of full blocks in host memory (spec engines V29: vLLM's CPU offload). A copy is named by
/// its contents, and there is one of each; what the device does with its own block does not matter
/// to it. The policy is told of contents, never of requests.
class HostCopies {
 public:
  /// `blocks`: room, at least one.
  HostCopies(std::uint32_t blocks, const ReplacementEntry& replacement,
             const ParameterValues& parameters);

  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  /// The blocks that the leading contents are in. Valid until the next call.
  std::span<const std::uint32_t> leading(std::span<const ContentId> contents);
  /// What is here of a prefix is used: its last block first, so that the first one stays longest.
  void touch(std::span<const ContentId> contents);
  struct Stored {
    std::vector<std::uint32_t> contents, blocks;  // which of them, and where they are now
    std::uint32_t evicted = 0;

    std::uint32_t copied() const { return static_cast<std::uint32_t>(blocks.size()); }
  };
  /// Copies the contents that are not here, and evicts others for them. All or nothing: where they
  /// do not all fit beside those that are here already, nothing happens. Valid until the next call.
  const Stored& store(std::span<const ContentId> contents, SimTime now);

 private:
  struct Hash {
    std::size_t operator()(const ContentId& id) const { return HashChainIndex::hash(id); }
  };
  ContentIndex number(const ContentId& id);
  EntryId take_entry(const BlockAccess& incoming);

  std::uint32_t blocks_;
  std::unique_ptr<ReplacementPolicy> policy_;
  std::unordered_map<ContentId, EntryId, Hash> entries_;
  std::unordered_map<ContentId, ContentIndex, Hash> numbers_;  // of all that ever were here
  std::vector<ContentId> contents_;                            // by entry
  std::vector<EntryId> pinned_;                                // scratch, as what follows
  std::vector<std::uint32_t> found_;
  Stored stored_;
};

}  // namespace vacancy
