// SPDX-License-Identifier: Apache-2.0
#include "sim/model/model_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/units/error.hpp"
#include "sim/units/format.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {
namespace {

using nlohmann::json;

// Far above any model, and low enough that bytes per token cannot overflow 64 bits.
constexpr std::uint64_t max_layers = 4096, max_heads = 4096, max_dim = 65'536;
constexpr std::uint64_t max_tokens = std::numeric_limits<std::uint32_t>::max();

constexpr std::array<ModelKey, 17> keys{{
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
    {"weight_bytes", "bytes", "Size of the weights."},
}};

/// Reads members of one object and gathers every fault instead of stopping at the first.
class Reader {
 public:
  Reader(const json& object, std::string place) : object_(object), place_(std::move(place)) {}

  bool has(std::string_view key) const { return object_.contains(key); }

  void fault(std::string_view key, const std::string& sentence) {
    if (!faults_.empty()) faults_ += '\n';
    faults_ += place_ + "/" + std::string(key) + ": " + sentence;
  }

  std::optional<std::uint64_t> integer(std::string_view key, std::uint64_t low,
                                       std::uint64_t high) {
    if (!has(key)) return std::nullopt;
    const json& value = object_[std::string(key)];
    const auto number = whole(value);
    if (number && *number >= low && *number <= high) return number;
    fault(key, "expected an integer from " + format_count(low) + " to " + format_count(high) +
                   ", got " + shown(value) + ".");
    return std::nullopt;
  }

  std::optional<std::uint32_t> required(std::string_view key, std::uint64_t high) {
    if (!has(key))
      fault(key, "is missing; it must be an integer from 1 to " + format_count(high) + ".");
    const auto value = integer(key, 1, high);
    return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
  }

  std::optional<double> number(std::string_view key, double low, double high) {
    if (!has(key)) return std::nullopt;
    const json& value = object_[std::string(key)];
    if (value.is_number()) {
      const auto number = value.get<double>();
      if (number >= low && number <= high) return number;
    }
    fault(key, "expected a number from " + format_decimal(low, 0) + " to " +
                   format_decimal(high, 0) + ", got " + shown(value) + ".");
    return std::nullopt;
  }

  std::optional<Bytes> bytes(std::string_view key) {
    if (!has(key)) return std::nullopt;
    const json& value = object_[std::string(key)];
    if (const auto number = whole(value)) return Bytes(*number);
    if (!value.is_string()) {
      fault(key, "expected bytes as an integer or text with a unit, such as \"64 KiB\", got " +
                     shown(value) + ".");
      return std::nullopt;
    }
    try {
      return parse_bytes(value.get_ref<const std::string&>());
    } catch (const UserError& error) {
      fault(key, error.what());
      return std::nullopt;
    }
  }

  std::string text(std::string_view key) {
    if (!has(key)) return {};
    const json& value = object_[std::string(key)];
    if (value.is_string()) return value.get<std::string>();
    fault(key, "expected text, got " + shown(value) + ".");
    return {};
  }

  std::vector<std::string> texts(std::string_view key) {
    if (!has(key)) return {};
    const json& value = object_[std::string(key)];
    const auto is_text = [](const json& element) { return element.is_string(); };
    if (value.is_array() && std::all_of(value.begin(), value.end(), is_text))
      return value.get<std::vector<std::string>>();
    fault(key, "expected a list of texts, got " + shown(value) + ".");
    return {};
  }

  template <class Enum>
  std::optional<Enum> choice(std::string_view key, const std::string& name) {
    if (const auto value = enum_value<Enum>(name)) return value;
    std::vector<std::string_view> names;
    std::string listed;
    for (const auto& entry : EnumNames<Enum>::table) {
      names.push_back(entry.name);
      listed += (listed.empty() ? "" : ", ") + std::string(entry.name);
    }
    fault(key,
          "\"" + name.substr(0, 60) + "\" is none of " + listed + "." + did_you_mean(name, names));
    return std::nullopt;
  }

