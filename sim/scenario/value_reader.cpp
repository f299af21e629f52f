// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/value_reader.hpp"

#include <algorithm>
#include <optional>

#include "sim/scenario/path_resolver.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

namespace {

using Kind = JsonNode::Kind;

std::string joined_path(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::string(path) + '.' + std::string(name);
}

/// A value as it stands in the file, with its type where that is the fault.
std::string shown(const JsonNode& node) {
  switch (node.kind) {
    case Kind::boolean:
      return std::get<bool>(node.scalar) ? "true" : "false";
    case Kind::integer:
      if (const auto* large = std::get_if<std::uint64_t>(&node.scalar))
        return std::to_string(*large);
      return std::to_string(std::get<std::int64_t>(node.scalar));
    case Kind::number:
      return nlohmann::json(std::get<double>(node.scalar)).dump();
    case Kind::text:
      return "the text " + in_quotes(node.text());
    default:
      return std::string(kind_name(node.kind));
  }
}

double as_double(const JsonNode::Scalar& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar))
    return static_cast<double>(*integer);
  if (const auto* large = std::get_if<std::uint64_t>(&scalar)) return static_cast<double>(*large);
  return std::get<double>(scalar);
}

bool in_range(const Parameter& parameter, double value) {
  return (!parameter.minimum || value >= *parameter.minimum) &&
         (!parameter.maximum || value <= *parameter.maximum);
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// The path of the sections that have a key of that name, to help a key that lost its way.
std::string home_of(const SchemaSection& section, std::string_view key, std::string_view path) {
  if (!path.empty() && section.key(key)) return std::string(path);
  for (const SchemaSection& inner : section.sections)
    if (inner.chosen_by.empty())
      if (auto home = home_of(inner, key, joined_path(path, inner.name)); !home.empty())
        return home;
  return "";
}

class Reader {
 public:
  explicit Reader(Diagnostics& faults) : faults_(faults) {}

  ScenarioValues take() { return std::move(values_); }

  void read_section(const JsonNode* node, const SchemaSection& section, const std::string& path,
                    const std::string& pointer) {
    SectionValues& result = values_[path];
    for (const SchemaKey& key : section.keys)
      result.values[key.parameter.name] = key.parameter.default_value;
    if (node && node->kind != Kind::object) {
      faults_.add(node->place, pointer, "expected an object {…}, got " + shown(*node) + ".");
      node = nullptr;
    }
    result.written = node != nullptr;
    if (node)
      for (const JsonMember& member : node->members)
        read_member(member, section, path, pointer, result.values);
    for (const SchemaSection& inner : section.sections)
      read_section(node ? node->find(inner.name) : nullptr, inner, joined_path(path, inner.name),
                   child_pointer(pointer, inner.name));
  }

 private:
  void read_member(const JsonMember& member, const SchemaSection& section, const std::string& path,
                   const std::string& pointer, ParameterValues& values) {
    const std::string child = child_pointer(pointer, member.key);
    if (const SchemaKey* key = section.key(member.key)) {
      if (auto value = read_value(member.value, *key, joined_path(path, member.key), child))
        values[member.key] = std::move(*value);
    } else if (!section.section(member.key)) {
      faults_.add(member.place, child, unknown_key(member.key, section, path));
    }
  }

  static std::string unknown_key(const std::string& key, const SchemaSection& section,
                                 const std::string& path) {
    const std::string here = path.empty() ? "a scenario" : '"' + path + '"';
    std::string sentence = in_quotes(key) + " is not a key of " + here + ".";
    const auto names = section.names();
    if (const std::string hint = did_you_mean(key, names); !hint.empty()) return sentence + hint;
    if (const std::string home = home_of(scenario_schema(), key, ""); !home.empty())
      return sentence + " It belongs into \"" + home + "\".";
    if (names.empty()) return sentence + " There are none.";
    sentence += " Known keys:";
    for (std::size_t i = 0; i < names.size(); ++i)
      sentence += (i > 0 ? ", " : " ") + std::string(names[i]);
    return sentence + ".";
  }

  std::optional<ParameterValue> mismatch(const JsonNode& node, const SchemaKey& key,
                                         const std::string& pointer) {
    std::string sentence = "expected " + expectation(key) + ", got " + shown(node) + ".";
    const bool wants_integer = key.parameter.type == ParameterType::integer;
    const bool wants_number = wants_integer || key.parameter.type == ParameterType::number;
    if (wants_number && node.kind == Kind::text &&
        nlohmann::json::parse(node.text(), nullptr, false).is_number())
      sentence += " Write the number without quotes.";
    if (wants_integer && node.kind == Kind::number)
      sentence += " Integers are written without a point or exponent.";
    if (node.kind == Kind::text && !key.parameter.choices.empty())
      sentence += did_you_mean(node.text(), key.parameter.choices);
    faults_.add(node.place, pointer, std::move(sentence));
    return std::nullopt;
  }

  std::optional<ParameterValue> read_value(const JsonNode& node, const SchemaKey& key,
                                           const std::string& path, const std::string& pointer) {
    if (node.kind == Kind::null && key.parameter.optional) return std::monostate{};
    switch (key.form) {
      case ValueForm::plain:
        return read_plain(node, key, pointer);
      case ValueForm::integer_or_word:
        return node.kind == Kind::text ? read_choice(node, key, pointer)
                                       : read_integer(node, key, pointer);
      case ValueForm::size:
        return read_size(node, key, pointer);
      case ValueForm::length:
        if (node.kind == Kind::object) return read_length_form(node, path, pointer);
        return read_integer(node, key, pointer);
      case ValueForm::model:
      case ValueForm::device:
      case ValueForm::engine:
        if (node.kind == Kind::object) {
          values_[path].written = true;
          return std::monostate{};
        }
        return read_name_or_path(node, key, pointer);
    }
    return std::nullopt;
  }

  std::optional<ParameterValue> read_plain(const JsonNode& node, const SchemaKey& key,
                                           const std::string& pointer) {
    switch (key.parameter.type) {
      case ParameterType::boolean:
        if (node.kind != Kind::boolean) break;
        return std::get<bool>(node.scalar);
      case ParameterType::integer:
        return read_integer(node, key, pointer);
      case ParameterType::number:
        if (node.kind != Kind::integer && node.kind != Kind::number) break;
        if (!in_range(key.parameter, as_double(node.scalar))) break;
        return as_double(node.scalar);
      case ParameterType::text:
        if (node.kind != Kind::text) break;
        return node.text();
      case ParameterType::choice:
        return read_choice(node, key, pointer);
      case ParameterType::path:
        if (node.kind != Kind::text) break;
        return read_path(node, pointer);
    }
    return mismatch(node, key, pointer);
  }

  std::optional<ParameterValue> read_integer(const JsonNode& node, const SchemaKey& key,
                                             const std::string& pointer) {
    if (node.kind != Kind::integer || !in_range(key.parameter, as_double(node.scalar)))
      return mismatch(node, key, pointer);
    if (const auto* large = std::get_if<std::uint64_t>(&node.scalar))
      return static_cast<std::int64_t>(*large);  // same bits, see OptionTable
    return std::get<std::int64_t>(node.scalar);
  }

  std::optional<ParameterValue> read_choice(const JsonNode& node, const SchemaKey& key,
                                            const std::string& pointer) {
    const auto& choices = key.parameter.choices;
    if (node.kind != Kind::text ||
        std::find(choices.begin(), choices.end(), node.text()) == choices.end())
      return mismatch(node, key, pointer);
    return node.text();
  }

  std::optional<ParameterValue> read_path(const JsonNode& node, const std::string& pointer) {
    const std::string& path = node.text();
    if (path.empty() || has_control_character(path)) {
      faults_.add(node.place, pointer, "expected a path, got " + shown(node) + ".");
      return std::nullopt;
    }
    return anchored_path(path, faults_.folder(node.place.origin));
  }

  std::optional<ParameterValue> read_size(const JsonNode& node, const SchemaKey& key,
                                          const std::string& pointer) {
    if (node.kind == Kind::integer && as_double(node.scalar) >= 0) return shown(node);
    if (node.kind != Kind::text) return mismatch(node, key, pointer);
    try {
      parse_bytes(node.text());
      return node.text();
    } catch (const UserError& error) {
      faults_.add(node.place, pointer, error.what());
      return std::nullopt;
    }
  }

  /// Something built in by its name; whatever looks like a path is a file.
  std::optional<ParameterValue> read_name_or_path(const JsonNode& node, const SchemaKey& key,
                                                  const std::string& pointer) {
    if (node.kind != Kind::text || node.text().empty()) return mismatch(node, key, pointer);
    const std::string& name = node.text();
    if (is_file_name(name)) return read_path(node, pointer);
    if (!key.parameter.choices.empty()) return read_choice(node, key, pointer);
    return name;
  }

  std::optional<ParameterValue> read_length_form(const JsonNode& node, const std::string& path,
                                                 const std::string& pointer) {
    const auto& forms = length_forms();
    const SchemaKey& choice = forms.front().keys.front();
    const JsonNode* named = node.find("distribution");
    if (!named) {
      faults_.add(node.place, pointer,
                  "the key \"distribution\" is missing: " + expectation(choice) + ".");
      return std::nullopt;
    }
    if (!read_choice(*named, choice, child_pointer(pointer, "distribution"))) return std::nullopt;
    const auto form = std::find_if(forms.begin(), forms.end(), [&](const SchemaSection& section) {
      return section.name == named->text();
    });
    read_section(&node, *form, path, pointer);
    return std::monostate{};
  }

  Diagnostics& faults_;
  ScenarioValues values_;
};

}  // namespace

ScenarioValues read_values(const JsonNode& root, Diagnostics& faults) {
  Reader reader(faults);
  reader.read_section(&root, scenario_schema(), "", "");
  return reader.take();
}

ParameterValues read_parameters(const JsonNode& object, const std::string& name,
                                const std::vector<Parameter>& parameters, Diagnostics& faults) {
  SchemaSection section{name, "", {}, {}, {}};
  for (const Parameter& parameter : parameters)
    section.keys.push_back({parameter, ValueForm::plain});
  Reader reader(faults);
  reader.read_section(&object, section, name, "");
  return reader.take().at(name).values;
}

nlohmann::ordered_json plain_json(const ParameterValue& value) {
  return std::visit(
      [](const auto& v) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

}  // namespace vacancy
