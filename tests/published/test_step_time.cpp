// SPDX-License-Identifier: Apache-2.0
// Published throughputs as step times. Sources: arXiv 2609.03430, triattention-ggml
// (T-4).
#include <catch2/catch.hpp>

#include "sim/device/device_file.hpp"
#include "sim/device/step_time_model.hpp"
#include "sim/model/model_file.hpp"

using namespace vacancy;

namespace {

StepWork decoding(std::uint32_t sequences, std::uint64_t context = 0) {
  StepWork work;
  work.decodes = sequences;
  work.decode_context = context;
  return work;
}

double tokens_per_second(SimTime step, std::uint32_t sequences) {
  return 1e9 * sequences / static_cast<double>(step.value());
}

}  // namespace

TEST_CASE("A-1, A-2: 9.5 ms and 0.415 ms for each resident sequence, Qwen3-4B on an H200") {
  Device device = device_preset("h200");
  device.step_time.emplace();
  device.step_time->coefficients.decode[StepTerm::step] = 9.5e6;
  device.step_time->coefficients.decode[StepTerm::decode] = 0.415e6;
  const StepTimeModel model(device, preset("qwen3-4b"));
  const auto rate = [&](std::uint32_t n) { return tokens_per_second(model.step(decoding(n)), n); };
  CHECK(rate(224) == Approx(2'188).epsilon(0.002));
  CHECK(rate(128) == Approx(2'046).epsilon(0.002));
  // The share that grows with the batch, and the rate that no batch exceeds.
  const double step = static_cast<double>(model.step(decoding(128)).value());
  CHECK(1 - 9.5e6 / step == Approx(0.848).margin(0.0005));
  CHECK(rate(100'000) / 2'046 == Approx(1.178).margin(0.001));
}

TEST_CASE("A-3: rounds that stall all residents, from the throughput of two policies") {
  const double tokens = 128 * 32'768.0;
  const double stalled = tokens * (1 / 1'303.0 - 1 / 1'819.0);
  CHECK(stalled == Approx(913).margin(0.5));
  CHECK(stalled / 61'568 * 1e3 == Approx(14.8).margin(0.05));
  // The rounds' own bytes explain none of it: at most 2 x 2,112 tokens of 163,840 B an event.
  const Device h200 = device_preset("h200");
  const double copied = 2 * 2'112 * 163'840.0 / static_cast<double>(h200.copy_bandwidth.value());
  CHECK(copied < 0.001);
}

TEST_CASE("T-4: a + c x KV bytes from the two ends predicts the middle within 5 %") {
  // One sequence of Qwen3-8B on an RX 7900 XTX; the context is the only thing that grows.
  const double contexts[] = {8'192, 16'384, 32'768, 65'536}, rates[] = {81.38, 70.56, 55.60, 39.04};
  Device device = device_preset("rx-7900-xtx");
  StepTerms& prices = device.step_time.emplace().coefficients.decode;
  prices[StepTerm::context_token] = (1e9 / rates[3] - 1e9 / rates[0]) / (contexts[3] - contexts[0]);
  prices[StepTerm::step] = 1e9 / rates[0] - prices[StepTerm::context_token] * contexts[0];
  const StepTimeModel model(device, preset("qwen3-8b"));
  for (const int middle : {1, 2}) {
    const auto context = static_cast<std::uint64_t>(contexts[middle]);
    CHECK(tokens_per_second(model.step(decoding(1, context)), 1) ==
          Approx(rates[middle]).epsilon(0.05));
  }
}
