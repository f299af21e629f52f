// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/registry.hpp"
#include "sim/model/model_file.hpp"
#include "sim/scenario/model_choice.hpp"
#include "sim/scenario/named_object.hpp"
#include "sim/scenario/options.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/scenario_limits.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

void Resolver::resolve_model_and_source() {
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
    set_model(*model, inline_model ? to_json(*root_.find("model")) : nlohmann::ordered_json(name));
  if (scenario_.source != "none" && faults_.clean("/model")) make_source(is_explicit);
  if (faults_.clean("/model")) apply_kv_dtype();
}

void Resolver::resolve_device() {
  const ParameterValue named = section("").at("device");
  const bool inline_device = scenario_.values.contains("device");
  if (!inline_device && std::holds_alternative<std::monostate>(named)) return;
  const std::string name = inline_device ? "" : std::get<std::string>(named);
  if (!inline_device && !data_present("device", name)) {
    scenario_.device_json = name;
    return;
  }
  scenario_.device = named_device(root_, name, faults_);
  scenario_.device_json =
      inline_device ? to_json(*root_.find("device")) : nlohmann::ordered_json(name);
  if (!scenario_.serving)
    scenario_.notes.push_back("The device is not used: sequences in lockstep take 1 ms a step.");
}

void Resolver::set_model(ModelGeometry model, nlohmann::ordered_json json) {
  scenario_.model = std::move(model);
  scenario_.model_json = std::move(json);
}

void Resolver::make_source(bool model_is_explicit) {
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
  if (!attempt(pointer, [&] { scenario_.attention = entry->make(section(path), context); })) return;
  match_shape(context.model, model_is_explicit);
  if (faults_.clean("/workload") && longest_sequence() > scenario_.attention->max_length())
    fault("/workload", "sequences may grow to " + counted(longest_sequence(), "token") +
                           ", but the attention source " + scenario_.source + " ends at " +
                           counted(scenario_.attention->max_length(), "token") +
                           ". Shorten the prompt or the output.");
}

void Resolver::match_shape(const AttentionShape& model, bool model_is_explicit) {
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

void Resolver::apply_kv_dtype() {
  const auto dtype = cache_table().read(section("cache")).kv_dtype;
  if (dtype)
    attempt("/cache/kv_dtype", [&] { scenario_.model = with_kv_dtype(scenario_.model, *dtype); });
  section("cache")["kv_dtype"] = std::string(enum_name(scenario_.model.kv_dtype));
}

}  // namespace vacancy
