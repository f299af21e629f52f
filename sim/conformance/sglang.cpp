// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/sglang.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/conformance/case_reader.hpp"
#include "sim/prefix/radix/radix_cache.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

using nlohmann::json;

/// Of a case's pool. Every operation lists the whole pool, so a case has far fewer.
constexpr std::uint32_t most_slots = 1u << 20;

TokenRuns case_tokens(const json& object) {
  TokenRuns runs;
  for (const std::uint32_t id : case_numbers(object, "tokens"))
    runs.append(token(id));
  return runs;
}

std::int32_t case_priority(const json& object) {
  const json& value = case_field(object, "priority");
  using Limits = std::numeric_limits<std::int32_t>;
  const bool fits = value.is_number_integer() && value >= Limits::min() && value <= Limits::max();
  if (!fits) throw UserError("field \"priority\" is not a whole number of 32 bits");
  return value.get<std::int32_t>();
}

template <class Runs>
json elements(const Runs& runs) {
  json list = json::array();
  for (const SlotRun& run : runs)
    for (std::uint32_t i = 0; i < run.count; ++i)
      list.push_back(run.first + i);
  return list;
}

RadixCache make_cache(const json& c) {
  const std::uint32_t slots = case_number(c, "slots"), page_size = case_number(c, "page_size");
  const bool need_sort = case_flag(c, "need_sort");
  if (page_size == 0 || slots > most_slots || slots % page_size != 0)
    throw UserError("field \"slots\" is not a number of whole pages, at most 2^20 slots");
  const auto policy = radix_policy(case_text(c, "policy"));
  if (!policy) throw UserError("policy \"" + case_text(c, "policy") + "\" is unknown");
  const std::string& allocator = case_text(c, "allocator");
  if (allocator == "token")
    return {{page_size, *policy}, std::make_unique<TokenSlotAllocator>(slots, need_sort)};
  if (allocator == "paged")
    return {{page_size, *policy},
            std::make_unique<PagedSlotAllocator>(slots, page_size, need_sort)};
  throw UserError("allocator \"" + allocator + "\" is neither token nor paged");
}

/// One case on its way: its cache, and what its operations gave names to.
class SglangCase {
 public:
  explicit SglangCase(const json& c) : cache_(make_cache(c)) {}

  void apply(const std::string& op, const json& inputs, Comparison& comparison) {
    if (op == "match")
      match(inputs, comparison);
    else if (op == "lock")
      lock(inputs, comparison);
    else if (op == "unlock")
      unlock(inputs);
    else if (op == "insert")
      insert(inputs, comparison);
    else if (op == "evict")
      comparison.field("evicted", cache_.evict(case_number(inputs, "n")));
    else if (op == "begin")
      begin(inputs, comparison);
    else if (op == "extend")
      extend(inputs, comparison);
    else if (op == "unfinished")
      unfinished(inputs, comparison);
    else if (op == "finish")
      finish(inputs);
    else
      throw UserError("op \"" + op + "\" is unknown");
  }

  void compare_state(Comparison& comparison) const {
    const SlotAllocator& allocator = cache_.allocator();
    comparison.field("evictable", cache_.tree().evictable_tokens());
    comparison.field("protected", cache_.tree().protected_tokens());
    comparison.field("free_list", elements(allocator.free_list().runs()));
    comparison.field("release_list", elements(allocator.release_list().runs()));
    comparison.field("tree", children(RadixTree::root()));
  }

 private:
  NamespaceId name_space(const json& inputs) {
    if (!inputs.contains("extra_key")) return {};
    const std::string& key = case_text(inputs, "extra_key");
    const auto at = std::find(extra_keys_.begin(), extra_keys_.end(), key);
    const auto index = at - extra_keys_.begin();
    if (at == extra_keys_.end()) extra_keys_.push_back(key);
    return NamespaceId(static_cast<std::uint32_t>(index) + 1);
  }

  RadixNodeId match(const json& inputs, Comparison& comparison) {
    SlotRuns slots;
    const NamespaceId space = name_space(inputs);
    const RadixMatch found = cache_.tree().match(space, case_tokens(inputs), &slots);
    comparison.field("matched", found.tokens);
    comparison.field("slots", elements(slots.runs()));
    return found.node;
  }

  void lock(const json& inputs, Comparison& comparison) {
    const std::uint32_t id = case_number(inputs, "id");
    if (locked_.contains(id)) throw UserError("field \"id\" names a lock that is held");
    const RadixNodeId node = match(inputs, comparison);
    cache_.tree().lock(node);
    locked_[id] = node;
  }

