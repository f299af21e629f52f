// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/formats.hpp"

#include <algorithm>
#include <string>

#include "sim/units/error.hpp"
#include "sim/units/suggest.hpp"
#include "sim/workload/trace/csv_columns.hpp"
#include "sim/workload/trace/csv_table.hpp"
#include "sim/workload/trace/json_line.hpp"
#include "sim/workload/trace/readers.hpp"
#include "sim/workload/trace/token_keys.hpp"

namespace vacancy {

namespace {

EntryInfo described(std::string name, std::string summary, std::string citation) {
  return {std::move(name), std::move(summary), std::move(citation), {}, {}};
}

/// The names in a file's first line: members of an object, or columns.
std::vector<std::string> first_names(const LineReader& lines) {
  std::vector<std::string> names;
  const std::string_view line = lines.line();
  if (line.find_first_not_of(" \t") == line.find('{')) {
    JsonTape tape;
    tape.parse(lines);
    for (std::size_t i = 1; tape[i].kind == JsonTape::Kind::key;) {
      names.emplace_back(tape.text(tape[i]));
      const auto& value = tape[i + 1];
      const bool opens =
          value.kind == JsonTape::Kind::object || value.kind == JsonTape::Kind::array;
      i = opens ? static_cast<std::size_t>(value.value) : i + 2;
    }
  } else if (std::vector<std::string_view> fields; split_csv(line, fields)) {
    names.assign(fields.begin(), fields.end());
  }
  return names;
}

bool has_marks(const TraceFormatEntry& format, const std::vector<std::string>& names) {
  return std::all_of(format.marks.begin(), format.marks.end(), [&](std::string_view mark) {
    return std::find(names.begin(), names.end(), mark) != names.end();
  });
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words)
    text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

const TraceFormatEntry& told_format(const LineReader& lines) {
  const auto names = first_names(lines);
  std::string known;
  for (const TraceFormatEntry& format : trace_formats()) {
    if (has_marks(format, names)) return format;
    known += (known.empty() ? "" : "; ") + format.info.name + " (" + joined(format.marks) + ')';
  }
  lines.fail(
      {}, "the line " + quoted_excerpt(lines.line()) +
              " does not tell the trace's format. What the first line of each has: " + known + ".");
}

/// Refuses a format that the file does not have when it plainly has another.
void check_format(const TraceFormatEntry& named, const LineReader& lines) {
  const auto names = first_names(lines);
  if (has_marks(named, names)) return;
  for (const TraceFormatEntry& format : trace_formats())
    if (has_marks(format, names))
      lines.fail({}, "is not of the format " + named.info.name + " but of " + format.info.name +
                         "; name that, or none.");
}

}  // namespace

std::span<const TraceFormatEntry> trace_formats() {
  // Of two that fit, the first is taken: Bailian has all fields of Mooncake.
  static const TraceFormatEntry entries[] = {
      {described("bailian", "Lengths, arrivals, chats and 16-token prefix ids of a public cloud.",
                 "Qwen-Bailian anonymized usage traces, Apache-2.0"),
       {"chat_id", "parent_chat_id", "timestamp", "input_length", "output_length", "hash_ids"},
       true,
       false,
       read_bailian},
      {described("mooncake", "Lengths, arrivals and 512-token prefix ids of a chat service.",
                 "kvcache-ai/Mooncake, FAST'25 release, Apache-2.0"),
       {"timestamp", "input_length", "output_length", "hash_ids"},
       true,
       false,
       read_mooncake},
      {described("claude_code",
                 "Conversations of coding agents with 64-token prefix ids, one a line.",
                 "callanjfox/kv-cache-tester, Apache-2.0"),
       {"id", "block_size", "requests"},
       true,
       false,
       read_claude_code},
      {described("llmservingsim", "Lengths, arrivals and token ids.",
                 "casys-kaist/LLMServingSim, MIT"),
       {"input_toks", "output_toks", "arrival_time_ns"},
       false,
       true,
       read_llmservingsim},
      {described("azure", "Lengths and wall-clock arrivals of cloud services, 2023 and 2024.",
                 "Azure/AzurePublicDataset, CC-BY 4.0"),
       {"TIMESTAMP", "ContextTokens", "GeneratedTokens"},
       false,
       false,
       read_azure},
      {described("burstgpt", "Lengths and arrivals of a campus chat service, any version.",
                 "HPMLL/BurstGPT, CC-BY 4.0"),
       {"Timestamp", "Request tokens", "Response tokens"},
       false,
       false,
       read_burstgpt},
      {described("csv",
                 "Arrivals and lengths under a plain header: arrival_s, _ms, _us or _ns, "
                 "prompt_tokens, output_tokens.",
                 "ours"),
       {csv_prompt_column, csv_output_column},
       false,
       false,
       read_csv}};
  return entries;
}

const TraceFormatEntry* find_trace_format(std::string_view name) {
  for (const TraceFormatEntry& entry : trace_formats())
    if (entry.info.name == name) return &entry;
  return nullptr;
}

const TraceFormatEntry& named_trace_format(std::string_view name) {
  if (const TraceFormatEntry* found = find_trace_format(name)) return *found;
  std::vector<std::string_view> names;
  for (const TraceFormatEntry& entry : trace_formats())
    names.push_back(entry.info.name);
  throw UserError("There is no trace format " + quoted_excerpt(name) + "." +
                  did_you_mean(name, names) + " Formats: " + joined(names) + ".");
}

std::unique_ptr<TraceReader> open_trace(const std::filesystem::path& path,
                                        const TraceOptions& options) {
  const TraceFormatEntry* format =
      options.format.empty() ? nullptr : &named_trace_format(options.format);
  auto lines = std::make_unique<LineReader>(path);
  if (!lines->next()) lines->fail_file("has no requests; name another file.");
  if (format == nullptr)
    format = &told_format(*lines);
  else
    check_format(*format, *lines);
  if (options.block_size == 0u)
    lines->fail_file("a block size of 0 tokens is asked for; it starts at 1.");
  if (options.block_size && !format->block_keys && !format->token_ids)
    lines->fail_file("a block size is asked for, but the format " + format->info.name +
                     " has no contents to divide into blocks; leave it out.");
  lines->put_back();
  auto reader = format->open(std::move(lines), options);
  if (!options.block_size || format->block_keys) return reader;
  if (!reader->info().token_ids)
    throw UserError(path.string() +
                    ": a block size is asked for, but this trace has no token ids to divide into "
                    "blocks; leave it out.");
  return with_token_keys(std::move(reader), *options.block_size);
}

}  // namespace vacancy
