// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "sim/device/device_file.hpp"
#include "sim/json/object_reader.hpp"
#include "sim/json/parse.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

// Far beyond any device, and low enough that no time or rate overflows.
constexpr double max_tflops = 1e6, max_term_ns = 1e12;
constexpr std::uint64_t max_time_ns = 1'000'000'000'000, max_count = 1'000'000'000;

constexpr std::array<FileKey, 13> keys{{
    {"name", "text", "Name shown to people."},
    {"sources", "object", "Where a key's value comes from: {\"memory_bandwidth\": \"…\"}."},
    {"unverified", "list of keys", "Keys whose values were not checked against their source."},
    {"memory", "bytes", "Size of the memory, as the driver reports it."},
    {"memory_bandwidth", "bytes per second", "Rate at which the memory is read."},
    {"copy_bandwidth", "bytes per second",
     "Bytes read and written per second by copies inside the memory; default: memory_bandwidth."},
    {"link_bandwidth", "bytes per second", "Link to the host, each direction."},
    {"tflops", "object",
     "Dense matrix rate in 10^12 operations per second for each of fp32, tf32, bf16, fp8, int8, "
     "fp4."},
    {"launch_overhead_ns", "integer", "What a kernel costs that does not hide behind another."},
    {"roofline", "object", "How far steps stay below these figures where nothing was measured."},
    {"eager_attention", "object", "Attention that writes its weights for a policy to see."},
    {"step_time", "object", "Measured step times of one model and engine, instead of a roofline."},
    {"kernels", "object", "What an eviction's kernels cost, by size: vacancy calibrate writes it."},
}};

template <std::size_t count>
constexpr std::array<std::string_view, count> key_list(const std::string_view (&names)[count]) {
  return std::to_array(names);
}

constexpr auto roofline_keys = key_list({"precision", "weights_efficiency", "kv_efficiency",
                                         "compute_efficiency", "step_ns", "sequence_ns"});
constexpr auto eager_keys = key_list({"score_bytes", "passes", "kernels"});
constexpr auto step_time_keys =
    key_list({"model", "engine", "decode", "prefill", "cold_start_ns", "fit"});
constexpr auto fit_keys = key_list(
    {"run", "form", "until_ns", "intervals", "rounds", "converged", "rms_ns", "predicted_rms_ns"});

constexpr auto kernel_cost_keys =
    key_list({"launch_ns", "unit_ns", "samples", "rms_share", "worst_share"});

SimTime time_in(ObjectReader& in, std::string_view key) {
  return SimTime(static_cast<std::int64_t>(in.integer(key, 0, max_time_ns).value_or(0)));
}

std::map<Precision, FlopRate> read_tflops(ObjectReader& in) {
  std::map<Precision, FlopRate> rates;
  if (!in.has("tflops")) in.missing("tflops", "an object such as {\"bf16\": 165.2}");
  auto object = in.object("tflops", "an object such as {\"bf16\": 165.2}");
  if (!object) return rates;
  std::array<std::string_view, std::size(EnumNames<Precision>::table)> names;
  std::ranges::transform(EnumNames<Precision>::table, names.begin(), &EnumName<Precision>::name);
  object->refuse_unknown(names);
  constexpr double tera = 1e12, least = 0.001;
  for (const auto& entry : EnumNames<Precision>::table)
    if (const auto rate = object->number(entry.name, least, max_tflops))
      rates[entry.value] = FlopRate(static_cast<std::uint64_t>(std::floor(*rate * tera + 0.5)));
  in.add(*object);
  return rates;
}

RooflineOptions read_roofline(ObjectReader& in) {
  RooflineOptions options;
  auto object = in.object("roofline");
  if (!object) return options;
  object->refuse_unknown(roofline_keys);
  if (const std::string name = object->text("precision"); !name.empty())
    options.precision = object->choice<Precision>("precision", name).value_or(options.precision);
  constexpr double least_efficiency = 0.001;
  const auto share = [&](std::string_view key, double& value) {
    value = object->number(key, least_efficiency, 1).value_or(value);
  };
  share("weights_efficiency", options.weights_efficiency);
  share("kv_efficiency", options.kv_efficiency);
  share("compute_efficiency", options.compute_efficiency);
  options.step_ns = object->number("step_ns", 0, max_term_ns).value_or(0);
  options.sequence_ns = object->number("sequence_ns", 0, max_term_ns).value_or(0);
  in.add(*object);
  return options;
}

EagerAttentionOptions read_eager(ObjectReader& in) {
  EagerAttentionOptions options;
  auto object = in.object("eager_attention");
  if (!object) return options;
  object->refuse_unknown(eager_keys);
  const auto count = [&](std::string_view key, std::uint32_t& value) {
    value = static_cast<std::uint32_t>(object->integer(key, 0, 1000).value_or(value));
  };
  count("score_bytes", options.score_bytes);
  count("passes", options.passes);
  count("kernels", options.kernels);
  in.add(*object);
  return options;
}

StepTerms read_terms(ObjectReader& in, std::string_view key) {
  StepTerms terms;
  if (!in.has(key)) in.missing(key, "an object such as {\"step_ns\": 16340000}");
  auto object = in.object(key);
  if (!object) return terms;
  std::array<std::string_view, StepTerms::count> names;
  std::ranges::transform(EnumNames<StepTerm>::table, names.begin(), &EnumName<StepTerm>::name);
  object->refuse_unknown(names);
  for (const auto& term : EnumNames<StepTerm>::table)
    terms[term.value] = object->number(term.name, -max_term_ns, max_term_ns).value_or(0);
  in.add(*object);
  return terms;
}

