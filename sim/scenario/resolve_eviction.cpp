// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/attention/registry.hpp"
#include "sim/eviction/evictor.hpp"
#include "sim/eviction/registry.hpp"
#include "sim/scenario/model_choice.hpp"
#include "sim/scenario/options.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

namespace {

using namespace std::string_literals;

/// The scope whose sets are no finer than the table: where blocks leave as a whole, all sets on a
/// table must agree.
Scope joined_to_table(Scope scope, TableKind table) {
  switch (table) {
    case TableKind::shared:
      return Scope::model;
    case TableKind::per_layer:
      if (scope == Scope::per_head) return Scope::model;
      return scope == Scope::model ? Scope::model : Scope::per_layer;
    case TableKind::per_layer_per_head:
      return scope;
  }
  return scope;
}

std::string missing_features(const AttentionFeatures& has, const AttentionFeatures& needs) {
  std::string text;
  const auto name = [&](bool missing, std::string_view feature) {
    if (missing) text += (text.empty() ? "" : ", ") + std::string(feature);
  };
  name(needs.weights && !has.weights, "weights");
  name(needs.keys && !has.keys, "keys");
  name(needs.queries && !has.queries, "queries");
  name(needs.values && !has.values, "values");
  name(needs.output_norms && !has.output_norms, "with an output projection");
  name(needs.half_rotary && !has.half_rotary, "rotary pairing of halves");
  name(needs.rereading && !has.rereading, "of a second reading");
  return text;
}

/// The names of the sources that give all of it.
std::string sources_with(const AttentionFeatures& wanted) {
  std::string able;
  for (const auto& entry : attention_sources())
    if (entry.features.cover(wanted)) able += (able.empty() ? "" : ", ") + entry.info.name;
  return able;
}

}  // namespace

void Resolver::resolve_eviction_options() {
  const auto options = eviction_table().read(section("eviction"));
  const auto* entry = find_policy(options.policy);
  scenario_.policy = options.policy;

  EvictorOptions& eviction = scenario_.eviction;
  eviction.budget = options.budget.value_or(0);
  eviction.interval = options.interval;
  eviction.trigger = options.trigger.value_or(entry->trigger);
  eviction.prompt = options.prompt.value_or(entry->prompt);
  eviction.count_prompt = options.count_prompt;
  const bool by_length =
      eviction.trigger == TriggerKind::slack || eviction.trigger == TriggerKind::aligned;
  if (!options.count_prompt && !(by_length && eviction.prompt == PromptRule::pinned_inside))
    fault("/eviction/count_prompt",
          "is about a prompt pinned inside the budget and the triggers slack and aligned. Set "
          "eviction.prompt to pinned_inside and eviction.trigger to one of these, or remove it.");
  if (options.round_time > 0 && !scenario_.serving)
    fault("/eviction/round_time",
          "holds up an engine, and this scenario has none. Name one in engine.profile, or remove "
          "it.");
  read_faults(options.fault);
  eviction.protect = protection_table().read(section("eviction.protect"));
  const auto usage = usage_table().read(section("eviction.usage"));
  eviction.usage_arm = usage.arm;
  eviction.usage_release = usage.release;
  const ParameterValue at = section("eviction.once").at("at");
  if (const auto* length = std::get_if<std::int64_t>(&at)) {
    eviction.once = OnceAt::length;
    eviction.once_length = static_cast<std::uint32_t>(*length);
    if (eviction.trigger != TriggerKind::once)
      fault("/eviction/once/at", "belongs to the trigger once, and this one is " +
                                     std::string(enum_name(eviction.trigger)) +
                                     ". Set eviction.trigger to once, or remove it.");
  } else {
    const auto& word = std::get<std::string>(at);
    const bool prompts =
        scenario_.serving || (scenario_.prompt_tokens && scenario_.prompt_tokens->longest() > 0);
    const OnceAt own = prompts ? entry->once : OnceAt::sequence_end;
    eviction.once = word == "end"          ? OnceAt::sequence_end
                    : word == "prompt_end" ? OnceAt::prompt_end
                                           : own;
    section("eviction.once")["at"] =
        std::string(eviction.once == OnceAt::sequence_end ? "end" : "prompt_end");
  }

  wanted_scope_ = options.scope.value_or(entry->scope);
  CacheLayout& layout = scenario_.cache.layout;
  const Scope scope =
      eviction.whole_blocks ? joined_to_table(wanted_scope_, layout.table_kind()) : wanted_scope_;
  layout = CacheLayout(layout.layers(), layout.kv_heads(), layout.table_kind(), scope);
  section("eviction")["scope"] = std::string(enum_name(scenario_.cache.layout.scope()));
  section("eviction")["trigger"] = std::string(enum_name(eviction.trigger));
  section("eviction")["prompt"] = std::string(enum_name(eviction.prompt));
}

