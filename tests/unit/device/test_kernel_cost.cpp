// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "sim/device/device_file.hpp"
#include "sim/device/transfers.hpp"
#include "sim/units/error.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;

namespace {

/// Sizes over three orders of magnitude, each time off by a share drawn from [-noise, noise].
std::vector<KernelSample> measured(double launch_ns, double unit_ns, double noise,
                                   std::uint32_t seed = 1) {
  test::Random random(seed);
  std::vector<KernelSample> samples;
  for (double units = 1e6; units < 2e9; units *= 2) {
    const double share = noise * (2 * random.below(1001) / 1000.0 - 1);
    samples.push_back({units, (launch_ns + unit_ns * units) * (1 + share)});
  }
  return samples;
}

Device device_with(const KernelCosts& kernels) {
  Device device;
  device.name = "made";
  device.memory_bandwidth = device.copy_bandwidth = Bytes(1'000'000'000'000);
  device.launch_overhead = SimTime(4'000);
  device.flops[Precision::bf16] = FlopRate(1'000'000'000'000);
  device.kernels = kernels;
  return device;
}

}  // namespace

TEST_CASE("a line is found again in times without noise") {
  const KernelCost cost = fit_kernel_cost(measured(2'500, 2.5e-4, 0));
  CHECK(cost.launch_ns == Approx(2'500));
  CHECK(cost.unit_ns == Approx(2.5e-4));
  CHECK(cost.samples == 11);
  CHECK(cost.worst_share < 1e-9);
  CHECK(cost.ns(4e6) == Approx(3'500));
}

TEST_CASE("noise moves the line as little as it is, and shows in the residuals") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const KernelCost cost = fit_kernel_cost(measured(2'500, 2.5e-4, 0.05, seed));
    CHECK(cost.launch_ns == Approx(2'500).epsilon(0.1));
    CHECK(cost.unit_ns == Approx(2.5e-4).epsilon(0.1));
    CHECK(cost.rms_share > 0.005);
    CHECK(cost.rms_share <= cost.worst_share);
    CHECK(cost.worst_share < 0.11);
  }
}

TEST_CASE("small sizes count as much as large ones") {
  // Absolute residuals would leave the launch to whatever suits the largest size.
  std::vector<KernelSample> samples = measured(2'500, 2.5e-4, 0);
  samples.back().ns *= 1.05;
  CHECK(fit_kernel_cost(samples).launch_ns == Approx(2'500).epsilon(0.05));
}

TEST_CASE("neither a launch nor a unit costs less than nothing") {
  const std::vector<KernelSample> steep{{1e6, 100}, {2e6, 400}};
  CHECK(fit_kernel_cost(steep).launch_ns == 0);
  CHECK(fit_kernel_cost(steep).unit_ns > 0);
  const std::vector<KernelSample> falling{{1e6, 400}, {2e6, 100}};
  CHECK(fit_kernel_cost(falling).unit_ns == 0);
  CHECK(fit_kernel_cost(falling).launch_ns > 0);
}

TEST_CASE("copies and selections cost what the kernels' lines say") {
  const Device device = device_with({KernelOrigin::measured,
                                     {{EvictionKernel::move, {2'000, 0.5}},
                                      {EvictionKernel::score, {1'000, 0.25}},
                                      {EvictionKernel::select, {500, 2}}}});
  CHECK(copy_time(device, Bytes(1'001), 1) == SimTime(2'501));  // rounded up
  CHECK(copy_time(device, Bytes(0), 3) == SimTime(6'000));
  CHECK(selection_time(device, Bytes(4'000), 100) == SimTime(2'000 + 700));
  CHECK(selection_time(device, Bytes(0), 100) == SimTime(700));
}

TEST_CASE("without costs copies go by the rates, and selections cost nothing") {
  Device device = device_with({KernelOrigin::computed, {{EvictionKernel::select, {500, 2}}}});
  CHECK(copy_time(device, Bytes(1'000'000), 1) == SimTime(5'000));
  CHECK(selection_time(device, Bytes(4'000), 10) == SimTime(520));
  device.kernels.reset();
  CHECK(selection_time(device, Bytes(4'000), 10) == SimTime(0));
}

TEST_CASE("kernel costs are written and read back") {
  const Device device = device_with({KernelOrigin::computed,
                                     {{EvictionKernel::move, {2'500, 0.000233, 6, 0.001, 0.002}},
                                      {EvictionKernel::score, {2'500, 0.25, 6, 0, 0}}}});
  const std::string text = to_text(device);
  INFO(text);
  CHECK(device_from_text(text, "written.json") == device);
  CHECK_THAT(text, Catch::Contains("\"origin\": \"computed\""));
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return other;
  };
  CHECK_THROWS_WITH(device_from_text(broken("\"computed\"", "\"guessed\""), "made.json"),
                    Catch::Contains("/kernels/origin"));
  CHECK_THROWS_WITH(device_from_text(broken("\"score\"", "\"scores\""), "made.json"),
                    Catch::Contains("/kernels/scores: is not a key"));
  CHECK_THROWS_WITH(device_from_text(broken("\"unit_ns\": 0.25", "\"unit_ns\": -1"), "made.json"),
                    Catch::Contains("/kernels/score/unit_ns"));
  CHECK_THROWS_WITH(
      device_from_text(broken("\"rms_share\": 0.001", "\"rms_share\": 0.003"), "made.json"),
      Catch::Contains("/kernels/move/rms_share: is larger than worst_share"));
  CHECK_THROWS_WITH(device_from_text(R"({"name": "n", "memory_bandwidth": 1, "tflops": {"bf16": 1},
                                        "kernels": {"origin": "computed", "move": {}}})",
                                     "made.json"),
                    Catch::Contains("/kernels/move/unit_ns"));
}
