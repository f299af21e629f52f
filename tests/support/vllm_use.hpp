// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "sim/conformance/vllm_ids.hpp"
#include "sim/serving/engine_profile.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"
#include "sim/workload/trace/token_keys.hpp"

namespace vacancy::test {

/// count, first + 1, …: token ids, or block ids.
inline std::vector<std::uint32_t> ascending(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

inline std::vector<std::uint32_t> joined(std::vector<std::uint32_t> ids,
                                         const std::vector<std::uint32_t>& more) {
  ids.insert(ids.end(), more.begin(), more.end());
  return ids;
}

inline HashChainOptions vllm_profile(std::string_view name, std::uint32_t block_size,
                                     std::uint32_t usable_blocks) {
  const EngineProfile* profile = find_engine_profile(name);
  REQUIRE(profile);
  HashChainOptions options = profile->hash_chain.value();
  options.block_size = block_size;
  options.blocks = usable_blocks;
  return options;
}

/// Ids of requests.
inline constexpr std::uint32_t r0 = 0, r1 = 1, r2 = 2, r3 = 3, r4 = 4, r5 = 5;

/// vLLM's memory manager in the hands of a test: requests are token ids, blocks have the engine's
/// own numbers (0 is the null block).
class VllmUse {
 public:
  using Ids = std::vector<std::uint32_t>;

  explicit VllmUse(HashChainOptions options)
      : manager_(std::move(options), Bytes(), nobody_), numbers_(manager_.options().block_size) {}

  struct Admission {
    std::optional<std::uint32_t> budget = std::nullopt;  // tokens to compute at most
    std::uint32_t tenant = 0;
    std::optional<bool> others_run = std::nullopt;  // nothing: as it is
  };
  /// Looks up, and admits if there is room.
  bool admit(std::uint32_t id, Ids tokens, Admission how) {
    Known& known = known_[id];
    known.request.id = SequenceId(id);
    if (known.request.prompt_tokens == 0)
      known.request.prompt_tokens = static_cast<std::uint32_t>(tokens.size());
    known.request.contents.tenant = how.tenant;
    known.tokens = std::move(tokens);
    describe(known);
    hit_ = manager_.lookup(known.request, known.length());
    const std::uint32_t left = known.length() - hit_;
    const std::uint32_t count = std::min(left, how.budget.value_or(left));
    const bool admitted =
        manager_.admit(known.request, known.length(), count, how.others_run.value_or(running_ > 0));
    known.computed = admitted ? hit_ + count : 0;
    running_ += admitted;
    return admitted;
  }
  bool admit(std::uint32_t id, Ids tokens) { return admit(id, std::move(tokens), Admission{}); }
  /// The next tokens of its prompt.
  bool chunk(std::uint32_t id, std::uint32_t count) {
    Known& known = known_.at(id);
    if (!manager_.extend(known.request, known.computed, count, known.length())) return false;
    known.computed += count;
    return true;
  }
  /// New tokens, computed at once.
  bool decode(std::uint32_t id, const Ids& tokens) {
    for (const std::uint32_t token : tokens) {
      Known& known = known_.at(id);
      known.tokens.push_back(token);
      describe(known);
      if (!chunk(id, 1)) return false;
    }
    return true;
  }
  void finish(std::uint32_t id) {
    manager_.finish(known_.at(id).request);
    --running_;
  }
  void preempt(std::uint32_t id) {
    manager_.preempt(known_.at(id).request);
    --running_;
  }

  /// What the last admission found, in tokens.
  std::uint32_t hit() const { return hit_; }
  std::uint32_t boundary(std::uint32_t id) const {
    return manager_.shared_prefix_boundary(known_.at(id).request);
  }
  Ids table(std::uint32_t id, std::uint32_t group = 0) const {
    Ids ids;
    for (const BlockId block : manager_.cache()->sequence(SequenceId(id)).tables[group].entries())
      ids.push_back(engine_id(block));
    return ids;
  }
  Ids free_queue() const { return engine_free_queue(manager_); }
  Ids hashed() const { return engine_cached(manager_); }
  HashChainManager& manager() { return manager_; }
  const HashChainManager& manager() const { return manager_; }

 private:
  struct Nobody final : Observer {
    void on_event(const Event&) override {}
  };
  struct Known {
    Request request;
    Ids tokens;
    std::uint32_t computed = 0;
    std::uint32_t length() const { return static_cast<std::uint32_t>(tokens.size()); }
  };

  void describe(Known& known) {
    RequestContents& contents = known.request.contents;
    contents.keys.clear();
    numbers_.append_keys(known.tokens, contents.keys);
    contents.tokens_per_key = manager_.options().block_size;
    contents.keyed_tokens =
        static_cast<std::uint32_t>(contents.keys.size()) * contents.tokens_per_key;
  }

  Nobody nobody_;
  HashChainManager manager_;
  TokenBlockNumbers numbers_;
  std::map<std::uint32_t, Known> known_;
  std::uint32_t hit_ = 0, running_ = 0;
};

}  // namespace vacancy::test