std::optional<FitProvenance> read_fit(ObjectReader& in) {
  auto object = in.object("fit");
  if (!object) return std::nullopt;
  object->refuse_unknown(fit_keys);
  FitProvenance fit;
  fit.run = object->text("run");
  fit.form = object->text("form");
  fit.until = time_in(*object, "until_ns");
  fit.intervals = object->integer("intervals", 0, max_count).value_or(0);
  fit.rounds = object->integer("rounds", 0, max_count).value_or(0);
  fit.converged = object->boolean("converged").value_or(false);
  fit.rms = time_in(*object, "rms_ns");
  fit.predicted_rms = time_in(*object, "predicted_rms_ns");
  in.add(*object);
  return fit;
}

std::optional<FittedStepTime> read_step_time(ObjectReader& in) {
  auto object = in.object("step_time");
  if (!object) return std::nullopt;
  object->refuse_unknown(step_time_keys);
  FittedStepTime fitted;
  fitted.model = object->text("model");
  fitted.engine = object->text("engine");
  fitted.coefficients.decode = read_terms(*object, "decode");
  fitted.coefficients.prefill = read_terms(*object, "prefill");
  for (const StepTerm term : {StepTerm::prefill_token, StepTerm::attention_pair})
    if (fitted.coefficients.decode[term] != 0)
      object->fault("decode", "has " + std::string(enum_name(term)) +
                                  ", which a step without prefill never pays; move it to prefill.");
  fitted.cold_start = time_in(*object, "cold_start_ns");
  fitted.fit = read_fit(*object);
  in.add(*object);
  return fitted;
}

std::optional<KernelCosts> read_kernels(ObjectReader& in) {
  auto object = in.object("kernels");
  if (!object) return std::nullopt;
  std::vector<std::string_view> names{"origin"};
  for (const auto& kernel : EnumNames<EvictionKernel>::table)
    names.push_back(kernel.name);
  object->refuse_unknown(names);
  KernelCosts kernels;
  if (!object->has("origin")) object->missing("origin", "\"measured\" or \"computed\"");
  if (const std::string origin = object->text("origin"); !origin.empty())
    kernels.origin = object->choice<KernelOrigin>("origin", origin).value_or(kernels.origin);
  for (const auto& kernel : EnumNames<EvictionKernel>::table) {
    auto one = object->object(kernel.name);
    if (!one) continue;
    one->refuse_unknown(kernel_cost_keys);
    KernelCost& cost = kernels.costs[kernel.value];
    if (!one->has("unit_ns")) one->missing("unit_ns", "the nanoseconds of a byte or a score");
    cost.launch_ns = one->number("launch_ns", 0, max_term_ns).value_or(0);
    cost.unit_ns = one->number("unit_ns", 0, max_term_ns).value_or(0);
    cost.samples = one->integer("samples", 0, max_count).value_or(0);
    cost.rms_share = one->number("rms_share", 0, max_term_ns).value_or(0);
    cost.worst_share = one->number("worst_share", 0, max_term_ns).value_or(0);
    if (cost.rms_share > cost.worst_share)
      one->fault("rms_share", "is larger than worst_share; the root of the mean square never is.");
    object->add(*one);
  }
  in.add(*object);
  return kernels;
}

void read_notes(ObjectReader& in, Device& device) {
  const auto check = [&](std::string_view list, const std::string& key) {
    if (!in.has(key)) in.fault(list, "\"" + key.substr(0, 60) + "\" is not in this device.");
  };
  device.unverified = in.texts("unverified");
  for (const std::string& key : device.unverified)
    check("unverified", key);
  auto sources = in.object("sources", "an object of texts");
  if (!sources) return;
  for (const auto& [key, value] : in["sources"].items()) {
    check("sources", key);
    device.sources[key] = sources->text(key);
  }
  in.add(*sources);
}

}  // namespace

std::span<const FileKey> device_keys() {
  return keys;
}

Device device_from_json(const nlohmann::json& object, const std::string& place) {
  ObjectReader in(object, place, "an object that describes a device, such as the built-in ones");
  in.finish();
  std::array<std::string_view, keys.size()> names;
  std::ranges::transform(keys, names.begin(), &FileKey::name);
  in.refuse_unknown(names);

  Device device;
  device.name = in.label("name", "the device");
  device.memory = in.bytes("memory");
  if (!in.has("memory_bandwidth")) in.missing("memory_bandwidth", "bytes per second");
  device.memory_bandwidth = in.bandwidth("memory_bandwidth").value_or(Bytes(1));
  device.copy_bandwidth = in.bandwidth("copy_bandwidth").value_or(device.memory_bandwidth);
  device.link_bandwidth = in.bandwidth("link_bandwidth");
  device.flops = read_tflops(in);
  device.launch_overhead = time_in(in, "launch_overhead_ns");
  device.roofline = read_roofline(in);
  if (in.faults().empty() && !device.flops.contains(device.roofline.precision))
    in.fault("tflops", "has no rate for " + std::string(enum_name(device.roofline.precision)) +
                           ", in which roofline.precision has steps computed; add it or choose "
                           "another precision.");
  device.eager_attention = read_eager(in);
  device.step_time = read_step_time(in);
  device.kernels = read_kernels(in);
  read_notes(in, device);
  in.finish();
  return device;
}

Device device_from_text(std::string_view text, const std::string& file) {
  return device_from_json(parse_strict(text, file), file + ": ");
}

}  // namespace vacancy
