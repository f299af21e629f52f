// SPDX-License-Identifier: Apache-2.0
#include "sim/model/model_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "sim/json/object_reader.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {
namespace {

// Far above any model, and low enough that bytes per token cannot overflow 64 bits.
constexpr std::uint64_t max_layers = 4096, max_heads = 4096, max_dim = 65'536;
constexpr std::uint64_t max_parameters = 1'000'000'000'000'000;
constexpr std::uint64_t max_tokens = std::numeric_limits<std::uint32_t>::max();

constexpr std::array<FileKey, 20> keys{{
    {"name", "text", "Name shown to people."},
    {"source", "text", "Where the numbers come from."},
    {"unverified", "list of keys", "Keys whose values were not checked against the source."},
    {"layers", "integer", "Layers of the model, state layers included."},
    {"layer_pattern", "list of full|sliding|state",
     "What the layers keep, first to last, repeated until all have a kind; default: all full."},
    {"window", "tokens", "Tokens that a sliding layer keeps."},
    {"state_bytes", "bytes", "What a state layer keeps of a sequence, whatever its length."},
    {"query_heads", "integer", "Query heads per layer."},
    {"kv_heads", "integer", "KV heads per layer, a divisor of query_heads; not for MLA."},
    {"head_dim", "integer", "Numbers in a head's vector."},
    {"mla", "object",
     "Latent attention: {latent, rotary}, the numbers cached per token and layer."},
    {"kv_dtype", "choice", "Format of cached values; default: bf16."},
    {"rope_theta", "number", "Base of the rotary embedding; absent: none."},
    {"rope_scaling", "text", "How the rotary embedding is stretched, as a note."},
    {"max_context", "tokens", "Positions that the model was made for."},
    {"vocabulary", "integer", "Entries of the embedding table."},
    {"hidden", "integer", "Width of the residual stream."},
    {"layer_parameters", "integer",
     "Parameters of the layers' matrices, of all experts; a device's roofline needs them."},
    {"active_parameters", "integer", "Of them, those that one token passes; default: all."},
    {"weight_bytes", "bytes",
     "Weights that a step reads at most: layers and output matrix; default: 2 bytes a parameter."},
}};

std::optional<std::uint32_t> required_count(ObjectReader& in, std::string_view key,
                                            std::uint64_t high) {
  const auto value = in.required_integer(key, 1, high);
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

std::vector<LayerKind> read_layers(ObjectReader& in) {
  const auto count = required_count(in, "layers", max_layers);
  std::vector<LayerKind> pattern;
  for (const std::string& name : in.texts("layer_pattern")) {
    const auto kind = in.choice<LayerKind>("layer_pattern", name);
    if (!kind) break;  // one fault says enough about a list
    pattern.push_back(*kind);
  }
  if (in.has("layer_pattern") && in["layer_pattern"].empty())
    in.fault("layer_pattern", "is empty; leave it out if every layer has full attention.");
  if (count && pattern.size() > *count)
    in.fault("layer_pattern", "has " + format_count(pattern.size()) + " entries for " +
                                  format_count(*count) + " layers.");
  if (pattern.empty()) pattern.push_back(LayerKind::full);
  std::vector<LayerKind> layers;
  for (std::size_t i = 0; i < count.value_or(pattern.size()); ++i)
    layers.push_back(pattern[i % pattern.size()]);
  return layers;
}

/// A key that only layers of one kind read is there exactly if there are such layers.
void check_kind_key(ObjectReader& in, const ModelGeometry& model, LayerKind kind,
                    std::string_view key) {
  const std::string name(enum_name(kind));
  if (model.layer_count(kind) > 0 && !in.has(key))
    in.fault(key, "is missing; layer_pattern has " + name + " layers.");
  if (model.layer_count(kind) == 0 && in.has(key))
    in.fault(key,
             "is given, but layer_pattern has no " + name + " layer; remove one or add the other.");
}

void read_heads(ObjectReader& in, ModelGeometry& model) {
  const auto query_heads = required_count(in, "query_heads", max_heads);
  model.query_heads = query_heads.value_or(1);
  model.head_dim = required_count(in, "head_dim", max_dim).value_or(1);
  if (!in.has("mla")) {
    const auto kv_heads = required_count(in, "kv_heads", max_heads);
    model.kv_heads = kv_heads.value_or(1);
    if (query_heads && kv_heads && *query_heads % *kv_heads != 0)
      in.fault("kv_heads", format_count(*kv_heads) + " does not divide query_heads, " +
                               format_count(*query_heads) + ".");
    return;
  }
  model.kv_heads = 1;
  if (in.has("kv_heads"))
    in.fault("kv_heads", "contradicts mla, which caches one vector for all heads; remove one.");
  ObjectReader dims = *in.object("mla", "an object {\"latent\": 512, \"rotary\": 64}");
  if (in["mla"].is_object()) {
    constexpr std::array<std::string_view, 2> dim_keys{"latent", "rotary"};
    dims.refuse_unknown(dim_keys);
    const auto latent = required_count(dims, "latent", max_dim);
    const auto rotary = required_count(dims, "rotary", max_dim);
    model.mla = LatentDims{latent.value_or(1), rotary.value_or(1)};
  }
  in.add(dims);
}

void read_weights(ObjectReader& in, ModelGeometry& model) {
  if (const auto hidden = in.integer("hidden", 1, max_dim))
    model.hidden = static_cast<std::uint32_t>(*hidden);
  model.layer_parameters = in.integer("layer_parameters", 1, max_parameters);
  model.active_parameters = in.integer("active_parameters", 1, max_parameters);
  model.weight_bytes = in.bytes("weight_bytes");
  if (model.active_parameters && !in.has("layer_parameters"))
    in.fault("active_parameters", "is given without layer_parameters, of which it is a part.");
  if (model.layer_parameters && model.active_parameters.value_or(0) > *model.layer_parameters)
    in.fault("active_parameters", format_count(*model.active_parameters) +
                                      " is more than layer_parameters, " +
                                      format_count(*model.layer_parameters) + ".");
}

}  // namespace

std::span<const FileKey> model_keys() {
  return keys;
}

ModelGeometry model_from_json(const nlohmann::json& object, const std::string& place) {
  ObjectReader in(object, place, "an object that describes a model, such as the built-in ones");
  in.finish();
  std::array<std::string_view, keys.size()> names;
  std::ranges::transform(keys, names.begin(), &FileKey::name);
  if (in.has("num_hidden_layers") && !in.has("layers"))
    throw UserError(
        place +
        "this looks like a config.json of Hugging Face. docs/formats/model.md says which "
        "of its keys are which here.");
  in.refuse_unknown(names);

  ModelGeometry model;
  model.name = in.label("name", "the model");
  model.source = in.text("source");
  model.unverified = in.texts("unverified");
  for (const std::string& key : model.unverified)
    if (!in.has(key)) in.fault("unverified", "\"" + key.substr(0, 60) + "\" is not in this model.");

  model.layers = read_layers(in);
  read_heads(in, model);
  check_kind_key(in, model, LayerKind::sliding, "window");
  check_kind_key(in, model, LayerKind::state, "state_bytes");
  if (model.kv_layers() == 0)
    in.fault("layer_pattern", "has no layer with attention, so the model has no KV cache.");
  model.window = static_cast<std::uint32_t>(in.integer("window", 1, max_tokens).value_or(0));
  model.state_bytes = in.bytes("state_bytes").value_or(Bytes{});

  model.rope_theta = in.number("rope_theta", 1.0, 1e12);
  model.rope_scaling = in.text("rope_scaling");
  if (in.has("rope_scaling") && !in.has("rope_theta"))
    in.fault("rope_scaling", "is given without rope_theta.");
  if (const auto context = in.integer("max_context", 1, max_tokens))
    model.max_context = static_cast<std::uint32_t>(*context);
  if (const auto vocabulary = in.integer("vocabulary", 1, max_tokens))
    model.vocabulary = static_cast<std::uint32_t>(*vocabulary);
  read_weights(in, model);

  KvDtype dtype = KvDtype::bf16;
  if (in.has("kv_dtype") && in["kv_dtype"].is_string())
    dtype = in.choice<KvDtype>("kv_dtype", in.text("kv_dtype")).value_or(dtype);
  else
    in.text("kv_dtype");  // a fault if it is there
  if (in.faults().empty()) {
    try {
      model = with_kv_dtype(std::move(model), dtype);
    } catch (const UserError& error) {
      in.fault("kv_dtype", error.what());
    }
  }
  in.finish();
  return model;
}

}  // namespace vacancy