  void unlock(const json& inputs) {
    const auto at = locked_.find(case_number(inputs, "id"));
    if (at == locked_.end()) throw UserError("field \"id\" names no lock that is held");
    cache_.tree().unlock(at->second);
    locked_.erase(at);
  }

  void insert(const json& inputs, Comparison& comparison) {
    const NamespaceId space = name_space(inputs);
    const RadixTree::Insertion insertion{case_priority(inputs), case_flag(inputs, "chunked")};
    const auto stored = cache_.store(space, case_tokens(inputs), insertion);
    comparison.field("ok", stored.ok);
    comparison.field("matched", stored.matched);
    comparison.field("insert_matched", stored.insert_matched);
    comparison.field("slots", elements(stored.slots.runs()));
  }

  RadixRequest& running(const json& inputs) {
    const auto at = requests_.find(case_number(inputs, "req"));
    if (at == requests_.end()) throw UserError("field \"req\" names no request that runs");
    return at->second;
  }

  void begin(const json& inputs, Comparison& comparison) {
    const std::uint32_t id = case_number(inputs, "req");
    if (requests_.contains(id)) throw UserError("field \"req\" names a request that runs already");
    RadixRequest request;
    request.name_space = name_space(inputs);
    request.priority = case_priority(inputs);
    request.tokens = case_tokens(inputs);
    const auto begun = cache_.begin(request);
    comparison.field("ok", begun.ok);
    comparison.field("matched", begun.matched);
    if (!begun.ok) return;
    comparison.field("slots", elements(request.slots.runs()));
    comparison.field("protected_len", request.protected_tokens);
    requests_.emplace(id, std::move(request));
  }

  void extend(const json& inputs, Comparison& comparison) {
    RadixRequest& request = running(inputs);
    comparison.field("ok", cache_.extend(request, case_tokens(inputs)));
    comparison.field("slots", elements(request.slots.runs()));
  }

  void unfinished(const json& inputs, Comparison& comparison) {
    RadixRequest& request = running(inputs);
    cache_.unfinished(request, case_flag(inputs, "chunked"));
    comparison.field("slots", elements(request.slots.runs()));
    comparison.field("protected_len", request.protected_tokens);
  }

  void finish(const json& inputs) {
    cache_.finish(running(inputs), case_flag(inputs, "insert"));
    requests_.erase(case_number(inputs, "req"));
  }

  /// The children of a node as `tree` has them: by extra key, none first, then by tokens.
  json children(RadixNodeId parent) const {
    const RadixTree& tree = cache_.tree();
    std::vector<std::pair<std::pair<std::optional<std::string>, json>, json>> sorted;
    for (RadixNodeId id = tree.node(parent).first_child; id != no_radix_node;
         id = tree.node(id).next_sibling) {
      const RadixNode& node = tree.node(id);
      json tokens = json::array();
      for (const TokenRun& run : node.tokens.runs())
        tokens.push_back(run.content);
      json shown = {{"tokens", tokens},          {"slots", elements(node.slots.runs())},
                    {"lock_ref", node.lock_ref}, {"hit_count", node.hit_count},
                    {"priority", node.priority}, {"access", node.access},
                    {"created", node.created},   {"children", children(id)}};
      std::optional<std::string> extra_key;
      if (node.name_space != NamespaceId{}) {
        extra_key = extra_keys_[node.name_space.value() - 1];
        shown["extra_key"] = *extra_key;
      }
      sorted.emplace_back(std::pair(std::move(extra_key), std::move(tokens)), std::move(shown));
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    json list = json::array();
    for (auto& [key, shown] : sorted)
      list.push_back(std::move(shown));
    return list;
  }

  RadixCache cache_;
  std::vector<std::string> extra_keys_;  // by namespace, from 1 on
  std::map<std::uint32_t, RadixNodeId> locked_;
  std::map<std::uint32_t, RadixRequest> requests_;
};

}  // namespace

std::optional<std::string> check_sglang_case(const json& c) {
  SglangCase run(c);
  std::size_t index = 0;
  for (const json& inputs : case_field(c, "ops")) {
    const std::string& op = case_text(inputs, "op");
    std::string where = "op " + std::to_string(index++) + " (" + op;
    if (inputs.contains("req")) where += ", req " + inputs["req"].dump();
    Comparison comparison(where + ")", case_field(inputs, "expect"));
    run.apply(op, inputs, comparison);
    run.compare_state(comparison);
    if (!comparison.difference().empty()) return comparison.difference();
  }
  return std::nullopt;
}

}  // namespace vacancy
