// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/resolver.hpp"

#include <algorithm>
#include <limits>

#include "sim/attention/registry.hpp"
#include "sim/eviction/evictor.hpp"
#include "sim/eviction/registry.hpp"
#include "sim/model/memory.hpp"
#include "sim/model/model_file.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/scenario/model_choice.hpp"
#include "sim/scenario/options.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/scenario/scenario_limits.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

using namespace std::string_literals;

TableSpan table_span(TableKind table) {
  switch (table) {
    case TableKind::shared:
      return TableSpan::model;
    case TableKind::per_layer:
      return TableSpan::layer;
    case TableKind::per_layer_per_head:
      return TableSpan::head;
  }
  return TableSpan::model;
}

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

std::string tokens_text(std::uint64_t tokens) {
  return format_count(tokens) + (tokens == 1 ? " token" : " tokens");
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
  return text;
}

class Resolver {
 public:
  Resolver(const JsonNode& root, ScenarioValues values, Diagnostics& faults)
      : root_(root), faults_(faults) {
    scenario_.values = std::move(values);
  }

  Scenario resolve() {
    const auto general = general_table().read(section(""));
    scenario_.description = general.description;
    scenario_.seed = general.seed;
    scenario_.quality_queries = quality_table().read(section("quality")).queries;

    read_attention_options();
    resolve_workload();
    resolve_model_and_source();
    resolve_reclaim();
    resolve_cache();
    resolve_eviction_options();
    make_policy();
    if (scenario_.eviction_policy && scenario_.eviction_policy->keep_rule() != KeepRule::all) {
      note_scope();
      check_trigger();
    }
    return std::move(scenario_);
  }

 private:
  ParameterValues& section(std::string_view path) {
    return scenario_.values.find(path)->second.values;
  }
  void fault(const std::string& pointer, std::string sentence) {
    faults_.add(place_of(root_, pointer), pointer, std::move(sentence));
  }
  /// Reports what `work` throws at `pointer`.
  template <class Work>
  bool attempt(const std::string& pointer, Work&& work) {
    try {
      work();
      return true;
    } catch (const UserError& error) {
      std::string sentence = error.what();
      if (!sentence.ends_with('.') && !sentence.ends_with('?')) sentence += '.';
      fault(pointer, std::move(sentence));
      return false;
    }
  }

  /// Whether all shared data that a component's paths name are here; if not, the scenario cannot
  /// run. `path` is the component's section.
  bool data_present(const EntryInfo& info, const std::string& path) {
    for (const Parameter& parameter : info.parameters) {
      if (parameter.type != ParameterType::path) continue;
      const ParameterValue& value = section(path).at(parameter.name);
      const auto* file = std::get_if<std::string>(&value);
      if (file && !data_present(path + '.' + parameter.name, *file)) return false;
    }
    return true;
  }
  bool data_present(const std::string& key, const std::string& file) {
    if (!is_shared_path(file) || std::filesystem::exists(located_path(file))) return true;
    scenario_.obstacle =
        key + " names " + in_quotes(file) + ", which is not here. " + shared_data_remedy();
    return false;
  }

  void read_attention_options() {
    const auto options = attention_table().read(section("attention"));
    scenario_.source = options.source;
    if (options.trajectory == Trajectory::own)
      fault("/attention/trajectory",
            "own is not available in this version: attention comes from the uncompressed run. Use "
            "full.");
  }

  void resolve_workload() {
    scenario_.sequences = workload_table().read(section("workload")).sequences;
    scenario_.prompt_tokens = length("prompt_tokens");
    scenario_.output_tokens = length("output_tokens");
    if (longest_sequence() == 0 && faults_.clean("/workload"))
      fault("/workload",
            "the sequences have no tokens; set workload.prompt_tokens or "
            "workload.output_tokens.");
  }

