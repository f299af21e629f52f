// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/verify_files.hpp"

#include <filesystem>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/output_folder.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/scenario_text.hpp"
#include "sim/json/json_text.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

using verify::VerifyResult;

std::unique_ptr<gpu::Device> opened(const std::string& backend) {
  std::string why_not;
  auto device =
      gpu::open_device(backend == "cuda" ? gpu::DeviceKind::cuda : gpu::DeviceKind::cpu, &why_not);
  if (device == nullptr)
    throw UserError("--backend " + backend + ": " + why_not +
                    (backend == "cuda" ? " Take --backend cpu." : ""));
  return device;
}

struct ScenarioFile {
  ScenarioText text;
  Scenario scenario;
};

/// All of them before the first run: what is wrong with the last one is told at once.
std::vector<ScenarioFile> load_all(const VerifyFiles& options) {
  std::vector<ScenarioFile> scenarios;
  for (const std::string& file : options.files) {
    std::error_code not_there;
    if (std::filesystem::equivalent(options.reproduce, file, not_there))
      throw UserError("--reproduce " + options.reproduce +
                      ": is a scenario to verify; name another file.");
    ScenarioText text(file, "Verify its base with the values of a point: --set PATH=VALUE.");
    Scenario scenario = text.load(options.overrides);
    scenarios.push_back({std::move(text), std::move(scenario)});
  }
  return scenarios;
}

VerifyResult verify_one(const Scenario& scenario, const std::string& name, gpu::Device& device,
                        const VerifyFiles& options, const InterruptGuard& guard,
                        const Console& console) {
  Progress progress(console, true, (scenario.serving ? "requests of " : "tokens of ") + name);
  try {
    VerifyResult result = verify::verify_scenario(scenario, device, options.verify,
                                                  [&](std::uint64_t done, std::uint64_t planned) {
                                                    progress.update(done, planned);
                                                    return !guard.interrupted();
                                                  });
    if (result.cancelled) throw Cancelled();
    return result;
  } catch (const UserError& error) {
    throw UserError(name + ": " + error.what());
  }
}

nlohmann::ordered_json to_json(const std::string& file, const VerifyResult& result) {
  const verify::VerifierCounts& counts = result.counts;
  nlohmann::ordered_json json;
  json["scenario"] = file;
  json["verified"] = !result.difference;
  json["events"] = counts.events;
  json["rounds"] = counts.rounds;
  json["sequences"] = counts.sequences;
  json["watched_sequences"] = counts.watched_sequences;
  json["layers"] = result.layers;
  json["heads"] = result.heads;
  json["tables_compared"] = counts.tables;
  json["rows_compared"] = counts.rows;
  json["whole_checks"] = counts.whole_checks;
  json["keep_sets_compared"] = result.selections.sets;
  json["keep_sets_scored"] = result.selections.scored;
  json["tokens_ranked_otherwise"] = result.selections.differing;
  json["farthest_share_of_tolerance"] = result.selections.farthest;
  json["attention_compared"] = counts.attention;
  json["worst_attention_difference"] = counts.worst_attention;
  json["operations"] = counts.operations;
  json["notes"] = result.notes;
  json["stop_reason"] = result.stop_reason;
  if (const auto& difference = result.difference) {
    auto& out = json["difference"];
    const auto number = [](const auto& id) -> nlohmann::ordered_json {
      return id ? nlohmann::ordered_json(id->value()) : nlohmann::ordered_json();
    };
    out["operation"] = difference->operation;
    out["event"] = difference->event;
    out["time_ns"] = difference->time.value();
    out["sequence"] = number(difference->sequence);
    out["table"] =
        difference->table ? nlohmann::ordered_json(*difference->table) : nlohmann::ordered_json();
    out["block"] = number(difference->block);
    out["slot"] =
        difference->slot ? nlohmann::ordered_json(*difference->slot) : nlohmann::ordered_json();
    out["expected"] = difference->expected;
    out["found"] = difference->found;
  }
  return json;
}

