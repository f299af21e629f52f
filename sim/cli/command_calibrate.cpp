// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu_backend/bench/kernel_times.hpp"
#include "sim/cli/calibrated_device.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/named_things.hpp"
#include "sim/cli/option_checks.hpp"
#include "sim/cli/output_folder.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/device/device_file.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

struct CalibrateOptions {
  std::string backend = "cuda", device, out;
  bool computed = false;
};

/// Of the device whose name the GPU's contains, unless one is given.
Device base_device(const std::string& argument, const std::string& gpu) {
  if (!argument.empty()) return device_of_argument(argument);
  const std::string name = name_within(gpu, device_preset_names());
  if (name.empty())
    throw UserError("The GPU is \"" + gpu +
                    "\", which is no built-in device. Name the nearest with --device, or a file.");
  return device_preset(name);
}

Device measured_device(const CalibrateOptions& options, const Console& console) {
  std::string why_not;
  const auto gpu = gpu::open_device(gpu::DeviceKind::cuda, &why_not);
  if (gpu == nullptr)
    throw UserError("--backend cuda: " + why_not +
                    " Take --computed for the least times by arithmetic, or run it where there is "
                    "a GPU.");
  const Device base = base_device(options.device, gpu->name());
  const InterruptGuard guard;
  const auto begin_size = [&](int tokens) {
    if (guard.interrupted()) throw Cancelled();
    console.err << "Timing kernels on " << format_count(static_cast<std::uint64_t>(tokens))
                << " tokens.\n";
  };
  try {
    return calibrated_device(
        base, gpu::measured_times(*gpu, gpu::qwen3_8b, largest_calibration, begin_size),
        KernelOrigin::measured);
  } catch (const simt::DeviceError& error) {
    throw UserError(std::string("--backend cuda: ") + error.what() +
                    " Nothing was written; see whether something else uses the GPU.");
  }
}

void print_costs(const Device& device, const Console& console) {
  FigureTable table(
      {"kernel", "launch, us", "GB (or 10^9 scores) per second", "residual rms", "worst", "sizes"});
  for (const auto& [kernel, cost] : device.kernels->costs)
    table.add({std::string(enum_name(kernel)), format_decimal(cost.launch_ns / 1e3, 3),
               cost.unit_ns > 0 ? format_decimal(1 / cost.unit_ns, 1) : "",
               format_decimal(100 * cost.rms_share, 2) + " %",
               format_decimal(100 * cost.worst_share, 2) + " %", format_count(cost.samples)});
  table.print(console.out);
}

int calibrate(const CalibrateOptions& options, const Console& console) {
  const std::filesystem::path path = options.out;
  OutputFolder folder(folder_of_file(path));  // before kernels are timed
  std::ostream& file = folder.file(path.filename().string());
  Device device;
  try {
    device = options.computed ? computed_h200() : measured_device(options, console);
  } catch (const Cancelled&) {
    return cancelled(console);
  }
  console.out << device.name << ": " << enum_name(device.kernels->origin)
              << " costs of an eviction's kernels; copies "
              << format_decimal(double(device.copy_bandwidth.value()) / 1e12, 2)
              << " TB/s, read and written.\n\n";
  print_costs(device, console);
  file << to_text(device);
  folder.commit();
  console.out << "\nWritten to " << options.out << ".\n";
  return exit_ok;
}

}  // namespace

void add_calibrate_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command = *app.add_subcommand(
      "calibrate",
      "Time an eviction's kernels on a GPU over sizes, and write a device file with their costs.");
  auto* const backend =
      command.add_option("--backend", options->backend, "Where kernels are timed: cuda.")
          ->check(CLI::IsMember({"cuda"}).description(""))
          ->type_name("cuda");
  auto* const base =
      command
          .add_option(
              "--device", options->device,
              "The device whose other figures are taken over: a built-in name or a file; by "
              "default the one that the GPU's name contains.")
          ->type_name("DEVICE");
  command
      .add_flag("--computed", options->computed,
                "The least times of an H200 by roofline arithmetic instead, marked as computed; "
                "needs no GPU.")
      ->excludes(backend)
      ->excludes(base);
  command.add_option("-o,--output", options->out, "The device file.")
      ->required()
      ->check(not_empty())
      ->type_name("FILE");
  command.footer(
      "Examples:\n"
      "  vacancy calibrate --backend cuda -o my_gpu.json\n"
      "  vacancy run scenario.json --set device=my_gpu.json");
  command.callback([options, &console, &exit_code] { exit_code = calibrate(*options, console); });
}

}  // namespace vacancy
