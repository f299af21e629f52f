// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/cli/commands.hpp"
#include "sim/cli/named_things.hpp"
#include "sim/cli/option_checks.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/json/json_text.hpp"
#include "sim/model/memory.hpp"
#include "sim/pool/cache_layout.hpp"
#include "sim/scenario/model_choice.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

struct SizeOptions {
  std::string model;
  std::string memory, dtype, table = "shared";
  std::optional<std::uint64_t> tokens;
  std::uint32_t block_size = 16;
  bool json = false;
};

ModelGeometry find_model(const SizeOptions& options) {
  ModelGeometry model = model_of_argument(options.model);
  if (!options.dtype.empty())
    model = with_kv_dtype(std::move(model), *enum_value<KvDtype>(options.dtype));
  return model;
}

/// "2,359,296 B (2.25 MiB, 2.36 MB)": exact, and in both kinds of unit.
std::string both_units(Bytes bytes) {
  constexpr std::pair<double, const char*> units[] = {
      {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
  const auto value = static_cast<double>(bytes.value());
  std::string text = format_count(bytes.value()) + " B";
  for (const auto& [unit, name] : units)
    if (value >= unit)
      return text + " (" + format_bytes(bytes) + ", " + format_decimal(value / unit, 2) + ' ' +
             name + ")";
  return text;
}

struct Sizes {
  ModelGeometry model;
  TableSpan span;
  std::uint32_t block_size;
  Bytes token, block;  // of one table
  std::uint64_t tables;
  std::optional<Bytes> memory;
  std::optional<std::uint64_t> memory_blocks, memory_tokens;
  std::optional<std::uint64_t> tokens, token_blocks;
};

Sizes compute(const SizeOptions& options) {
  Sizes s{find_model(options),
          table_span(*enum_value<TableKind>(options.table)),
          options.block_size,
          {},
          {},
          0,
          {},
          {},
          {},
          {},
          {}};
  s.token = bytes_per_token(s.model, s.span);
  s.block = bytes_per_block(s.model, s.block_size, s.span);
  s.tables = tables_per_sequence(s.model, s.span);
  if (!options.memory.empty()) {
    s.memory = parse_bytes(options.memory);
    s.memory_blocks = blocks_in_memory(s.model, *s.memory, s.block_size, s.span);
    if (*s.memory_blocks == 0)
      throw UserError("--memory " + options.memory + ": one block takes " + format_bytes(s.block) +
                      ". Give more memory, or take smaller blocks.");
    s.memory_tokens = tokens_in_blocks(s.model, *s.memory_blocks, s.block_size, s.span);
  }
  if (options.tokens) {
    s.tokens = options.tokens;
    s.token_blocks = blocks_for_tokens(*s.tokens, s.block_size) * s.tables;
  }
  return s;
}

std::string layers_text(const ModelGeometry& model) {
  std::string text;
  for (const auto& kind : EnumNames<LayerKind>::table) {
    const std::uint32_t count = model.layer_count(kind.value);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + format_count(count) + ' ' + std::string(kind.name);
    if (kind.value == LayerKind::sliding)
      text += " (window " + format_count(model.window) + " tokens)";
    if (kind.value == LayerKind::state) text += " (" + format_bytes(model.state_bytes) + " each)";
  }
  return text;
}

/// What the layers of a kind hold of a sequence.
std::string kind_text(const Sizes& s, LayerKind kind) {
  const std::uint64_t layers = s.model.layer_count(kind);
  if (kind == LayerKind::state)
    return both_units(Bytes(layers * s.model.state_bytes.value())) + " at any length";
  const Bytes token(layers * bytes_per_token(s.model, TableSpan::layer).value());
  std::string text = both_units(token) + " a token";
  if (kind == LayerKind::sliding) text += ", at most " + format_count(s.model.window) + " tokens";
  if (s.tokens) {
    const std::uint64_t held =
        kind == LayerKind::sliding ? std::min<std::uint64_t>(*s.tokens, s.model.window) : *s.tokens;
    text += ": " + format_bytes(Bytes(held * token.value()));
  }
  return text;
}

void print_sizes(const Sizes& s, const Console& console) {
  const ModelGeometry& model = s.model;
  NameTable table;
  table.add("model", model.name + ": " + std::string(enum_name(model.attention())) + ", " +
                         format_count(model.query_heads) + " query heads, " +
                         format_count(model.kv_heads) +
                         (model.kv_heads == 1 ? " KV head, " : " KV heads, ") +
                         std::string(enum_name(model.kv_dtype)));
  table.add("layers", layers_text(model));
  const bool one_table = s.span == TableSpan::model;
  const std::string of_table = one_table ? "" : " of a table";
  if (!one_table) table.add("tables a sequence", format_count(s.tables));
  table.add("a token" + of_table, both_units(s.token));
  if (!one_table) table.add("a token in all tables", both_units(bytes_per_token(model)));
  table.add("a block of " + format_count(s.block_size) + of_table, both_units(s.block));
  if (s.memory) {
    table.add("memory", both_units(*s.memory));
    table.add("blocks that fit", format_count(*s.memory_blocks));
    table.add("longest sequence", format_count(*s.memory_tokens) + " tokens in these blocks");
  }
  if (s.tokens) {
    table.add(format_count(*s.tokens) + " tokens",
              format_count(*s.token_blocks) +
                  " blocks: " + both_units(Bytes(*s.token_blocks * s.block.value())));
  }
  if (model.layer_count(LayerKind::full) < model.layers.size()) {
    for (const auto& kind : EnumNames<LayerKind>::table)
      if (model.layer_count(kind.value) > 0)
        table.add(std::string(kind.name) + " layers", kind_text(s, kind.value));
    if (s.tokens)
      table.add("in all", both_units(sequence_bytes(model, *s.tokens)) +
                              ", where windows and states are known to the allocator");
    if (s.memory) {
      const auto longest = tokens_in_memory(model, *s.memory);
      table.add("longest then", longest ? format_count(*longest) + " tokens" : "any length");
    }
  }
  table.print(console.out, console.columns);
}

nlohmann::ordered_json to_json(const Sizes& s) {
  const ModelGeometry& model = s.model;
  nlohmann::ordered_json out{{"model", model.name},
                             {"attention", enum_name(model.attention())},
                             {"kv_dtype", enum_name(model.kv_dtype)}};
  for (const auto& kind : EnumNames<LayerKind>::table)
    out["layers"][std::string(kind.name)] = model.layer_count(kind.value);
  out["window"] = model.window;
  out["state_bytes_per_layer"] = model.state_bytes.value();
  out["tables_per_sequence"] = s.tables;
  out["block_size"] = s.block_size;
  out["bytes_per_token"] = s.token.value();
  out["bytes_per_block"] = s.block.value();
  if (s.memory) {
    const auto longest = tokens_in_memory(model, *s.memory);
    out["memory"] = {{"bytes", s.memory->value()},
                     {"blocks", *s.memory_blocks},
                     {"tokens", *s.memory_tokens},
                     {"tokens_with_windows", longest ? nlohmann::ordered_json(*longest)
                                                     : nlohmann::ordered_json(nullptr)}};
  }
  if (s.tokens)
    out["sequence"] = {{"tokens", *s.tokens},
                       {"blocks", *s.token_blocks},
                       {"bytes", *s.token_blocks * s.block.value()},
                       {"bytes_with_windows", sequence_bytes(model, *s.tokens).value()}};
  return out;
}

template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<Enum>::table)
    names.emplace_back(entry.name);
  return names;
}

