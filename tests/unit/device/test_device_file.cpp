// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/device/device_file.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;
using Catch::Contains;
using nlohmann::json;

namespace {

json valid() {
  return {{"memory_bandwidth", "1 TB/s"}, {"tflops", {{"bf16", 100}}}};
}

json fitted() {
  auto object = valid();
  object["step_time"] = {{"decode", {{"step_ns", 100}}}, {"prefill", {{"step_ns", 200}}}};
  return object;
}

Device read(const json& object) {
  return device_from_json(object, "my_gpu.json: ");
}

std::string fault_of(const json& object) {
  try {
    read(object);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("two figures describe a plain device") {
  const Device device = read(valid());
  CHECK(device.memory_bandwidth == Bytes(1'000'000'000'000));
  CHECK(device.copy_bandwidth == device.memory_bandwidth);
  CHECK_FALSE(device.link_bandwidth);
  CHECK_FALSE(device.memory);
  CHECK_FALSE(device.step_time);
  CHECK(device.roofline == RooflineOptions{});
}

TEST_CASE("every key of a device has one fault that is found, placed and explained") {
  struct Row {
    const char* pointer;
    json value;
    const char* sentence;
  };
  const Row rows[] = {
      {"/memory", "80 gigs", "/memory: \"80 gigs\" is not a size"},
      {"/memory_bandwidth", "1 TB", "/memory_bandwidth: expected bytes per second"},
      {"/memory_bandwidth", 0, "/memory_bandwidth: expected bytes per second"},
      {"/copy_bandwidth", -1, "/copy_bandwidth: expected bytes per second"},
      {"/link_bandwidth", 1.5, "/link_bandwidth: expected bytes per second"},
      {"/tflops", 100, "/tflops: expected an object such as"},
      {"/tflops/bf61", 100, "/tflops/bf61: is not a key of this object. Did you mean \"bf16\"?"},
      {"/tflops/fp8", 0, "/tflops/fp8: expected a number"},
      {"/tflops/fp8", "fast", "/tflops/fp8: expected a number"},
      {"/launch_overhead_ns", 1.5, "/launch_overhead_ns: expected an integer"},
      {"/roofline", true, "/roofline: expected an object"},
      {"/roofline/precision", "fp4", "/tflops: has no rate for fp4"},
      {"/roofline/precision", "fp16", "\"fp16\" is none of fp32, tf32, bf16"},
      {"/roofline/weights_efficiency", 1.5, "/roofline/weights_efficiency: expected a number"},
      {"/roofline/kv_efficiency", 0, "/roofline/kv_efficiency: expected a number"},
      {"/roofline/compute_efficency", 1, "Did you mean \"compute_efficiency\"?"},
      {"/roofline/step_ns", -1, "/roofline/step_ns: expected a number"},
      {"/roofline/sequence_ns", "2 ms", "/roofline/sequence_ns: expected a number"},
      {"/eager_attention/passes", -1, "/eager_attention/passes: expected an integer"},
      {"/eager_attention/pass", 1, "/eager_attention/pass: is not a key"},
      {"/step_time/decode", 5, "/step_time/decode: expected an object"},
      {"/step_time/decode/step", 5, "/step_time/decode/step: is not a key"},
      {"/step_time/decode/step_ns", "5", "/step_time/decode/step_ns: expected a number"},
      {"/step_time/decode/prefill_token_ns", 5, "which a step without prefill never pays"},
      {"/step_time/cold_start_ns", -5, "/step_time/cold_start_ns: expected an integer"},
      {"/step_time/model", 5, "/step_time/model: expected text"},
      {"/step_time/fit/converged", 1, "/step_time/fit/converged: expected true or false"},
      {"/step_time/fit/round", 1, "Did you mean \"rounds\"?"},
      {"/sources/memory_bandwidth", 5, "/sources/memory_bandwidth: expected text"},
      {"/sources/memory", "x", "/sources: \"memory\" is not in this device"},
      {"/sources", "x", "/sources: expected an object of texts"},
      {"/unverified", {"flops"}, "/unverified: \"flops\" is not in this device"},
      {"/name", 5, "/name: expected text"},
      {"/bandwidth", 5, "/bandwidth: is not a key of this object"},
  };
  for (const Row& row : rows) {
    auto object = fitted();
    object[json::json_pointer(row.pointer)] = row.value;
    const std::string fault = fault_of(object);
    INFO(row.pointer << " = " << row.value << "\n" << fault);
    CHECK_THAT(fault, Contains("my_gpu.json: /") && Contains(row.sentence));
  }
}

TEST_CASE("each required key of a device is missed by name") {
  for (const char* key : {"memory_bandwidth", "tflops"}) {
    auto object = valid();
    object.erase(key);
    CHECK_THAT(fault_of(object), Contains(std::string("/") + key + ": is missing"));
  }
  auto object = fitted();
  object["step_time"].erase("prefill");
  CHECK_THAT(fault_of(object), Contains("/step_time/prefill: is missing"));
}

TEST_CASE("all faults of a device are reported together, a line each") {
  auto object = fitted();
  object["memory"] = "x";
  object["step_time"]["decode"]["step_ns"] = "x";
  object["colour"] = "red";
  const std::string fault = fault_of(object);
  CHECK(std::count(fault.begin(), fault.end(), '\n') == 2);
}

TEST_CASE("what is no device at all is refused") {
  for (const json& object : {json(nullptr), json(3), json("h100"), json::array()})
    CHECK_THAT(fault_of(object), Contains("expected an object that describes a device"));
  CHECK_THROWS_WITH(device_from_text("{", "my_gpu.json"), Contains("my_gpu.json: is not JSON"));
}

TEST_CASE("a fitted device is written complete and reads back the same") {
  Device device = read(fitted());
  device.name = "Ünïcode \"quoted\"";
  device.memory = Bytes(1);
  device.link_bandwidth = Bytes(123'456'789);
  device.flops[Precision::fp8] = FlopRate(330'300'000'000'000);
  device.launch_overhead = SimTime(4'321);
  device.roofline.kv_efficiency = 0.6;
  device.roofline.step_ns = 0.1;
  device.eager_attention.passes = 5;
  FittedStepTime& fit = *device.step_time;
  fit.coefficients.decode[StepTerm::context_token] = 125.87654321;
  fit.coefficients.prefill[StepTerm::attention_pair] = -1.0 / 3;
  fit.cold_start = SimTime(387'000'000);
  fit.fit = FitProvenance{"run", "s10", SimTime(92'000'000'000), 223,
                          5,     true,  SimTime(5'500'000),      SimTime(33'000'000)};
  device.sources["memory"] = "a label";
  device.unverified = {"memory"};
  const std::string text = to_text(device);
  INFO(text);
  CHECK(device_from_text(text, "written.json") == device);
  CHECK_THAT(text, Contains("\"fp8\": 330.3") && Contains("\"intervals\": 223"));
}

TEST_CASE("the table of device keys names each key once, with help") {
  std::vector<std::string_view> seen;
  for (const FileKey& key : device_keys()) {
    CHECK_FALSE(key.type.empty());
    CHECK(key.help.back() == '.');
    CHECK(std::find(seen.begin(), seen.end(), key.name) == seen.end());
    seen.push_back(key.name);
  }
}

TEST_CASE("no mutation of a device's bytes crashes the reader") {
  const std::string text(device_preset_text("rtx-4090-llama-3.1-8b"));
  const auto attempt = [](const std::string& changed) {
    try {
      device_from_text(changed, "x.json");
    } catch (const UserError&) {
      return;
    }
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char byte : {'\0', '9', '-', '"', '{', 'e', '\xff'}) {
      std::string changed = text;
      changed[i] = byte;
      attempt(changed);
    }
    attempt(text.substr(0, i));
  }
  CHECK_NOTHROW(device_from_text(text, "x.json"));
}
