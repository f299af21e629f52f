// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/prefix/replacement/policy.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// How keys of a trace become blocks of the cache.
struct BlockSplit {
  std::uint32_t key_tokens = 512;    // tokens that one key stands for
  std::uint32_t block_tokens = 512;  // tokens of a block of the cache; divides key_tokens
  bool partial = true;               // a partial last block is a block too
};

/// One request of a reference string.
struct StringRequest {
  std::span<const std::uint64_t> keys;
  std::uint32_t tokens = 0;
  SimTime arrival;
  std::int32_t priority = 0;
  std::uint32_t tenant = 0;  // the same key of another tenant is another content
};

/// The blocks that all requests of a trace refer to, in order, as dense content ids: what a block
/// cache replays, once for each size and policy. 4 bytes a reference.
class ReferenceString {
 public:
  /// Throws UserError if block_tokens does not divide key_tokens.
  explicit ReferenceString(const BlockSplit& split);

  /// Appends a request. With K = key_tokens and b = block_tokens, block j holds part j mod (K/b) of
  /// key j/(K/b). Throws UserError beyond 2^32 - 1 references or contents.
  void add(const StringRequest& request);

  struct Request {
    std::uint64_t first_block = 0;  // in contents(); the next request's is the end
    std::uint32_t tokens = 0;
    std::int32_t priority = 0;
    SimTime arrival;
    std::uint32_t tenant = 0;  // in order of appearance
  };

  std::uint32_t requests() const { return static_cast<std::uint32_t>(requests_.size()); }
  const Request& request(std::uint32_t index) const { return requests_[index]; }
  std::uint64_t end_block(std::uint32_t index) const {
    return index + 1 < requests_.size() ? requests_[index + 1].first_block : contents_.size();
  }
  /// Every reference, request after request, first block first.
  std::span<const ContentIndex> contents() const { return contents_; }
  /// Content ids are below; not each one need occur.
  std::uint32_t content_bound() const { return content_bound_; }
  /// Different contents that occur.
  std::uint32_t unique() const { return unique_; }
  std::uint32_t tenants() const { return static_cast<std::uint32_t>(keys_.size()); }
  std::uint64_t input_tokens() const { return input_tokens_; }
  std::uint32_t block_tokens() const { return split_.block_tokens; }

 private:
  struct Key {
    std::uint32_t number;  // in order of appearance
    std::uint32_t parts;   // leading parts that have occurred
  };

  BlockSplit split_;
  std::uint32_t parts_;  // blocks that one key stands for
  std::unordered_map<std::uint32_t, std::uint32_t> tenant_numbers_;
  std::vector<std::unordered_map<std::uint64_t, Key>> keys_;  // of each tenant
  std::vector<ContentIndex> contents_;
  std::vector<Request> requests_;
  std::uint32_t content_bound_ = 0, unique_ = 0;
  std::uint64_t input_tokens_ = 0;
};

}  // namespace vacancy