  /// Keys outside `known`, whose elements convert to std::string_view.
  template <class Names>
  void refuse_unknown(const Names& known) {
    for (const auto& [key, value] : object_.items())
      if (std::ranges::find(known, std::string_view(key)) == known.end())
        fault(key.substr(0, 60), "is not a key of this object." + did_you_mean(key, known));
  }

  const json& operator[](std::string_view key) const { return object_[std::string(key)]; }
  const std::string& faults() const { return faults_; }
  void add(const Reader& inner) {
    if (inner.faults_.empty()) return;
    faults_ += (faults_.empty() ? "" : "\n") + inner.faults_;
  }

 private:
  /// Integers built in a program are signed, parsed ones are not.
  static std::optional<std::uint64_t> whole(const json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (value.is_number_integer() && value.get<std::int64_t>() >= 0)
      return value.get<std::uint64_t>();
    return std::nullopt;
  }

  /// The start of a value as it stands in the file. Invalid UTF-8 is replaced, not thrown at.
  static std::string shown(const json& value) {
    const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
  }

  const json& object_;
  std::string place_;
  std::string faults_;
};

std::vector<LayerKind> read_layers(Reader& in) {
  const auto count = in.required("layers", max_layers);
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
void check_kind_key(Reader& in, const ModelGeometry& model, LayerKind kind, std::string_view key) {
  const std::string name(enum_name(kind));
  if (model.layer_count(kind) > 0 && !in.has(key))
    in.fault(key, "is missing; layer_pattern has " + name + " layers.");
  if (model.layer_count(kind) == 0 && in.has(key))
    in.fault(key,
             "is given, but layer_pattern has no " + name + " layer; remove one or add the other.");
}

void read_heads(Reader& in, ModelGeometry& model, const std::string& place) {
  const auto query_heads = in.required("query_heads", max_heads);
  model.query_heads = query_heads.value_or(1);
  model.head_dim = in.required("head_dim", max_dim).value_or(1);
  if (!in.has("mla")) {
    const auto kv_heads = in.required("kv_heads", max_heads);
    model.kv_heads = kv_heads.value_or(1);
    if (query_heads && kv_heads && *query_heads % *kv_heads != 0)
      in.fault("kv_heads", format_count(*kv_heads) + " does not divide query_heads, " +
                               format_count(*query_heads) + ".");
    return;
  }
  model.kv_heads = 1;
  if (in.has("kv_heads"))
    in.fault("kv_heads", "contradicts mla, which caches one vector for all heads; remove one.");
  if (!in["mla"].is_object()) {
    in.fault("mla", "expected an object {\"latent\": 512, \"rotary\": 64}.");
    return;
  }
  Reader dims(in["mla"], place + "/mla");
  constexpr std::array<std::string_view, 2> dim_keys{"latent", "rotary"};
  dims.refuse_unknown(dim_keys);
  const auto latent = dims.required("latent", max_dim), rotary = dims.required("rotary", max_dim);
  model.mla = LatentDims{latent.value_or(1), rotary.value_or(1)};
  in.add(dims);
}

}  // namespace

std::span<const ModelKey> model_keys() {
  return keys;
}

ModelGeometry model_from_json(const json& object, const std::string& place) {
  if (!object.is_object())
    throw UserError(place +
                    ": expected an object that describes a model, such as the built-in ones.");
  Reader in(object, place);
  std::array<std::string_view, keys.size()> names;
  std::ranges::transform(keys, names.begin(), &ModelKey::name);
  in.refuse_unknown(names);

  ModelGeometry model;
  model.name = in.has("name") ? in.text("name") : "the model";
  model.source = in.text("source");
  model.unverified = in.texts("unverified");
  for (const std::string& key : model.unverified)
    if (!in.has(key)) in.fault("unverified", "\"" + key.substr(0, 60) + "\" is not in this model.");

  model.layers = read_layers(in);
  read_heads(in, model, place);
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
  model.weight_bytes = in.bytes("weight_bytes");

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
  if (!in.faults().empty()) throw UserError(in.faults());
  return model;
}

}  // namespace vacancy