  std::shared_ptr<const LengthDistribution> length(const std::string& key) {
    const ParameterValue value = section("workload").at(key);
    if (const auto* tokens = std::get_if<std::int64_t>(&value))
      return fixed_length(static_cast<std::uint32_t>(*tokens));
    const ParameterValues& form = section("workload." + key);
    const auto* entry = find_length_distribution(std::get<std::string>(form.at("distribution")));
    std::shared_ptr<const LengthDistribution> result = fixed_length(0);
    attempt("/workload/" + key, [&] { result = entry->make(form); });
    return result;
  }

  std::uint64_t longest_sequence() const {
    return std::uint64_t{scenario_.prompt_tokens->longest()} + scenario_.output_tokens->longest();
  }

  void resolve_model_and_source() {
    const ParameterValue named = section("").at("model");
    const bool inline_model = scenario_.values.contains("model");
    const bool is_explicit = inline_model || !std::holds_alternative<std::monostate>(named);
    const std::string name = inline_model  ? ""
                             : is_explicit ? std::get<std::string>(named)
                                           : std::string(default_model);
    if (is_explicit && !data_present("model", name)) {
      set_model(preset(default_model), name);
      return;
    }
    if (const auto model = named_model(root_, name, faults_))
      set_model(*model,
                inline_model ? to_json(*root_.find("model")) : nlohmann::ordered_json(name));
    if (scenario_.source != "none" && faults_.clean("/model")) make_source(is_explicit);
    if (faults_.clean("/model")) apply_kv_dtype();
  }

  void set_model(ModelGeometry model, nlohmann::ordered_json json) {
    scenario_.model = std::move(model);
    scenario_.model_json = std::move(json);
  }

  void make_source(bool model_is_explicit) {
    const std::string path = "attention." + scenario_.source;
    const std::string pointer = "/attention/" + scenario_.source;
    const auto* entry = find_attention_source(scenario_.source);
    if (!faults_.clean(pointer)) return;
    if (!data_present(entry->info, path)) {
      if (!model_is_explicit) scenario_.model_json = nullptr;  // only the source knows
      return;
    }
    const AttentionContext context{scenario_.seed, attention_shape(scenario_.model),
                                   scenario_.model.rope_theta.value_or(0), located_path};
    if (!attempt(pointer, [&] { scenario_.attention = entry->make(section(path), context); }))
      return;
    match_shape(context.model, model_is_explicit);
    if (faults_.clean("/workload") && longest_sequence() > scenario_.attention->max_length())
      fault("/workload", "sequences may grow to " + tokens_text(longest_sequence()) +
                             ", but the attention source " + scenario_.source + " ends at " +
                             tokens_text(scenario_.attention->max_length()) +
                             ". Shorten the prompt or the output.");
  }

  /// The source's own heads are the truth; a model that the user named must agree with them.
  void match_shape(const AttentionShape& model, bool model_is_explicit) {
    AttentionShape actual = scenario_.attention->shape();
    if (actual.head_dim == 0) actual.head_dim = model.head_dim;  // a source without vectors
    if (actual == model) return;
    if (model_is_explicit)
      fault("/model", "the model has " + shape_text(model) + ", but the attention source " +
                          scenario_.source + " has " + shape_text(actual) +
                          ". Remove the model, so that the source's own counts, or choose another "
                          "source.");
    else
      set_model(model_of_shape(actual, scenario_.source),
                model_json_of_shape(actual, scenario_.source));
  }

  void apply_kv_dtype() {
    const auto dtype = cache_table().read(section("cache")).kv_dtype;
    if (dtype)
      attempt("/cache/kv_dtype", [&] { scenario_.model = with_kv_dtype(scenario_.model, *dtype); });
    section("cache")["kv_dtype"] = std::string(enum_name(scenario_.model.kv_dtype));
  }

  void resolve_reclaim() {
    const auto options = reclaim_table().read(section("reclaim"));
    scenario_.reclaimer = options.kind;
    const auto* entry = find_reclaimer(options.kind);
    if (entry->whole_blocks) scenario_.eviction.whole_blocks = options.aggregate;
    const std::string pointer = "/reclaim/" + options.kind;
    if (faults_.clean(pointer))
      attempt(pointer,
              [&] { scenario_.reclaim = entry->make(section("reclaim." + options.kind)); });
  }

