// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/schema.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/attention/registry.hpp"
#include "sim/eviction/registry.hpp"
#include "sim/prefix/replacement/registry.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/scenario/options.hpp"
#include "sim/scenario/reuse_tree_options.hpp"
#include "sim/scenario/scenario_limits.hpp"
#include "sim/scenario/serving_options.hpp"
#include "sim/serving/profile_file.hpp"
#include "sim/workload/lengths.hpp"
#include "sim/workload/synthetic/synthetic.hpp"
#include "sim/workload/trace/formats.hpp"

namespace vacancy {

namespace {

template <class Options>
SchemaSection section(std::string name, std::string summary, const OptionTable<Options>& table) {
  SchemaSection result{std::move(name), std::move(summary), {}, {}, {}};
  for (Parameter& parameter : table.parameters())
    result.keys.push_back({std::move(parameter), ValueForm::plain});
  return result;
}

/// Turns the text key `name` into a choice among registered names, each with a section of its own
/// for its parameters.
template <class Entries>
void choose_among(SchemaSection& section, std::string_view name, const Entries& entries) {
  const auto key = std::find_if(section.keys.begin(), section.keys.end(),
                                [&](const SchemaKey& k) { return k.parameter.name == name; });
  key->parameter.type = ParameterType::choice;
  for (const auto& entry : entries) {
    key->parameter.choices.push_back(entry.info.name);
    SchemaSection block{entry.info.name, entry.info.summary, {}, {}, std::string(name)};
    if (!entry.info.settings.empty()) block.summary += ' ' + settings_sentence(entry.info);
    for (const Parameter& parameter : entry.info.parameters)
      block.keys.push_back({parameter, ValueForm::plain});
    section.sections.push_back(std::move(block));
  }
}

SchemaKey word_or_integer(std::string name, std::string unit, double minimum, double maximum,
                          std::vector<std::string> words, std::string default_word,
                          std::string help) {
  return {{std::move(name), ParameterType::integer, std::move(unit), std::move(default_word), false,
           minimum, maximum, std::move(words), std::move(help)},
          ValueForm::integer_or_word};
}

SchemaKey length_key(std::string name, std::string help) {
  return {{std::move(name),
           ParameterType::integer,
           "tokens",
           std::int64_t{0},
           false,
           0,
           max_length_tokens,
           {},
           std::move(help)},
          ValueForm::length};
}

SchemaSection cache_section() {
  SchemaSection cache = section("cache", "The paged KV cache.", cache_table());
  cache.keys.insert(
      cache.keys.begin() + 1,
      {word_or_integer("blocks", "blocks", 1, max_pool_blocks, {"unlimited"}, "unlimited",
                       "Usable blocks of the pool, without a null block."),
       {{"memory",
         ParameterType::text,
         "bytes",
         std::monostate{},
         true,
         {},
         {},
         {},
         "Size of the pool instead of blocks, such as \"6GiB\"."},
        ValueForm::size}});
  return cache;
}

SchemaSection eviction_section() {
  SchemaSection eviction =
      section("eviction", "Which tokens are dropped, and when.", eviction_table());
  eviction.sections.push_back(
      section("protect", "Tokens that always stay; joined with the policy's own by the larger.",
              protection_table()));

  SchemaSection once{"once", "When the trigger once fires.", {}, {}, "trigger"};
  once.keys.push_back(word_or_integer("at", "tokens", 1, 2.0 * max_length_tokens,
                                      {"method", "prompt_end", "end"}, "method",
                                      "Length at which the one round of a sequence happens, the "
                                      "end of its prompt, its own end, or the method's own moment: "
                                      "prompt_end for methods that compress the prefill, if "
                                      "there is one, else end."));
  eviction.sections.push_back(std::move(once));
  eviction.sections.push_back(section("usage", "Hysteresis of the trigger usage.", usage_table()));
  eviction.sections.back().chosen_by = "trigger";
  choose_among(eviction, "policy", policies());
  return eviction;
}

SchemaSection attention_section() {
  SchemaSection attention = section("attention", "Where attention comes from.", attention_table());
  choose_among(attention, "source", attention_sources());
  auto& sources = attention.keys.front().parameter.choices;
  sources.insert(sources.begin(), "none");
  return attention;
}

SchemaSection reclaim_section() {
  SchemaSection reclaim =
      section("reclaim", "How blocks come back after a round.", reclaim_table());
  choose_among(reclaim, "kind", reclaimers());
  return reclaim;
}

/// Turns the text key `name` into a choice among `words` and the names of the entries.
template <class Names>
void name_choices(SchemaSection& section, std::string_view name, std::vector<std::string> words,
                  const Names& names) {
  const auto key = std::find_if(section.keys.begin(), section.keys.end(),
                                [&](const SchemaKey& k) { return k.parameter.name == name; });
  key->parameter.type = ParameterType::choice;
  key->parameter.choices = std::move(words);
  key->parameter.choices.insert(key->parameter.choices.end(), names.begin(), names.end());
}

SchemaSection engine_section() {
  SchemaSection engine = section(
      "engine", "A named version of a serving engine, and changes to its rules.", engine_table());
  for (Parameter& parameter : reuse_tree_table().parameters())
    engine.keys.push_back({std::move(parameter), ValueForm::plain});
  engine.keys.push_back({host_memory_key(), ValueForm::size});
  std::vector<std::string> names = engine_profile_names();
  names.insert(names.begin(), "none");
  engine.keys.insert(
      engine.keys.begin(),
      {{"profile",
        ParameterType::text,
        "",
        "none",
        false,
        {},
        {},
        std::move(names),
        "The version of an engine whose rules hold: a built-in one (vacancy list engines), a file, "
        "or an object; none: the sequences of the workload are decoded side by side."},
       ValueForm::engine});
  return engine;
}

SchemaSection prefix_section() {
  SchemaSection prefix =
      section("prefix", "How contents of earlier requests are found and kept.", prefix_table());
  choose_among(prefix, "replacement", replacement_policies());
  return prefix;
}

SchemaSection trace_section() {
  SchemaSection trace = section("trace", "Recorded requests, for an engine.", trace_table());
  std::vector<std::string> names;
  for (const TraceFormatEntry& format : trace_formats())
    names.push_back(format.info.name);
  name_choices(trace, "format", {"detect"}, names);
  return trace;
}

SchemaSection workload_section() {
  SchemaSection workload =
      section("workload",
              "Sequences that are decoded side by side, or the requests of a trace for an engine.",
              workload_table());
  for (Parameter& parameter : request_table().parameters())
    workload.keys.push_back({std::move(parameter), ValueForm::plain});
  choose_among(workload, "source", synthetic_workloads());
  auto& sources = std::find_if(workload.keys.begin(), workload.keys.end(), [](const SchemaKey& k) {
                    return k.parameter.name == "source";
                  })->parameter.choices;
  sources.insert(sources.begin(), "trace");
  workload.sections.push_back(trace_section());
  workload.sections.push_back(section(
      "beam",
      "Beam search, for a profile of vLLM with one step in flight. Candidates share blocks, "
      "and the first to write to a shared one copies it; they are scheduled, preempted and "
      "admitted again together, as in vLLM v0 (v1 runs each candidate of each step as a "
      "request of its own, which finds the full blocks of its prefix in the cache).",
      beam_table()));
  workload.keys.push_back(length_key("prompt_tokens", "Length of the prompts."));
  workload.keys.push_back(length_key("output_tokens", "Tokens generated after the prompts."));
  return workload;
}

SchemaSection build_schema() {
  SchemaSection top = section("", "A run of Vacancy.", general_table());
  top.keys.push_back(
      {{"model",
        ParameterType::text,
        "",
        std::monostate{},
        true,
        {},
        {},
        {},
        "A built-in model (vacancy list models), a file, or an object; by default the attention "
        "source's own, else " +
            std::string(default_model) + "."},
       ValueForm::model});
  top.keys.push_back({{"device",
                       ParameterType::text,
                       "",
                       std::monostate{},
                       true,
                       {},
                       {},
                       {},
                       "A built-in device (vacancy list devices), a file, or an object: how long "
                       "the steps of an engine take; null: 1 ms each."},
                      ValueForm::device});
  top.sections = {cache_section(),
                  attention_section(),
                  eviction_section(),
                  reclaim_section(),
                  engine_section(),
                  prefix_section(),
                  section("serving", "How requests are scheduled.", serving_table()),
                  workload_section(),
                  section("quality", "What is measured about the kept tokens.", quality_table())};
  return top;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string range_text(const Parameter& parameter) {
  // A 64-bit member's own limit says nothing to a reader.
  constexpr double beyond_double = 9e15;
  const bool from = parameter.minimum && *parameter.minimum > -beyond_double;
  const bool to = parameter.maximum && *parameter.maximum < beyond_double;
  if (from && to)
    return " from " + bound_text(*parameter.minimum) + " to " + bound_text(*parameter.maximum);
  if (from) return " of at least " + bound_text(*parameter.minimum);
  if (to) return " of at most " + bound_text(*parameter.maximum);
  return "";
}

}  // namespace

const SchemaKey* SchemaSection::key(std::string_view wanted) const {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const SchemaKey& k) { return k.parameter.name == wanted; });
  return found == keys.end() ? nullptr : &*found;
}

