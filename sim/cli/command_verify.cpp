// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>

#include "sim/cli/commands.hpp"
#include "sim/cli/option_checks.hpp"
#include "sim/cli/verify_files.hpp"

namespace vacancy {

void add_verify_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<VerifyFiles>();
  CLI::App& command = *app.add_subcommand("verify",
                                          "Run scenarios beside real K and V memory that kernels "
                                          "change, and compare after every event; "
                                          "stops at the first difference.");
  command.add_option("scenarios", options->files, "Scenario files (JSON).")
      ->required()
      ->type_name("SCENARIO");
  command
      .add_option("--backend", options->backend,
                  "Where kernels run: cpu (their source, thread by thread; default) or cuda.")
      ->check(CLI::IsMember({"cpu", "cuda"}).description(""))
      ->type_name("cpu|cuda");
  command
      .add_option("--set", options->overrides.assignments,
                  "Another value for a key, as for run. Once for each key.")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  command
      .add_option(
          "--sample", options->verify.verifier.sample,
          "Follow the contents of every N-th sequence, tables of all. By itself all until a "
          "million tokens were written, then every 16th.")
      ->check(whole_number(1, most))
      ->type_name("N");
  command
      .add_option("--layers", options->verify.verifier.layers,
                  "Layers whose K and V the memory holds, at most; default 2.")
      ->check(whole_number(1, most))
      ->type_name("N");
  command.add_option("--heads", options->verify.verifier.heads, "KV heads, at most; default 2.")
      ->check(whole_number(1, most))
      ->type_name("N");
  command
      .add_option("--reproduce", options->reproduce,
                  "On a difference: write the same scenario with the smallest workload that still "
                  "shows one.")
      ->check(not_empty())
      ->type_name("FILE");
  command.add_flag("--json", options->json,
                   "What was compared, and the difference, as JSON on standard output; the report "
                   "goes to standard error.");
  command.footer(
      "Examples:\n"
      "  vacancy verify scenarios/seed/evict_14k_of_16k.json --set reclaim.kind=slide\n"
      "  vacancy verify my.json --backend cuda --reproduce smallest.json\n"
      "Exit code 1 at a difference.");
  command.callback(
      [options, &console, &exit_code] { exit_code = verify_files(*options, console); });
}

}  // namespace vacancy