  void resolve_cache() {
    const auto options = cache_table().read(section("cache"));
    CacheConfig& cache = scenario_.cache;
    cache.block_size = options.block_size;
    cache.layout = CacheLayout(std::max(scenario_.model.kv_layers(), 1u),
                               std::max(scenario_.model.kv_heads, 1u), options.table, Scope::model);
    if (!faults_.clean("/model") || !faults_.clean("/cache")) return;
    const TableSpan span = table_span(options.table);
    if (!attempt("/cache/block_size", [&] {
          cache.block_bytes = bytes_per_block(scenario_.model, cache.block_size, span);
        }))
      return;

    const ParameterValue blocks = section("cache").at("blocks");
    const ParameterValue memory = section("cache").at("memory");
    const auto* count = std::get_if<std::int64_t>(&blocks);
    const auto* size = std::get_if<std::string>(&memory);
    if (count && size) {
      fault("/cache/memory",
            "contradicts cache.blocks: both say how large the pool is. Remove one "
            "of them, or set cache.blocks to \"unlimited\".");
      return;
    }
    std::uint64_t limit = 0;
    if (count) limit = static_cast<std::uint64_t>(*count);
    if (size) limit = parse_bytes(*size).value() / cache.block_bytes.value();
    if (count || size) limit_pool(limit, count ? "/cache/blocks" : "/cache/memory");
  }

  void limit_pool(std::uint64_t blocks, const std::string& pointer) {
    CacheConfig& cache = scenario_.cache;
    if (blocks > max_pool_blocks || blocks * cache.block_size > max_pool_slots) {
      fault(pointer, "a pool of " + format_count(blocks) + " blocks of " +
                         format_count(cache.block_size) + " slots exceeds the limit of " +
                         format_count(max_pool_blocks) + " blocks and " +
                         format_count(max_pool_slots) +
                         " slots. Take a smaller pool or \"unlimited\" cache.blocks.");
      return;
    }
    if (blocks < cache.layout.tables()) {
      fault(pointer,
            "a pool of " + format_count(blocks) + " blocks of " + format_bytes(cache.block_bytes) +
                " cannot hold one token: a sequence has " + format_count(cache.layout.tables()) +
                " block tables, and each takes at least one block. Enlarge it.");
      return;
    }
    cache.blocks = static_cast<std::uint32_t>(blocks);
  }

