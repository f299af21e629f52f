// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sim/cli/commands.hpp"
#include "sim/cli/named_things.hpp"
#include "sim/cli/option_checks.hpp"
#include "sim/cli/output_folder.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/device/device_file.hpp"
#include "sim/device/step_time_model.hpp"
#include "sim/model/memory.hpp"
#include "sim/model/model_file.hpp"
#include "sim/run_log/fitted_device.hpp"
#include "sim/run_log/prediction_score.hpp"
#include "sim/run_log/schedule_score.hpp"
#include "sim/run_log/step_time_fit.hpp"
#include "sim/simulation/log_replay.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

struct FitCostOptions {
  std::string run, workload, out;
  std::string model, device, profile = "vllm-0.19.0";
  std::string form{enum_name(StepTimeForm::s10)};
  std::optional<double> until_s, weights_ms, weights_deviation_ms;
  std::optional<double> cold_start_s;
};

SimTime from_seconds(double seconds) {
  return SimTime(static_cast<std::int64_t>(std::llround(seconds * 1e9)));
}

std::string ms(double ns) {
  return format_decimal(ns / 1e6, 3);
}

std::string error_text(const std::optional<double>& share) {
  if (!share) return "";
  return (*share > 0 ? "+" : "") + format_decimal(100 * *share, 2) + " %";
}

FitOptions fit_options(const FitCostOptions& options) {
  FitOptions fit;
  fit.form = *enum_value<StepTimeForm>(options.form);
  if (options.until_s) fit.until = from_seconds(*options.until_s);
  if (options.weights_ms)
    fit.priors = {{StepTerm::step, *options.weights_ms * 1e6,
                   options.weights_deviation_ms.value_or(0.3) * 1e6}};
  return fit;
}

void print_coefficients(const FitResult& fit, const Console& console) {
  FigureTable table({"price, us each", "decode step", "step with prefill"});
  for (const auto& term : EnumNames<StepTerm>::table) {
    const auto price = [&](const StepTerms& terms) {
      return format_decimal(terms[term.value] / 1e3, 4);
    };
    table.add(
        {std::string(term.name), price(fit.coefficients.decode), price(fit.coefficients.prefill)});
  }
  table.print(console.out);
}

void print_scores(const RunLog& log, const FitResult& fit, SimTime until, const Console& console) {
  const ScheduleScore schedule = schedule_score(log, fit.run, log.meta.usable_blocks());
  const auto of = [](std::uint64_t part, std::uint64_t all) {
    return format_count(part) + " of " + format_count(all);
  };
  FigureTable structure({"schedule", "as measured"});
  structure.add({"neighbours admitted together or apart",
                 of(schedule.admission_groups, schedule.neighbours)});
  structure.add({"neighbours with their first token together or apart",
                 of(schedule.first_token_groups, schedule.neighbours)});
  structure.add({"pairs that finish in the wrong order", of(schedule.inversions, schedule.pairs)});
  structure.add({"gauge ticks equal in all three", of(schedule.exact_ticks, schedule.ticks)});
  console.out << '\n';
  structure.print(console.out);

  const PredictionScore score = prediction_score(log, fit.run, until);
  FigureTable errors({"simulated / measured - 1", "all", "fitted part", "later requests"});
  const auto add = [&](const std::string& name, const auto& get) {
    errors.add({name, error_text(get(score.all)), error_text(get(score.early)),
                error_text(get(score.late))});
  };
  add("time to first token, mean", [](const PredictionErrors& e) { return e.ttft.mean; });
  add("time to first token, p99", [](const PredictionErrors& e) { return e.ttft.p99; });
  add("time per output token, mean", [](const PredictionErrors& e) { return e.tpot.mean; });
  add("time per output token, p99", [](const PredictionErrors& e) { return e.tpot.p99; });
  add("time per output token, mean of |error|",
      [](const PredictionErrors& e) { return e.tpot_mape; });
  add("end to end, mean", [](const PredictionErrors& e) { return e.e2e.mean; });
  add("end to end, p99", [](const PredictionErrors& e) { return e.e2e.p99; });
  errors.add({"makespan", error_text(score.makespan)});
  console.out << '\n';
  errors.print(console.out);
}

const char* end_sentence(FitEnd end) {
  switch (end) {
    case FitEnd::converged:
      return "The fit converged.";
    case FitEnd::out_of_rounds:
      return "The fit used up its rounds before it settled; take the figures with care.";
    case FitEnd::diverged:
      return "The fit diverged: the simulation came to agree less with the log. Try another "
             "--form, "
             "or a prior for the time of the weights (--weights-ms).";
  }
  return "";
}

/// The argument, or the built-in thing whose name the log's own name contains.
std::string given_or_logged(const std::string& argument, const std::string& option,
                            const std::string& logged, const std::vector<std::string>& names) {
  if (!argument.empty()) return argument;
  std::string name = name_within(logged, names);
  if (name.empty())
    throw UserError("The log names \"" + logged + "\", which is nothing built in. Name it with " +
                    option + ": a built-in name or a file.");
  return name;
}

