// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "sim/device/device_file.hpp"
#include "sim/json/json_text.hpp"

namespace vacancy {
namespace {

using Json = nlohmann::ordered_json;

/// Whole numbers without a point, as a person would write them.
Json number(double value) {
  constexpr double exact_integers = 9'007'199'254'740'992;  // 2^53
  if (value > -exact_integers && value < exact_integers) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value) return whole;
  }
  return value;
}

Json json(const StepTerms& terms) {
  Json object = Json::object();
  for (const auto& term : EnumNames<StepTerm>::table)
    if (terms[term.value] != 0) object[std::string(term.name)] = number(terms[term.value]);
  return object;
}

Json json(const RooflineOptions& options) {
  return {{"precision", enum_name(options.precision)},
          {"weights_efficiency", number(options.weights_efficiency)},
          {"kv_efficiency", number(options.kv_efficiency)},
          {"compute_efficiency", number(options.compute_efficiency)},
          {"step_ns", number(options.step_ns)},
          {"sequence_ns", number(options.sequence_ns)}};
}

Json json(const EagerAttentionOptions& options) {
  return {{"score_bytes", options.score_bytes},
          {"passes", options.passes},
          {"kernels", options.kernels}};
}

Json json(const FitProvenance& fit) {
  return {{"run", fit.run},
          {"form", fit.form},
          {"until_ns", fit.until.value()},
          {"intervals", fit.intervals},
          {"rounds", fit.rounds},
          {"converged", fit.converged},
          {"rms_ns", fit.rms.value()},
          {"predicted_rms_ns", fit.predicted_rms.value()}};
}

Json json(const FittedStepTime& fitted) {
  Json object = {{"model", fitted.model},
                 {"engine", fitted.engine},
                 {"decode", json(fitted.coefficients.decode)},
                 {"prefill", json(fitted.coefficients.prefill)},
                 {"cold_start_ns", fitted.cold_start.value()}};
  if (fitted.fit) object["fit"] = json(*fitted.fit);
  return object;
}

Json json(const KernelCosts& kernels) {
  Json object = {{"origin", enum_name(kernels.origin)}};
  for (const auto& [kernel, cost] : kernels.costs)
    object[std::string(enum_name(kernel))] = {{"launch_ns", number(cost.launch_ns)},
                                              {"unit_ns", number(cost.unit_ns)},
                                              {"samples", cost.samples},
                                              {"rms_share", number(cost.rms_share)},
                                              {"worst_share", number(cost.worst_share)}};
  return object;
}

}  // namespace

std::string to_text(const Device& device) {
  constexpr double tera = 1e12;
  Json out = {{"name", device.name}};
  if (device.memory) out["memory"] = device.memory->value();
  out["memory_bandwidth"] = device.memory_bandwidth.value();
  out["copy_bandwidth"] = device.copy_bandwidth.value();
  if (device.link_bandwidth) out["link_bandwidth"] = device.link_bandwidth->value();
  out["tflops"] = Json::object();
  for (const auto& [precision, rate] : device.flops)
    out["tflops"][std::string(enum_name(precision))] =
        number(static_cast<double>(rate.value()) / tera);
  out["launch_overhead_ns"] = device.launch_overhead.value();
  out["roofline"] = json(device.roofline);
  out["eager_attention"] = json(device.eager_attention);
  if (device.step_time) out["step_time"] = json(*device.step_time);
  if (device.kernels) out["kernels"] = json(*device.kernels);
  if (!device.sources.empty()) out["sources"] = device.sources;
  if (!device.unverified.empty()) out["unverified"] = device.unverified;
  return json_text(out);
}

}  // namespace vacancy