const SchemaSection* SchemaSection::section(std::string_view wanted) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const SchemaSection& s) { return s.name == wanted; });
  return found == sections.end() ? nullptr : &*found;
}

std::vector<std::string_view> SchemaSection::names() const {
  std::vector<std::string_view> all;
  for (const SchemaKey& key : keys)
    all.push_back(key.parameter.name);
  for (const SchemaSection& section : sections)
    all.push_back(section.name);
  return all;
}

const SchemaSection& scenario_schema() {
  static const SchemaSection schema = build_schema();
  return schema;
}

const std::vector<SchemaSection>& length_forms() {
  static const std::vector<SchemaSection> forms = [] {
    std::vector<std::string> names;
    for (const auto& entry : length_distributions())
      names.push_back(entry.info.name);
    std::vector<SchemaSection> all;
    for (const auto& entry : length_distributions()) {
      SchemaSection form{entry.info.name, entry.info.summary, {}, {}, "distribution"};
      form.keys.push_back({{"distribution",
                            ParameterType::choice,
                            "",
                            entry.info.name,
                            false,
                            {},
                            {},
                            names,
                            "The rule that draws the lengths."},
                           ValueForm::plain});
      for (const Parameter& parameter : entry.info.parameters)
        form.keys.push_back({parameter, ValueForm::plain});
      all.push_back(std::move(form));
    }
    return all;
  }();
  return forms;
}

