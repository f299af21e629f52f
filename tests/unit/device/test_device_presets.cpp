// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "sim/device/device_file.hpp"
#include "sim/units/error.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;

TEST_CASE("every file of the presets folder is built in, sorted, and nothing else") {
  std::set<std::string> files;
  const auto folder = test::source_dir() / "sim/device/presets";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.insert(entry.path().stem().string());
  CHECK(std::vector<std::string>(files.begin(), files.end()) == device_preset_names());
  for (const char* name : {"rtx-4090", "a100-80", "h100", "h200", "b200"})
    CHECK(files.contains(name));
}

TEST_CASE("every figure of every preset says where it comes from") {
  for (const std::string& name : device_preset_names()) {
    INFO(name);
    const Device device = device_preset(name);
    CHECK(device.memory);
    CHECK(device.link_bandwidth);
    CHECK(device.flops.contains(Precision::bf16));
    for (const char* key :
         {"memory", "memory_bandwidth", "link_bandwidth", "tflops", "launch_overhead_ns"}) {
      INFO(key);
      CHECK(device.sources.contains(key));
    }
    CHECK(device.sources.contains("step_time") == device.step_time.has_value());
  }
}

TEST_CASE("sizes are what the driver reports, rates are decimal") {
  const Device rtx = device_preset("rtx-4090");
  CHECK(rtx.memory == Bytes(25'250'627'584));  // below 24 GiB
  CHECK(rtx.memory_bandwidth == Bytes(1'008'000'000'000));
  CHECK(rtx.copy_bandwidth == rtx.memory_bandwidth);
  CHECK(rtx.flops.at(Precision::bf16) == FlopRate(165'200'000'000'000));
  CHECK(device_preset("h200").memory == Bytes(143'771ull << 20));
  CHECK(device_preset("h200").copy_bandwidth == Bytes(4'300'000'000'000));
}

TEST_CASE("devices of one family rise in bandwidth and rate") {
  const char* const names[] = {"a100-40", "a100-80", "h100", "h200", "b200"};
  for (std::size_t i = 1; i < std::size(names); ++i) {
    const Device slower = device_preset(names[i - 1]), faster = device_preset(names[i]);
    CHECK(slower.memory_bandwidth < faster.memory_bandwidth);
    CHECK(slower.flops.at(Precision::bf16) <= faster.flops.at(Precision::bf16));
  }
}

TEST_CASE("an unknown device is named, with a near name and all names") {
  CHECK_THROWS_WITH(device_preset("rtx4090"), Catch::Contains("no built-in device \"rtx4090\"") &&
                                                  Catch::Contains("Did you mean \"rtx-4090\"?") &&
                                                  Catch::Contains("a100-80"));
}

TEST_CASE("a preset's text reads back as that preset, and so does what is written of it") {
  for (const std::string& name : device_preset_names()) {
    INFO(name);
    const Device device = device_preset(name);
    CHECK(device_from_text(device_preset_text(name), "copy.json") == device);
    CHECK(device_from_text(to_text(device), "written.json") == device);
    CHECK(to_text(device_from_text(to_text(device), "written.json")) == to_text(device));
  }
}
