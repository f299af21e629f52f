// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/listing.hpp"

#include <string>

#include "sim/attention/registry.hpp"
#include "sim/device/device_file.hpp"
#include "sim/eviction/registry.hpp"
#include "sim/eviction/trigger.hpp"
#include "sim/model/kv_dtype.hpp"
#include "sim/model/memory.hpp"
#include "sim/model/model_file.hpp"
#include "sim/pool/cache_layout.hpp"
#include "sim/prefix/replacement/registry.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/scenario/schema.hpp"
#include "sim/scenario/value_reader.hpp"
#include "sim/serving/profile_file.hpp"
#include "sim/units/format.hpp"
#include "sim/workload/lengths.hpp"
#include "sim/workload/synthetic/synthetic.hpp"
#include "sim/workload/trace/formats.hpp"

namespace vacancy {

namespace {

template <class Entries>
std::vector<EntryInfo> infos(const Entries& entries) {
  std::vector<EntryInfo> all;
  for (const auto& entry : entries)
    all.push_back(entry.info);
  return all;
}

EntryInfo plain_entry(std::string_view name, std::string summary, std::string citation = "") {
  return {std::string(name), std::move(summary), std::move(citation), {}, {}};
}

std::string model_summary(const ModelGeometry& model) {
  std::string text = format_count(model.layers.size()) + " layers";
  const auto part = [&](LayerKind kind, const char* name) {
    const std::uint32_t count = model.layer_count(kind);
    if (count > 0 && count < model.layers.size()) text += ", " + format_count(count) + " " + name;
  };
  part(LayerKind::full, "full");
  part(LayerKind::sliding, "sliding");
  part(LayerKind::state, "state");
  text += "; " + std::string(enum_name(model.attention())) + ", " +
          format_count(model.query_heads) + " query and " + format_count(model.kv_heads) +
          (model.kv_heads == 1 ? " KV head" : " KV heads");
  return text + "; " + format_bytes(bytes_per_token(model)) + " a token in " +
         std::string(enum_name(model.kv_dtype)) + ".";
}

std::vector<EntryInfo> models() {
  std::vector<EntryInfo> all;
  for (const std::string& name : preset_names()) {
    const ModelGeometry model = preset(name);
    all.push_back(plain_entry(name, model_summary(model), model.source));
  }
  return all;
}

std::vector<EntryInfo> devices() {
  std::vector<EntryInfo> all;
  for (const std::string& name : device_preset_names()) {
    const Device device = device_preset(name);
    std::string text = device.name + ": ";
    if (device.memory) text += format_bytes(*device.memory) + ", ";
    // As data sheets have it: in powers of ten.
    text += format_decimal(static_cast<double>(device.memory_bandwidth.value()) / 1e9, 0) + " GB/s";
    if (device.step_time) text += "; step times fitted to " + device.step_time->model;
    all.push_back(plain_entry(name, text + "."));
  }
  return all;
}

std::vector<EntryInfo> engines() {
  std::vector<EntryInfo> all;
  for (const EngineProfile& profile : engine_profiles())
    all.push_back(plain_entry(profile.name, profile.summary, profile.citation));
  return all;
}

template <class Enum>
std::vector<EntryInfo> enum_entries(const char* (*summary)(Enum)) {
  std::vector<EntryInfo> all;
  for (const auto& entry : EnumNames<Enum>::table)
    all.push_back(plain_entry(entry.name, summary(entry.value)));
  return all;
}

const char* summary_of(Scope scope) {
  switch (scope) {
    case Scope::model:
      return "One keep set for all layers and heads.";
    case Scope::per_layer:
      return "One keep set for each layer.";
    case Scope::per_head:
      return "One keep set for each KV head, the same in all layers.";
    case Scope::per_layer_per_head:
      return "One keep set for each KV head of each layer.";
  }
  return "";
}

const char* summary_of(TableKind table) {
  switch (table) {
    case TableKind::shared:
      return "One block table a sequence: a block holds its tokens for all layers and heads.";
    case TableKind::per_layer:
      return "One block table for each layer, shared by its heads.";
    case TableKind::per_layer_per_head:
      return "One block table for each KV head of each layer.";
  }
  return "";
}

const char* summary_of(TriggerKind trigger) {
  switch (trigger) {
    case TriggerKind::interval:
      return "When the generated tokens cross a multiple of eviction.interval.";
    case TriggerKind::aligned:
      return "When the position is a multiple of eviction.interval and the sequence has at least "
             "eviction.budget tokens.";
    case TriggerKind::slack:
      return "When a sequence reaches eviction.budget + eviction.interval tokens.";
    case TriggerKind::usage:
      return "When the pool is nearly full, with hysteresis.";
    case TriggerKind::allocation_failure:
      return "When an append found no block.";
    case TriggerKind::once:
      return "Once, at one length.";
  }
  return "";
}

const char* summary_of(PromptRule rule) {
  switch (rule) {
    case PromptRule::evictable:
      return "Prompt tokens may be evicted like others.";
    case PromptRule::pinned_inside:
      return "Prompt tokens stay and count in the budget.";
    case PromptRule::pinned_outside:
      return "Prompt tokens stay beside the budget.";
  }
  return "";
}

const Listing all_listings[] = {
    {"policies", "which tokens stay: eviction.policy", [] { return infos(policies()); }},
    {"reclaimers", "how blocks come back: reclaim.kind", [] { return infos(reclaimers()); }},
    {"sources", "where attention comes from: attention.source",
     [] { return infos(attention_sources()); }},
    {"models", "built-in models: model", models, preset_text},
    {"devices", "built-in devices: device", devices, device_preset_text},
    {"engines", "versions of serving engines: engine.profile", engines, engine_profile_text},
    {"workloads", "made requests for engines: workload.source",
     [] { return infos(synthetic_workloads()); }},
    {"replacements", "which cached contents go first: prefix.replacement",
     [] { return infos(replacement_policies()); }},
    {"traces", "formats of traces: workload.trace.format", [] { return infos(trace_formats()); }},
    {"synthetic", "workloads that can be made: vacancy trace make",
     [] { return infos(synthetic_workloads()); }},
    {"scopes", "what shares a keep set: eviction.scope",
     [] { return enum_entries<Scope>(summary_of); }},
    {"tables", "what shares a block table: cache.table",
     [] { return enum_entries<TableKind>(summary_of); }},
    {"triggers", "when a round is due: eviction.trigger",
     [] { return enum_entries<TriggerKind>(summary_of); }},
    {"prompts", "what happens to the prompt: eviction.prompt",
     [] { return enum_entries<PromptRule>(summary_of); }},
    {"lengths", "distributions of prompt and output lengths: workload.prompt_tokens",
     [] { return infos(length_distributions()); }},
};

const char* type_name(ParameterType type) {
  switch (type) {
    case ParameterType::boolean:
      return "boolean";
    case ParameterType::integer:
      return "integer";
    case ParameterType::number:
      return "number";
    case ParameterType::text:
      return "text";
    case ParameterType::choice:
      return "choice";
    case ParameterType::path:
      return "path";
  }
  return "";
}

nlohmann::ordered_json range_json(const Parameter& parameter) {
  if (parameter.type == ParameterType::choice) return parameter.choices;
  if (!parameter.minimum && !parameter.maximum) return nullptr;
  const auto bound = [](const std::optional<double>& value) -> nlohmann::ordered_json {
    if (!value) return nullptr;
    return nlohmann::ordered_json::parse(bound_text(*value));
  };
  return {bound(parameter.minimum), bound(parameter.maximum)};
}

}  // namespace

std::span<const Listing> listings() {
  return all_listings;
}

nlohmann::ordered_json to_json(const EntryInfo& entry) {
  nlohmann::ordered_json object{{"name", entry.name}, {"summary", entry.summary}};
  if (!entry.citation.empty()) object["citation"] = entry.citation;
  for (const auto& [key, value] : entry.settings)
    object["settings"][key] = value;
  object["parameters"] = nlohmann::ordered_json::array();
  for (const Parameter& p : entry.parameters)
    object["parameters"].push_back({{"name", p.name},
                                    {"type", type_name(p.type)},
                                    {"unit", p.unit},
                                    {"default", plain_json(p.default_value)},
                                    {"range", range_json(p)},
                                    {"help", p.help}});
  return object;
}

std::string value_text(const Parameter& parameter) {
  std::string text = expectation({parameter, ValueForm::plain});
  if (!parameter.unit.empty()) text += ", in " + parameter.unit;
  const auto value = plain_json(parameter.default_value);
  const std::string shown = value.is_string() ? value.get<std::string>()
                            : value.is_null() ? ""
                                              : value.dump();
  if (!shown.empty()) text += "; default " + shown;
  return text;
}

}  // namespace vacancy
