// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace vacancy {

/// What a piece of a made prompt is; with its number, its identity.
enum class ContentKind : std::uint32_t { system, group, conversation, document, request };

/// Gives the full blocks of a prompt their keys. A prompt is a row of contents, each known by its
/// kind and number; the same contents in the same order have the same tokens, and a conversation's
/// tokens only grow at their end. Two blocks have the same key if the contents up to the one that
/// holds the block's last token are the same; keys of different blocks agree by chance only, one
/// pair in 2^64.
class PromptKeys {
 public:
  /// Starts a prompt whose keys are appended to `keys`.
  PromptKeys(std::uint32_t block_size, std::vector<std::uint64_t>& keys)
      : block_size_(block_size), keys_(keys) {}

  void add(ContentKind kind, std::uint32_t number, std::uint32_t version, std::uint32_t tokens);
  std::uint32_t tokens() const { return tokens_; }

 private:
  std::uint32_t block_size_;
  std::vector<std::uint64_t>& keys_;
  std::uint64_t chain_ = 0;  // of the contents so far
  std::uint32_t tokens_ = 0, blocks_ = 0;
};

}  // namespace vacancy