void Resolver::read_faults(const std::string& names) {
  if (names == "none") return;
  std::vector<std::string_view> known{"none"};
  for (const auto& entry : EnumNames<EvictionFault>::table)
    known.push_back(entry.name);
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    std::string name = names.substr(begin, end - begin);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    const auto value = enum_value<EvictionFault>(name);
    if (value && scenario_.eviction.faults.has(*value))
      fault("/eviction/fault", in_quotes(name) + " is named twice. Remove one of them.");
    else if (value)
      scenario_.eviction.faults.insert(*value);
    else
      fault("/eviction/fault", in_quotes(name) +
                                   " is not a defect; the value is none, or names of defects "
                                   "separated by commas." +
                                   did_you_mean(name, known));
    begin = end + 1;
  }
}

void Resolver::make_policy() {
  const std::string path = "eviction." + scenario_.policy;
  const std::string pointer = "/eviction/" + scenario_.policy;
  for (const std::string& needed : {pointer, "/model"s, "/eviction/policy"s, "/eviction/budget"s})
    if (!faults_.clean(needed)) return;
  const auto* entry = find_policy(scenario_.policy);
  if (!data_present(entry->info, path)) return;
  const AttentionShape shape = attention_shape(scenario_.model);
  PolicyContext context;
  context.seed = scenario_.seed;
  context.layers = shape.layers;
  context.query_heads = shape.query_heads;
  context.kv_heads = shape.kv_heads;
  context.head_dim = shape.head_dim;
  context.rope_theta = scenario_.model.rope_theta.value_or(0);
  if (scenario_.attention) {
    context.half_rotary = scenario_.attention->features().half_rotary;
    if (scenario_.attention->rope_theta() > 0)
      context.rope_theta = scenario_.attention->rope_theta();
  }
  if (faults_.clean("/cache/block_size")) context.block_size = scenario_.cache.block_size;
  context.budget = scenario_.eviction.budget;
  context.resolve_path = located_path;
  context.note = [&](std::string note) { scenario_.notes.push_back(std::move(note)); };
  if (!attempt(pointer, [&] { scenario_.eviction_policy = entry->make(section(path), context); }))
    return;
  check_needs(scenario_.eviction_policy->needs());
  check_budget();
}

void Resolver::check_needs(const PolicyNeeds& needs) {
  if (!needs.any() || !faults_.clean("/attention/source")) return;
  const AttentionFeatures& wanted = needs.features;
  const auto* source = find_attention_source(scenario_.source);
  const AttentionFeatures given = source ? source->features : AttentionFeatures{};
  if (given.cover(wanted)) {
    if (wanted.rereading) check_rereading();
    return;
  }
  fault(source ? "/attention/source" : "/eviction/policy",
        "the policy " + scenario_.policy + " needs attention " + missing_features(given, wanted) +
            ", which the attention source " + scenario_.source +
            " does not give. Set attention.source to one of " + sources_with(wanted) + ".");
}

/// A second reading goes on behind the first, as far as the source goes.
void Resolver::check_rereading() {
  if (scenario_.serving) {
    fault("/eviction/policy", "the policy " + scenario_.policy +
                                  " reads a context twice, which this version does for sequences "
                                  "in lockstep only. Remove the engine, or choose another policy.");
    return;
  }
  if (!scenario_.attention || !faults_.clean("/workload")) return;
  const EvictorOptions& eviction = scenario_.eviction;
  std::uint64_t context = longest_sequence();
  if (eviction.trigger == TriggerKind::once && eviction.once == OnceAt::prompt_end)
    context = scenario_.prompt_tokens->longest();
  if (eviction.trigger == TriggerKind::once && eviction.once == OnceAt::length)
    context = std::min<std::uint64_t>(context, eviction.once_length);
  const std::uint32_t most = scenario_.attention->max_length();
  if (2 * context <= most) return;
  fault("/workload", "the policy " + scenario_.policy + " reads a context of " +
                         counted(context, "token") + " twice, but the attention source " +
                         scenario_.source + " ends at " + counted(most, "token") +
                         ". Evict once at a length of at most " + counted(most / 2, "token") +
                         " (eviction.once.at), or shorten the sequences.");
}

