// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/prefix/block_cache.hpp"
#include "sim/units/philox.hpp"
#include "tests/support/parameter_values.hpp"

namespace vacancy::test {

/// A request of a made trace: each letter is the key of a block.
struct LetterRequest {
  std::string blocks;
  std::int64_t second = 0;
  std::int32_t priority = 0;
};

inline ReferenceString string_of(const std::vector<LetterRequest>& requests) {
  ReferenceString string({1, 1, true});
  for (const LetterRequest& request : requests) {
    const std::vector<std::uint64_t> keys(request.blocks.begin(), request.blocks.end());
    string.add({keys, static_cast<std::uint32_t>(keys.size()),
                SimTime(request.second * 1'000'000'000), request.priority});
  }
  return string;
}

/// Each letter is a request of one block.
inline ReferenceString string_of(std::string_view letters) {
  std::vector<LetterRequest> requests;
  for (const char letter : letters)
    requests.push_back({std::string(1, letter)});
  return string_of(requests);
}

/// Writes one letter for each block, in the order of touches: '+' hit, '.' miss.
class HitPattern final : public BlockCacheObserver {
 public:
  void missed(const BlockMiss& miss) override { missing_.push_back(miss.position); }
  void served(const RequestOutcome& outcome) override {
    std::string part(outcome.blocks, '+');
    for (const std::uint32_t position : missing_)
      part[position] = '.';
    pattern += part;
    missing_.clear();
  }

  std::string pattern;

 private:
  std::vector<std::uint32_t> missing_;
};

struct CacheReplay {
  std::string policy;
  std::uint32_t capacity = 0;  // 0: unlimited
  ParameterValues parameters = {};
  HitCount count = HitCount::any;
  TouchOrder touch = TouchOrder::forward;

  BlockCacheOptions options() const {
    BlockCacheOptions options;
    if (capacity > 0) options.capacity = capacity;
    options.count = count;
    options.touch = touch;
    return options;
  }
  const ReplacementEntry& entry() const {
    const ReplacementEntry* found = find_replacement(policy);
    REQUIRE(found);
    return *found;
  }
  BlockCacheResult run(const ReferenceString& string,
                       BlockCacheObserver* observer = nullptr) const {
    return replay_blocks(string, options(), entry(), values_of(entry().info, parameters), observer);
  }
  std::string pattern(const ReferenceString& string) const {
    HitPattern observer;
    run(string, &observer);
    return observer.pattern;
  }
};

/// Requests of random lengths over random keys, small keys more often. Nothing about prefixes: a
/// key may stand anywhere.
inline ReferenceString random_string(std::uint64_t seed, std::uint32_t requests,
                                     std::uint32_t longest, std::uint32_t keys) {
  ReferenceString string({1, 1, true});
  const PhiloxKey key = philox_key(seed, Stream::workload);
  for (std::uint32_t request = 0; request < requests; ++request) {
    const auto draw = philox4x32_10({request, 0, 0, 1}, key);
    std::vector<std::uint64_t> blocks(1 + draw[0] % longest);
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
      const auto word = philox4x32_10({request, i, 0, 2}, key);
      blocks[i] = word[0] % (1 + word[1] % keys);
    }
    string.add({blocks, static_cast<std::uint32_t>(blocks.size()),
                SimTime(std::int64_t{request} * 1'000'000),
                static_cast<std::int32_t>(draw[1] % 5) - 2});
  }
  return string;
}

}  // namespace vacancy::test