  void resolve_eviction_options() {
    const auto options = eviction_table().read(section("eviction"));
    const auto* entry = find_policy(options.policy);
    scenario_.policy = options.policy;

    EvictorOptions& eviction = scenario_.eviction;
    eviction.budget = options.budget.value_or(0);
    eviction.interval = options.interval;
    eviction.trigger = options.trigger.value_or(entry->trigger);
    eviction.prompt = options.prompt.value_or(entry->prompt);
    eviction.protect = protection_table().read(section("eviction.protect"));
    const auto usage = usage_table().read(section("eviction.usage"));
    eviction.usage_arm = usage.arm;
    eviction.usage_release = usage.release;
    const ParameterValue at = section("eviction.once").at("at");
    if (const auto* length = std::get_if<std::int64_t>(&at)) {
      eviction.once = OnceAt::length;
      eviction.once_length = static_cast<std::uint32_t>(*length);
    } else {
      eviction.once =
          at == ParameterValue(std::string("end")) ? OnceAt::sequence_end : OnceAt::prompt_end;
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

  void make_policy() {
    const std::string path = "eviction." + scenario_.policy;
    const std::string pointer = "/eviction/" + scenario_.policy;
    for (const std::string& needed : {pointer, "/model"s, "/eviction/policy"s, "/eviction/budget"s})
      if (!faults_.clean(needed)) return;
    const auto* entry = find_policy(scenario_.policy);
    if (!data_present(entry->info, path)) return;
    const AttentionShape shape = attention_shape(scenario_.model);
    const PolicyContext context{scenario_.seed,
                                scenario_.eviction.budget,
                                scenario_.eviction.interval,
                                shape.layers,
                                shape.query_heads,
                                shape.kv_heads,
                                shape.head_dim,
                                scenario_.model.rope_theta.value_or(0),
                                located_path};
    if (!attempt(pointer, [&] { scenario_.eviction_policy = entry->make(section(path), context); }))
      return;
    check_needs(scenario_.eviction_policy->needs());
    check_budget();
  }

  void check_needs(const PolicyNeeds& needs) {
    if (!needs.any() || !faults_.clean("/attention/source")) return;
    AttentionFeatures wanted = needs.features;
    wanted.weights |= needs.accumulated;
    const auto* source = find_attention_source(scenario_.source);
    const AttentionFeatures given = source ? source->features : AttentionFeatures{};
    if (given.cover(wanted)) return;
    std::string able;
    for (const auto& entry : attention_sources())
      if (entry.features.cover(wanted)) able += (able.empty() ? "" : ", ") + entry.info.name;
    fault(source ? "/attention/source" : "/eviction/policy",
          "the policy " + scenario_.policy + " needs attention " + missing_features(given, wanted) +
              ", which the attention source " + scenario_.source +
              " does not give. Set attention.source to one of " + able + ".");
  }

  void check_budget() {
    const EvictorOptions& eviction = scenario_.eviction;
    if (scenario_.eviction_policy->keep_rule() != KeepRule::budget) return;
    if (eviction.budget == 0) {
      fault("/eviction/budget", "is missing: the policy " + scenario_.policy +
                                    " needs the tokens that stay after a round, such as 2048.");
      return;
    }
    if (!faults_.clean("/eviction/protect")) return;
    const bool fits = attempt("/eviction/budget",
                              [&] { check_protection(eviction, *scenario_.eviction_policy); });
    if (fits && faults_.clean("/workload")) note_budget();
  }

  void note_budget() {
    const EvictorOptions& eviction = scenario_.eviction;
    const ParameterValue prompt = section("workload").at("prompt_tokens");
    const auto* prompt_tokens = std::get_if<std::int64_t>(&prompt);
    if (eviction.prompt != PromptRule::pinned_outside && longest_sequence() <= eviction.budget)
      scenario_.notes.push_back("Nothing will be evicted: no sequence exceeds the budget of " +
                                tokens_text(eviction.budget) + ".");
    else if (eviction.prompt == PromptRule::pinned_inside && prompt_tokens &&
             *prompt_tokens >= eviction.budget)
      scenario_.notes.push_back("Nothing will be evicted: the pinned prompt of " +
                                tokens_text(static_cast<std::uint64_t>(*prompt_tokens)) +
                                " fills the budget of " + tokens_text(eviction.budget) +
                                ", so every round is skipped.");
  }

  void note_scope() {
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

  void check_trigger() {
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
      case TriggerKind::slack:
        break;
    }
  }

  void check_once() {
    const EvictorOptions& eviction = scenario_.eviction;
    if (eviction.once == OnceAt::length && eviction.once_length > longest_sequence())
      fault("/eviction/once/at", "no sequence reaches " + tokens_text(eviction.once_length) +
                                     "; the longest has " + tokens_text(longest_sequence()) + ".");
    if (eviction.once == OnceAt::prompt_end && scenario_.prompt_tokens->longest() == 0)
      fault("/eviction/once/at",
            "prompt_end needs a prompt; set workload.prompt_tokens, or choose end or a length.");
  }

  const JsonNode& root_;
  Diagnostics& faults_;
  Scenario scenario_;
  Scope wanted_scope_ = Scope::model;
};

}  // namespace

Scenario resolve_scenario(const JsonNode& root, ScenarioValues values, Diagnostics& faults) {
  return Resolver(root, std::move(values), faults).resolve();
}

}  // namespace vacancy
