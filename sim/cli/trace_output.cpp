// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/trace_output.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "sim/cli/option_checks.hpp"
#include "sim/cli/output_folder.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<TraceLoss>::table)
    names.emplace_back(entry.name);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ",") + name;
  return text;
}

std::filesystem::path checked_path(const std::string& file) {
  const std::filesystem::path path = file;
  if (path.extension() == ".gz")
    throw UserError(file +
                    ": traces are written as plain text; leave out .gz and pack the file "
                    "with gzip afterwards.");
  return path;
}

}  // namespace

void TraceOutput::add_to(CLI::App& command, const std::string& default_target) {
  to = default_target;
  CLI::Option* target =
      command.add_option("--to", to,
                         "Format to write: mooncake, llmservingsim or csv" +
                             (default_target.empty() ? "." : "; default " + default_target + "."));
  target->check(not_empty())->type_name("F");
  if (default_target.empty()) target->required();
  command.add_option("-o,--out", file, "File to write; an existing one is replaced.")
      ->required()
      ->check(not_empty())
      ->type_name("OUT");
  command
      .add_option("--drop", drop,
                  "What may be lost where the format cannot hold it: block_keys, block_size, "
                  "token_ids, time_digits." +
                      (drop.empty() ? std::string() : " Default: " + joined(drop) + "."))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(loss_names()).description(""))
      ->type_name("WHAT");
  command.add_flag("--unshared", unshared_blocks,
                   "Where a trace does not know which prompts share blocks, write that none do.");
}

void TraceOutput::write(TraceReader& trace, const TraceTargetEntry& target,
                        const Console& console) const {
  const auto path = checked_path(file);
  TraceWriterOptions options;
  options.unshared_blocks = unshared_blocks;
  for (const std::string& name : drop)
    options.allowed_losses.insert(*enum_value<TraceLoss>(name));

  OutputFolder folder(folder_of_file(path));
  std::ostream& out = folder.file(path.filename().string());
  const auto writer = target.open(trace.info(), options, out);
  std::uint64_t requests = 0;
  TraceRequest request;
  while (trace.next(request)) {
    writer->write(request);
    ++requests;
  }
  folder.commit();
  for (const auto& loss : EnumNames<TraceLoss>::table)
    if (const std::uint64_t count = writer->lost(loss.value); count > 0)
      console.err << "note: " << file << ": without " << loss_text(loss.value) << " of "
                  << format_count(count) << " requests, as --drop " << loss.name << " allows.\n";
  if (writer->lost(TraceLoss::block_size) > 0)
    console.err << "note: " << file << ": read it with --block-size " << trace.info().block_size
                << "; the format cannot say so.\n";
  console.out << format_count(requests) << " requests written to " << file << " as "
              << target.info.name << ".\n";
}

}  // namespace vacancy
