// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/trace_source.hpp"

#include <CLI/CLI.hpp>

#include "sim/cli/option_checks.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/scenario/serving_options.hpp"
#include "sim/units/error.hpp"
#include "sim/workload/lengths.hpp"
#include "sim/workload/trace/token_keys.hpp"

namespace vacancy {

void TraceSource::add_to(CLI::App& command) {
  command.add_option("file", file, "The trace, plain or gzip.")
      ->required()
      ->check(not_empty())
      ->type_name("FILE");
  command.add_option("--format", format, "Its format (vacancy list traces); told from the file.")
      ->check(not_empty())
      ->type_name("F");
  command.add_option("--limit", limit, "Read so many requests at most.")
      ->check(whole_number())
      ->type_name("N");
  command
      .add_option("--block-size", block_size,
                  "Tokens that one block id stands for, instead of the format's own; for token "
                  "ids, the blocks they are divided into.")
      ->check(whole_number())
      ->check(CLI::Range(std::uint32_t{1}, max_length_tokens).description(""))
      ->type_name("B");
  command
      .add_option("--nested-time", nested_time,
                  "Times of a sub-task's requests in Claude Code traces: as_written (default) or "
                  "absolute, that is, added to the sub-task's own start.")
      ->check(CLI::IsMember({"as_written", "absolute"}).description(""))
      ->type_name("RULE");
}

std::filesystem::path TraceSource::path() const {
  const auto located = located_path(anchored_path(file, std::filesystem::current_path()));
  if (is_shared_path(file) && !std::filesystem::exists(located))
    throw UserError(file + ": there is no such file. " + shared_data_remedy());
  return is_shared_path(file) ? located : std::filesystem::path(file);
}

TraceOptions TraceSource::options() const {
  TraceOptions result;
  result.format = format;
  result.limit = limit;
  result.block_size = block_size;
  if (!nested_time.empty()) result.nested_time = *enum_value<NestedTime>(nested_time);
  return result;
}

std::unique_ptr<TraceReader> TraceSource::open(std::uint32_t token_block) const {
  auto trace = open_trace(path(), options());
  if (trace->info().token_ids && trace->info().block_size == 0 && token_block > 0)
    return with_token_keys(std::move(trace), token_block);
  return trace;
}

}  // namespace vacancy
