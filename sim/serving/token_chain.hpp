// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/serving/request.hpp"

namespace vacancy {

/// Gives every distinct sequence of whole runs of tokens a key: what a chain of hashes does (spec
/// engines V1), without collisions.
class TokenChain {
 public:
  explicit TokenChain(std::uint32_t tokens_per_key) : tokens_per_key_(tokens_per_key) {}

  /// Brings the keys of `contents` up to `tokens`, the sequence from its start. Keys that are there
  /// already stay: tokens they stand for must not have changed.
  void describe(std::span<const std::uint32_t> tokens, RequestContents& contents) {
    contents.tokens_per_key = tokens_per_key_;
    const std::size_t runs = tokens.size() / tokens_per_key_;
    for (std::size_t run = contents.keys.size(); run < runs; ++run) {
      const auto own = tokens.subspan(run * tokens_per_key_, tokens_per_key_);
      const std::uint64_t parent = run == 0 ? 0 : contents.keys[run - 1];
      const auto [place, fresh] = keys_.try_emplace(
          std::pair(parent, std::vector<std::uint32_t>(own.begin(), own.end())), keys_.size() + 1);
      contents.keys.push_back(place->second);
    }
    contents.keyed_tokens = static_cast<std::uint32_t>(runs * tokens_per_key_);
  }

 private:
  std::uint32_t tokens_per_key_;
  std::map<std::pair<std::uint64_t, std::vector<std::uint32_t>>, std::uint64_t> keys_;
};

}  // namespace vacancy
