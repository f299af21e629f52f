// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/vllm.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/conformance/case_reader.hpp"
#include "sim/conformance/vllm_ids.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"
#include "sim/units/error.hpp"
#include "sim/workload/trace/token_keys.hpp"

namespace vacancy {

namespace {

using nlohmann::json;
using Numbers = std::vector<std::uint32_t>;

/// Collects the blocks that lost their contents in an operation.
struct Evicted final : Observer {
  void on_event(const Event& event) override {
    if (const auto* uncached = std::get_if<BlocksUncached>(&event))
      for (const BlockId block : uncached->blocks)
        ids.push_back(engine_id(block));
  }
  Numbers ids;
};

/// One case on its way: its manager, and the requests that it named.
class VllmCase {
 public:
  explicit VllmCase(const json& c)
      : manager_(options_of(c), Bytes(), evicted_),
        token_blocks_(manager_.options().block_size),
        hybrid_(c.contains("groups")) {}

  /// One operation; the first difference or nothing.
  std::string apply(const json& op, const std::string& where) {
    evicted_.ids.clear();
    Comparison comparison(where, case_field(op, "expect"));
    const std::string& kind = case_text(op, "op");
    Known& known = request(op, kind);
    if (kind == "admit") {
      comparison.field("hit_tokens", admit(op, known));
      if (hybrid_) comparison.field("boundary", manager_.shared_prefix_boundary(known.request));
    } else if (kind == "chunk") {
      extend(known, case_number(op, "n"));
    } else if (kind == "append") {
      append(op, known);
    } else if (kind == "finish" || kind == "preempt") {
      if (!known.running) throw UserError("field \"req\" names a request that is not running");
      kind == "finish" ? manager_.finish(known.request) : manager_.preempt(known.request);
      known.running = false;
      known.computed = 0;
      ok_ = true;
    } else {
      throw UserError("field \"op\" is \"" + kind + "\", which is no operation");
    }
    compare_state(comparison, known);
    manager_.cache()->check_invariants();
    return comparison.difference();
  }

 private:
  struct Known {
    Request request;
    Numbers tokens;
    std::uint32_t computed = 0;
    bool running = false;
    std::uint32_t length() const { return static_cast<std::uint32_t>(tokens.size()); }
  };

  static HashChainOptions options_of(const json& c) {
    HashChainOptions options = vllm_options(c);
    options.prefix_caching = case_flag(c, "enable_prefix_cache");
    if (!c.contains("groups")) return options;
    options.groups.clear();
    for (const json& group : case_field(c, "groups")) {
      const bool window = case_text(group, "kind") == "sliding_window";
      options.groups.push_back(
          {window ? std::optional(case_number(group, "window")) : std::nullopt});
    }
    options.sparse_window_hashes = !case_field(c, "retention_interval").is_null();
    options.max_in_flight_tokens = case_number(c, "max_in_flight_tokens");
    return options;
  }

  Known& request(const json& op, const std::string& kind) {
    const std::uint32_t id = case_number(op, "req");
    const auto [place, fresh] = requests_.try_emplace(id);
    if (fresh && kind != "admit") throw UserError("field \"req\" names a request never admitted");
    // Ids of cases need not be dense.
    if (fresh) place->second.request.id = SequenceId(static_cast<std::uint32_t>(requests_.size()));
    return place->second;
  }

  std::uint32_t admit(const json& op, Known& known) {
    if (known.running) throw UserError("field \"req\" names a request that runs already");
    known.tokens = case_numbers(op, "tokens");
    if (known.tokens.empty()) throw UserError("field \"tokens\" is empty");
    known.request.prompt_tokens = case_number(op, "prompt_len");
    known.request.contents.tenant = tenant(op);
    describe(known);
    const std::uint32_t hit = manager_.lookup(known.request, known.length());
    std::uint32_t count = known.length() - hit;
    if (op.contains("budget")) count = std::min(count, case_number(op, "budget"));
    const bool others = std::any_of(requests_.begin(), requests_.end(),
                                    [](const auto& r) { return r.second.running; });
    ok_ = manager_.admit(known.request, known.length(), count, others);
    known.running = ok_;
    known.computed = ok_ ? hit + count : 0;
    return hit;
  }

  void extend(Known& known, std::uint32_t count) {
    if (!known.running) throw UserError("field \"req\" names a request that is not running");
    ok_ = manager_.extend(known.request, known.computed, count, known.length());
    if (ok_) known.computed += count;
  }

  void append(const json& op, Known& known) {
    const Numbers fresh = case_numbers(op, "tokens");
    known.tokens.insert(known.tokens.end(), fresh.begin(), fresh.end());
    describe(known);
    extend(known, static_cast<std::uint32_t>(fresh.size()));
    if (ok_) return;
    known.tokens.resize(known.tokens.size() - fresh.size());
    describe(known);
  }

  void describe(Known& known) {
    RequestContents& contents = known.request.contents;
    contents.keys.clear();
    token_blocks_.append_keys(known.tokens, contents.keys);
    contents.tokens_per_key = manager_.options().block_size;
    contents.keyed_tokens =
        static_cast<std::uint32_t>(contents.keys.size()) * contents.tokens_per_key;
  }

  std::uint32_t tenant(const json& op) {
    if (!op.contains("salt")) return 0;
    return tenants_.try_emplace(op.at("salt").dump(), tenants_.size() + 1).first->second;
  }

  void compare_state(Comparison& comparison, const Known& known) const {
    const KvCache& cache = *manager_.cache();
    comparison.field("ok", ok_);
    comparison.field("computed_tokens", known.computed);
    std::vector<Numbers> tables(manager_.options().groups.size());
    if (known.running)
      for (std::size_t group = 0; group < tables.size(); ++group)
        for (const BlockId block : cache.sequence(known.request.id).tables[group].entries())
          tables[group].push_back(engine_id(block));
    if (hybrid_)
      comparison.field("tables", tables);
    else
      comparison.field("table", tables.front());
    comparison.field("free_queue", engine_free_queue(manager_));
    comparison.field("cached", engine_cached(manager_));
    comparison.field("evicted", evicted_.ids);
    comparison.ratio("usage", manager_.usage());
  }

  Evicted evicted_;
  HashChainManager manager_;
  TokenBlockNumbers token_blocks_;
  bool hybrid_;
  bool ok_ = false;
  std::map<std::uint32_t, Known> requests_;
  std::map<std::string, std::uint32_t> tenants_;
};

}  // namespace

std::optional<std::string> check_vllm_case(const json& c) {
  VllmCase run(c);
  std::size_t number = 0;
  for (const json& op : case_field(c, "ops")) {
    std::string where = "op ";
    where += std::to_string(number++);
    if (op.contains("op") && op.at("op").is_string())
      where += " (" + op.at("op").get<std::string>() + ")";
    if (std::string difference = run.apply(op, where); !difference.empty()) return difference;
  }
  return std::nullopt;
}

}  // namespace vacancy