void write_device(const std::string& file, const Device& device) {
  const std::filesystem::path path = file;
  OutputFolder folder(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
  folder.file(path.filename().string()) << to_text(device);
  folder.commit();
}

int fit_cost(const FitCostOptions& options, const Console& console) {
  const EngineProfile engine = engine_of_argument(options.profile);
  if (!engine.hash_chain)
    throw UserError(
        "--profile " + options.profile +
        " is no version of vLLM, whose logs this command reads (vacancy list engines).");
  const RunLog log = read_run_log(options.run);
  const ModelGeometry model =
      model_of_argument(given_or_logged(options.model, "--model", log.meta.model, preset_names()));
  Device device = device_of_argument(
      given_or_logged(options.device, "--device", log.meta.device, device_preset_names()));
  const SimTime cold_start =
      options.cold_start_s ? from_seconds(*options.cold_start_s) : observed_cold_start(log);
  const ServingConfig config =
      config_of(log, engine, bytes_per_block(model, log.meta.block_size), cold_start);
  const FitOptions fitting = fit_options(options);
  const FitResult fit = fit_step_times(
      log, roofline_coefficients(device, model),
      [&](const StepTimeCoefficients& prices) {
        return replay_log(log, options.workload, config, prices);
      },
      fitting);

  console.out << model.name << " on " << device.name << " under " << engine.name
              << "; the first step was launched in " << format_duration(cold_start) << ".\n";
  console.out << format_count(fit.fitted.size()) << " intervals between stamps of "
              << format_count(log.requests.size()) << " requests, form " << options.form << ", "
              << format_count(fit.rounds.size()) << " rounds: residual "
              << ms(double(fit.rms.value())) << " ms rms";
  if (!fit.predicted.empty())
    console.out << ", of the later ones " << ms(double(fit.predicted_rms.value())) << " ms";
  console.out << ". " << end_sentence(fit.end) << "\n\n";
  print_coefficients(fit, console);
  for (const std::string& price : fit.negative_prices())
    console.out << "note: the price of " << price
                << " is below zero: the log does not tell it apart from another.\n";
  print_scores(log, fit, fitting.until, console);

  if (!options.out.empty()) {
    device = fitted_device(std::move(device), log, fit, fitting.until, options.run);
    device.name = log.meta.device + ", " + model.name + ", " + log.meta.engine;
    device.step_time->cold_start = cold_start;
    write_device(options.out, device);
    console.out << "\nWritten to " << options.out << ".\n";
  }
  return fit.end == FitEnd::converged ? exit_ok : exit_unfinished;
}

}  // namespace

void add_fit_cost_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<FitCostOptions>();
  CLI::App& command = *app.add_subcommand(
      "fit-cost", "Fit step times to the log of a measured run, and score the simulation of it.");
  command
      .add_option("--run", options->run,
                  "Folder of the log: meta.json, requests.jsonl, timeseries.csv.")
      ->required()
      ->type_name("DIR");
  command
      .add_option("--workload", options->workload, "The trace that was run, with its token ids.")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--model", options->model,
                  "The model that ran: a built-in name or a file; by default the one that the log "
                  "names.")
      ->type_name("MODEL");
  command
      .add_option("--device", options->device,
                  "The device that it ran on: where the fit starts, and what is written back; by "
                  "default the one that the log names.")
      ->type_name("DEVICE");
  command.add_option("--profile", options->profile, "Engine version: a built-in one or a file.")
      ->capture_default_str()
      ->type_name("NAME");
  std::vector<std::string> forms;
  for (const auto& form : EnumNames<StepTimeForm>::table)
    forms.emplace_back(form.name);
  command
      .add_option("--form", options->form,
                  "Terms that have a price: constant, abc, s4, s4_x or s10 (the most).")
      ->check(CLI::IsMember(forms).description(""))
      ->capture_default_str()
      ->type_name("FORM");
  command
      .add_option("--until", options->until_s,
                  "Use the stamps of the first so many seconds only; the rest is predicted.")
      ->type_name("SECONDS");
  command
      .add_option("--cold-start", options->cold_start_s,
                  "So long launching the first step held up the engine; by default as the log's "
                  "first stamps show it.")
      ->type_name("SECONDS");
  command
      .add_option("--weights-ms", options->weights_ms,
                  "Prior: what reading the weights takes in each step.")
      ->type_name("MS");
  command
      .add_option("--weights-deviation-ms", options->weights_deviation_ms,
                  "How sure the prior is (default 0.3).")
      ->type_name("MS");
  command.add_option("-o,--output", options->out, "Write the device with its step times.")
      ->check(not_empty())
      ->type_name("FILE");
  command.footer(
      "Example:\n"
      "  vacancy fit-cost --run ../shared/data/vllm-runs/rtx4090-llama-3.1-8b \\\n"
      "    --workload ../shared/data/vllm-runs/sharegpt-llama-3.1-8b-300-sps10.jsonl \\\n"
      "    --until 92 -o my_gpu.json\n"
      "Exit code 1 if the fit does not converge.");
  command.callback([options, &console, &exit_code] { exit_code = fit_cost(*options, console); });
}

}  // namespace vacancy