void print_selections(std::ostream& out, const verify::SelectionCounts& selections) {
  out << ", " << counted(selections.sets, "keep set") << " chosen anew";
  if (selections.scored == 0) return;
  out << " (" << selections.scored
      << " scored from keys: " << counted(selections.differing, "token")
      << " ranked otherwise by the other precision";
  if (selections.differing > 0) out << ", within " << selections.farthest << " of the tolerance";
  out << ')';
}

void print(std::ostream& out, const std::string& file, const VerifyResult& result) {
  const verify::VerifierCounts& counts = result.counts;
  if (result.difference) {
    out << file << ": differs: " << sentence(*result.difference) << '\n';
  } else {
    out << file << ": no difference in " << counted(counts.events, "event");
    if (result.layers > 0) {
      out << ": " << counted(counts.tables, "table") << " and " << counted(counts.rows, "row")
          << " compared (" << counted(result.layers, "layer") << ", "
          << counted(result.heads, "KV head") << "), everything "
          << counted(counts.whole_checks, "time");
      if (counts.rounds > 0) print_selections(out, result.selections);
      if (counts.attention > 0)
        out << ", attention around " << counted(counts.attention, "round") << " equal within "
            << counts.worst_attention;
    }
    out << ".\n";
  }
  for (const std::string& note : result.notes)
    out << "  note: " << note << '\n';
  if (!result.stop_reason.empty())
    out << "  note: The run ended early; all up to there was verified. " << result.stop_reason
        << '\n';
}

void write_smallest(std::ostream& file, const ScenarioText& text, gpu::Device& device,
                    const VerifyFiles& options, const InterruptGuard& guard,
                    const Console& console) {
  const auto load = [&](const ScenarioOverrides& overrides) { return text.load(overrides); };
  const auto differs = [&](const Scenario& scenario) {
    return verify_one(scenario, text.file(), device, options, guard, console)
        .difference.has_value();
  };
  const ScenarioOverrides smallest = verify::smallest_difference(load, options.overrides, differs);
  file << json_text(resolved_json(load(smallest)));
}

/// What is in flight, as a user's error where memory or device failed. Not within the search for
/// the smallest run, which would take it for a run that does not differ.
[[noreturn]] void rethrow(const std::string& file, const std::string& backend) {
  const std::string less =
      " Verify fewer layers and heads (--layers, --heads), a smaller pool or a shorter workload.";
  try {
    throw;
  } catch (const gpu::OutOfDeviceMemory& error) {
    throw UserError(file + ": " + error.what() + less);
  } catch (const std::bad_alloc&) {
    throw UserError(file + ": This takes more memory than the machine gives." + less);
  } catch (const simt::DeviceError& error) {
    throw UserError(file + ": --backend " + backend + ": " + error.what());
  }
}

}  // namespace

int verify_files(const VerifyFiles& options, const Console& console) {
  const auto device = opened(options.backend);
  std::optional<OutputFolder> folder;
  std::ostream* reproduced = nullptr;
  if (!options.reproduce.empty()) {  // before a long run; what is not committed leaves no trace
    const std::filesystem::path target = options.reproduce;
    folder.emplace(folder_of_file(target));
    reproduced = &folder->file(target.filename().string());
  }
  const std::vector<ScenarioFile> scenarios = load_all(options);
  const InterruptGuard guard;
  int code = exit_ok;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const auto tell_finished = [&] {
    if (options.json && !all.empty()) console.out << json_text(all);
  };
  std::string verified_now;
  try {
    for (const auto& [text, scenario] : scenarios) {
      const std::string& file = text.file();
      verified_now = file;
      const VerifyResult result = verify_one(scenario, file, *device, options, guard, console);
      print(options.json ? console.err : console.out, file, result);
      all.push_back(to_json(file, result));
      if (!result.difference) continue;
      code = exit_unfinished;
      if (reproduced != nullptr) {
        write_smallest(*reproduced, text, *device, options, guard, console);
        folder->commit();
        console.err << "The smallest run that differs is in " << options.reproduce << ".\n";
      }
      break;
    }
  } catch (const Cancelled&) {
    tell_finished();
    console.err << "Cancelled.\n";
    return exit_cancelled;
  } catch (...) {
    tell_finished();
    rethrow(verified_now, options.backend);
  }
  tell_finished();
  return code;
}

}  // namespace vacancy
