// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/device/kernel_cost.hpp"
#include "sim/device/step_work.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// Formats that matrix units multiply, products of two such numbers summed in fp32 (int32 for
/// int8).
enum class Precision { fp32, tf32, bf16, fp8, int8, fp4 };

template <>
struct EnumNames<Precision> {
  static constexpr EnumName<Precision> table[] = {
      {Precision::fp32, "fp32"}, {Precision::tf32, "tf32"}, {Precision::bf16, "bf16"},
      {Precision::fp8, "fp8"},   {Precision::int8, "int8"}, {Precision::fp4, "fp4"}};
};

/// Operations per second, one multiplication and one addition being two.
using FlopRate = Quantity<struct FlopRateTag, std::uint64_t>;

/// How far a step stays below the figures of the device, where nothing was measured.
struct RooflineOptions {
  Precision precision = Precision::bf16;
  double weights_efficiency = 1;  // of memory_bandwidth, while weights are read
  double kv_efficiency = 1;       // of memory_bandwidth, while attention reads the cache
  double compute_efficiency = 1;  // of the precision's rate
  double step_ns = 0;             // overhead of a step
  double sequence_ns = 0;         // overhead of each sequence in it

  bool operator==(const RooflineOptions&) const = default;
};

/// Attention that writes its weights to memory, for policies that need to see them.
struct EagerAttentionOptions {
  std::uint32_t score_bytes = 2;  // one attention weight
  std::uint32_t passes = 4;       // writes and reads of each: QK^T, softmax in and out, PV
  std::uint32_t kernels = 3;      // launched per layer beyond those of fused attention

  bool operator==(const EagerAttentionOptions&) const = default;
};

/// Where fitted coefficients come from.
struct FitProvenance {
  std::string run;   // the measured run
  std::string form;  // StepTimeForm
  SimTime until;     // stamps up to here were used, from the first queued request on
  std::uint64_t intervals = 0, rounds = 0;
  bool converged = false;
  SimTime rms, predicted_rms;  // of the intervals used, and of the later ones

  bool operator==(const FitProvenance&) const = default;
};

/// Step times that were measured: they hold for one device, model and engine together.
struct FittedStepTime {
  std::string model, engine;
  StepTimeCoefficients coefficients;
  SimTime cold_start;  // the engine's loop stands still while it launches its first step
  std::optional<FitProvenance> fit;

  bool operator==(const FittedStepTime&) const = default;
};

/// The hardware that serves. Plain data; device_from_json() checks it. Rates are bytes a second.
struct Device {
  std::string name;
  std::optional<Bytes> memory;
  Bytes memory_bandwidth;
  Bytes copy_bandwidth;                 // read + written by copies inside the memory
  std::optional<Bytes> link_bandwidth;  // to the host, each direction
  std::map<Precision, FlopRate> flops;
  SimTime launch_overhead;  // of a kernel that does not hide behind another
  RooflineOptions roofline;
  EagerAttentionOptions eager_attention;
  std::optional<FittedStepTime> step_time;  // used instead of the roofline
  std::optional<KernelCosts> kernels;       // of an eviction, used instead of copy_bandwidth

  std::map<std::string, std::string> sources;  // key of the file to where its value comes from
  std::vector<std::string> unverified;         // keys that were not checked against the source

  bool operator==(const Device&) const = default;
};

}  // namespace vacancy