int size(const SizeOptions& options, const Console& console) {
  const Sizes sizes = compute(options);
  if (options.json)
    console.out << json_text(to_json(sizes));
  else
    print_sizes(sizes, console);
  return exit_ok;
}

}  // namespace

void add_size_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<SizeOptions>();
  CLI::App& command = *app.add_subcommand(
      "size", "KV-cache arithmetic of a model: bytes a token, blocks and tokens that fit.");
  command.add_option("--model", options->model, "Built-in model (vacancy list models) or a file.")
      ->required()
      ->type_name("M");
  command.add_option("--memory", options->memory, "Memory for the cache, such as 6GiB or 24GB.")
      ->type_name("SIZE");
  command.add_option("--tokens", options->tokens, "Length of one sequence.")
      ->check(whole_number(1, std::uint64_t{1} << 40))
      ->type_name("N");
  command.add_option("--block-size", options->block_size, "Slots of a block; default 16.")
      ->check(whole_number(1, 4096))
      ->type_name("B");
  command.add_option("--dtype", options->dtype, "Format of the cached values, such as fp8.")
      ->check(CLI::IsMember(names_of<KvDtype>()).description(""))
      ->type_name("TYPE");
  command.add_option("--table", options->table, "What shares a block table; default shared.")
      ->check(CLI::IsMember(names_of<TableKind>()).description(""))
      ->type_name("KIND");
  command.add_flag("--json", options->json, "As JSON on standard output.");
  command.footer(
      "Examples:\n"
      "  vacancy size --model qwen3-32b --memory 6GiB\n"
      "  vacancy size --model gpt-oss-20b --tokens 32768 --dtype fp8");
  command.callback([options, &console, &exit_code] { exit_code = size(*options, console); });
}

}  // namespace vacancy