void Resolver::check_trajectory() {
  if (scenario_.trajectory == Trajectory::full || !faults_.clean("/attention")) return;
  const auto refuse = [&](const std::string& sentence) {
    fault("/attention/trajectory", sentence);
  };
  const auto* source = find_attention_source(scenario_.source);
  if (!source || !source->features.own_trajectory)
    return refuse("own decodes over the evicted cache, which the attention source " +
                  scenario_.source + " cannot: it runs no model. Set attention.source to " +
                  sources_with({.own_trajectory = true}) + ", or use full.");
  if (scenario_.serving)
    return refuse(
        "own decodes over the evicted cache, which this version does for sequences in lockstep "
        "only: it does not follow what an engine shares, swaps or computes again. Remove the "
        "engine, or use full.");
  const auto& policy = scenario_.eviction_policy;
  if (!policy) return;
  if (policy->reads_part())
    refuse("own lets every query read all that its set holds, and under the policy " +
           scenario_.policy + " a query reads part of it. Choose another policy, or use full.");
  else if (!policy->needs().any() && scenario_.quality_queries == 0)
    refuse("own has no effect: the policy " + scenario_.policy +
           " looks at no attention, and no quality is measured. Raise quality.queries, or use "
           "full.");
}

void Resolver::check_budget() {
  const EvictorOptions& eviction = scenario_.eviction;
  if (!has_budget(scenario_.eviction_policy->keep_rule())) return;
  if (eviction.budget == 0) {
    fault("/eviction/budget", "is missing: the policy " + scenario_.policy +
                                  " needs the tokens that stay after a round, such as 2048.");
    return;
  }
  if (!faults_.clean("/eviction/protect")) return;
  const bool fits = attempt("/eviction/budget", [&] {
    check_protection(eviction, *scenario_.eviction_policy, "eviction." + scenario_.policy);
  });
  if (fits && faults_.clean("/workload") && !scenario_.serving) note_budget();
}

void Resolver::check_key_groups() {
  const std::uint32_t group = key_group_tokens(scenario_.model.kv_dtype);
  if (group == 1 || !scenario_.eviction_policy || !faults_.clean("/cache") ||
      scenario_.eviction_policy->keep_rule() == KeepRule::all)
    return;
  const bool in_groups = scenario_.eviction.whole_blocks && scenario_.cache.block_size % group == 0;
  if (in_groups) return;
  fault("/cache/kv_dtype",
        std::string(enum_name(scenario_.model.kv_dtype)) + " quantises the keys of " +
            std::to_string(group) +
            " consecutive tokens together: one of them can neither go nor move without quantising "
            "the others a second time. Set reclaim.kind to whole_block and cache.block_size to a "
            "multiple of " +
            std::to_string(group) + ", or take another format.");
}

void Resolver::note_budget() {
  const EvictorOptions& eviction = scenario_.eviction;
  const std::uint32_t capacity = scenario_.eviction_policy->capacity(eviction.budget);
  const ParameterValue prompt = section("workload").at("prompt_tokens");
  const auto* prompt_tokens = std::get_if<std::int64_t>(&prompt);
  if (eviction.prompt != PromptRule::pinned_outside && longest_sequence() <= capacity)
    scenario_.notes.push_back("Nothing will be evicted: no sequence exceeds the budget of " +
                              counted(capacity, "token") + ".");
  else if (eviction.prompt == PromptRule::pinned_inside && prompt_tokens &&
           *prompt_tokens >= capacity)
    scenario_.notes.push_back("Nothing will be evicted: the pinned prompt of " +
                              counted(static_cast<std::uint64_t>(*prompt_tokens), "token") +
                              " fills the budget of " + counted(capacity, "token") +
                              ", so every round is skipped.");
}