std::string expectation(const SchemaKey& key) {
  const Parameter& p = key.parameter;
  std::string text;
  switch (key.form) {
    case ValueForm::integer_or_word:
      text = "an integer" + range_text(p) + ", or " + joined(p.choices);
      break;
    case ValueForm::size:
      text = "bytes: an integer, or a text with a unit such as \"6GiB\"";
      break;
    case ValueForm::length:
      text = "an integer" + range_text(p) + ", or an object {\"distribution\": …}";
      break;
    case ValueForm::model:
      text = "the name of a built-in model, a file, or an object";
      break;
    case ValueForm::device:
      text = "the name of a built-in device, a file, or an object";
      break;
    case ValueForm::engine:
      text = "one of " + joined(p.choices) + ", a file, or an object";
      break;
    case ValueForm::plain:
      switch (p.type) {
        case ParameterType::boolean:
          text = "true or false";
          break;
        case ParameterType::integer:
          text = "an integer" + range_text(p);
          break;
        case ParameterType::number:
          text = "a number" + range_text(p);
          break;
        case ParameterType::text:
          text = "a text";
          break;
        case ParameterType::choice:
          text = "one of " + joined(p.choices);
          break;
        case ParameterType::path:
          text = "a path";
          break;
      }
  }
  return text + (p.optional ? ", or null" : "");
}

std::string bound_text(double bound) {
  if (std::abs(bound) < 0x1p53 && bound == std::floor(bound))
    return std::to_string(static_cast<std::int64_t>(bound));
  return nlohmann::json(bound).dump();  // shortest text that reads back, whatever the locale
}

}  // namespace vacancy