void Resolver::note_scope() {
  const Scope scope = scenario_.cache.layout.scope();
  if (scope != wanted_scope_)
    scenario_.notes.push_back("Reclaim " + scenario_.reclaimer +
                              " keeps whole blocks, so keep sets are no finer than block tables: "
                              "scope " +
                              std::string(enum_name(wanted_scope_)) + " becomes " +
                              std::string(enum_name(scope)) + ".");
  const bool per_head = scope == Scope::per_head || scope == Scope::per_layer_per_head;
  if (per_head && scenario_.model.kv_heads == 1)
    scenario_.notes.push_back("The model caches one KV head, so scope " +
                              std::string(enum_name(scope)) + " has one set for each " +
                              (scope == Scope::per_head ? "sequence." : "layer."));
}

/// Whole-block reclaim looks at scores only (contract, reclaim.kind).
void Resolver::note_block_choice() {
  if (scenario_.eviction.whole_blocks &&
      scenario_.eviction_policy->keep_count() == KeepCount::blocks)
    scenario_.notes.push_back("Reclaim " + scenario_.reclaimer +
                              " chooses blocks by the scores of " + scenario_.policy +
                              " and reclaim.aggregate; for the method's own " +
                              "choice of blocks set reclaim.kind to none.");
}

/// A block with a protected token stays whole, so protection may take more than the budget.
void Resolver::note_protected_blocks() {
  const EvictorOptions& eviction = scenario_.eviction;
  const EvictionPolicy& policy = *scenario_.eviction_policy;
  const bool whole = eviction.whole_blocks || policy.keep_count() == KeepCount::blocks;
  if (!whole || !has_budget(policy.keep_rule())) return;
  const std::uint64_t slots = scenario_.cache.block_size;
  const auto blocks_of = [&](std::uint64_t tokens) { return (tokens + slots - 1) / slots; };
  const Protection kept = joined_protection(eviction, policy);
  // The recent window begins in the middle of a block, at the latest by its last token.
  const std::uint64_t most = blocks_of(kept.sinks) + blocks_of(kept.recent + slots - 1);
  const std::uint64_t budget = policy.capacity(eviction.budget);
  if (most <= blocks_of(budget)) return;
  scenario_.notes.push_back(
      "Blocks stay whole, and the protected tokens alone (the first " + format_count(kept.sinks) +
      " and the last " + format_count(kept.recent) + ") reach into up to " +
      counted(most, "block") + " of " + counted(slots, "slot") + ": more than the budget of " +
      counted(budget, "token") + " fills. Rounds may keep more than it.");
}

void Resolver::check_trigger() {
  const EvictorOptions& eviction = scenario_.eviction;
  if (!faults_.clean("/eviction/trigger")) return;
  switch (eviction.trigger) {
    case TriggerKind::usage:
      if (eviction.usage_release >= eviction.usage_arm && faults_.clean("/eviction/usage"))
        fault("/eviction/usage", "release " + bound_text(eviction.usage_release) +
                                     " must lie below arm " + bound_text(eviction.usage_arm) +
                                     "; rounds would never stop.");
      [[fallthrough]];
    case TriggerKind::allocation_failure:
      if (!scenario_.cache.blocks && faults_.clean("/cache") && faults_.clean("/model"))
        fault("/eviction/trigger", std::string(enum_name(eviction.trigger)) +
                                       " never happens in an unlimited pool; set cache.blocks or "
                                       "cache.memory.");
      break;
    case TriggerKind::once:
      if (faults_.clean("/eviction/once") && faults_.clean("/workload")) check_once();
      break;
    case TriggerKind::interval:
    case TriggerKind::aligned:
    case TriggerKind::slack:
      break;
  }
}

void Resolver::check_once() {
  const EvictorOptions& eviction = scenario_.eviction;
  if (scenario_.serving) {
    if (eviction.once == OnceAt::sequence_end)
      fault("/eviction/once/at",
            "a request leaves the engine with its last token, so nothing can be evicted at its "
            "end. Set it to prompt_end or to a length.");
    return;
  }
  if (!lockstep_) return;
  if (eviction.once == OnceAt::length && eviction.once_length > longest_sequence())
    fault("/eviction/once/at", "no sequence reaches " + counted(eviction.once_length, "token") +
                                   "; the longest has " + counted(longest_sequence(), "token") +
                                   ".");
  if (eviction.once == OnceAt::prompt_end && scenario_.prompt_tokens->longest() == 0)
    fault("/eviction/once/at",
          "prompt_end needs a prompt; set workload.prompt_tokens, or choose end or a length.");
}

}  // namespace vacancy
