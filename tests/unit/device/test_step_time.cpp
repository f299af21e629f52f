// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/device/device_file.hpp"
#include "sim/device/step_time_model.hpp"
#include "sim/model/model_file.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

namespace {

Device plain_device() {
  Device device;
  device.memory_bandwidth = device.copy_bandwidth = Bytes(1'000'000'000'000);
  device.flops[Precision::bf16] = FlopRate(100'000'000'000'000);
  return device;
}

/// `decodes` sequences that share `context` tokens evenly, but for the longest.
StepWork decode_step(std::uint32_t decodes, std::uint64_t context, std::uint32_t longest) {
  StepWork work;
  work.decodes = decodes;
  work.decode_context = context;
  work.longest_context = longest;
  return work;
}

double ms(SimTime time) {
  return static_cast<double>(time.value()) / 1e6;
}

}  // namespace

TEST_CASE("a step counts chunks and decodes as rtx4090_run §3 defines p, A, K, n and X") {
  StepWork work;
  work.add_chunk(100, 50);  // A: 50 (100 + 25)
  work.add_chunk(0, 10);    // A: 10 · 5
  work.add_decode(70);
  work.add_decode(200);
  CHECK(work.prefill_tokens == 60);
  CHECK(work.twice_attention == 2 * (50 * 125 + 10 * 5));
  CHECK(work.decode_context == 270);
  CHECK(work.decodes == 2);
  CHECK(work.chunks == 2);
  CHECK(work.longest_context == 200);
  const StepTerms terms = terms_of(work);
  CHECK(terms[StepTerm::step] == 1);
  CHECK(terms[StepTerm::attention_pair] == 6'300);
  StepWork odd;
  odd.add_chunk(0, 3);
  CHECK(terms_of(odd)[StepTerm::attention_pair] == 4.5);
  CHECK(odd.longest_context == 3);
}

TEST_CASE("a sliding layer's queries see their window, themselves included") {
  StepWork work;
  work.window = 100;
  work.add_decode(70);   // all
  work.add_decode(101);  // the first token is out
  CHECK(work.decode_window == 170);
  work.add_chunk(60, 50);  // 40 that see all, 10 that see 100
  CHECK(work.twice_window_attention == 40 * (2 * 60 + 40) + 2 * 10 * 100);
  work.twice_window_attention = 0;
  work.add_chunk(500, 7);
  CHECK(work.twice_window_attention == 2 * 7 * 100);
  work.twice_window_attention = 0;
  work.add_chunk(20, 30);
  CHECK(work.twice_window_attention == 30 * (2 * 20 + 30));
}

TEST_CASE("gpt-oss reads half of its layers at full length and a window of the others") {
  const ModelGeometry model = preset("gpt-oss-20b");
  const StepTimeModel roofline(plain_device(), model);
  const auto decode = [&](std::uint32_t context) {
    StepWork work;
    work.window = model.window;
    work.add_decode(context);
    return roofline.step(work);
  };
  // 12 of 24 layers, K and V of 8 heads of 64 values in bf16, at 1 TB/s: ns.
  const double token_ns = 12 * 2 * 8 * 64 * 2 / 1'000.0;
  const auto more = [](SimTime a, SimTime b) { return static_cast<double>((b - a).value()); };
  CHECK(more(decode(128), decode(10'128)) == Approx(10'000 * token_ns).margin(2));
  CHECK(more(decode(28), decode(128)) == Approx(2 * 100 * token_ns).margin(2));
}

TEST_CASE("fitted coefficients: each term is paid by its own kind of step") {
  StepTimeCoefficients prices;
  prices.decode[StepTerm::step] = 1'000;
  prices.decode[StepTerm::context_token] = 3;
  prices.decode[StepTerm::longest_token] = 5;
  prices.decode[StepTerm::decode] = 7;
  prices.prefill[StepTerm::step] = 2'000;
  prices.prefill[StepTerm::prefill_token] = 11;
  prices.prefill[StepTerm::attention_pair] = 0.5;
  prices.prefill[StepTerm::decode] = 13;

  CHECK(step_time(prices, decode_step(2, 30, 20)) == SimTime(1'000 + 90 + 100 + 14));
  StepWork mixed = decode_step(2, 30, 20);
  mixed.add_chunk(10, 4);  // 4 · 12 pairs
  CHECK(step_time(prices, mixed) == SimTime(2'000 + 44 + 24 + 26));
}

TEST_CASE("step times are rounded to the nearest nanosecond and never negative") {
  StepTimeCoefficients prices;
  const auto rounded = [&](double ns) {
    prices.decode[StepTerm::step] = ns;
    return step_time(prices, decode_step(1, 1, 1)).value();
  };
  CHECK(rounded(0.49) == 0);
  CHECK(rounded(0.5) == 1);
  CHECK(rounded(1.5) == 2);
  CHECK(rounded(-5) == 0);
  CHECK(rounded(1e300) > 0);
}

TEST_CASE("the RTX 4090's roofline for Llama-3.1-8B: 14.89 + 84.5 p + 0.130 K + 3.17 A") {
  const StepTimeCoefficients line =
      roofline_coefficients(device_preset("rtx-4090"), preset("llama-3.1-8b"));
  CHECK(line.decode[StepTerm::step] / 1e6 == Approx(14.89).margin(0.005));
  CHECK(line.decode[StepTerm::context_token] / 1e3 == Approx(0.130).margin(0.0005));
  CHECK(line.prefill[StepTerm::step] == line.decode[StepTerm::step]);
  CHECK(line.prefill[StepTerm::prefill_token] / 1e3 == Approx(84.5).margin(0.05));
  CHECK(line.prefill[StepTerm::attention_pair] == Approx(3.17).margin(0.005));
  CHECK(line.decode[StepTerm::prefill_token] == 0);
  CHECK(line.decode[StepTerm::attention_pair] == 0);
}

TEST_CASE("below the turning point a roofline is its linear part") {
  Device device = device_preset("rtx-4090");
  device.roofline.step_ns = 1'000;
  device.roofline.sequence_ns = 500;
  const ModelGeometry model = preset("llama-3.1-8b");
  const StepTimeModel roofline(device, model);
  const StepTimeCoefficients line = roofline_coefficients(device, model);
  for (const std::uint32_t decodes : {1u, 49u}) {
    const StepWork work = decode_step(decodes, 41'000, 4'000);
    CHECK(roofline.step(work) == step_time(line, work));
  }
  StepWork mixed = decode_step(20, 30'000, 4'000);
  mixed.add_chunk(500, 1'500);
  CHECK(roofline.step(mixed) == step_time(line, mixed) + SimTime(500));  // the chunk's sequence
}

TEST_CASE("a roofline counts the computing of decodes once it outlasts the weights") {
  const ModelGeometry model = preset("llama-3.1-8b");
  const Device device = plain_device();
  const StepTimeModel roofline(device, model);
  // 15.01 GB at 1 TB/s against 15.01 GFLOP a token at 100 TFLOP/s: even at 100 sequences.
  CHECK(ms(roofline.step(decode_step(1, 0, 0))) == Approx(15.009).margin(0.001));
  CHECK(roofline.step(decode_step(99, 0, 0)) == roofline.step(decode_step(1, 0, 0)));
  CHECK(ms(roofline.step(decode_step(200, 0, 0))) == Approx(2 * 15.009).margin(0.001));
}

TEST_CASE("a roofline's shares and overheads act where they say") {
  const ModelGeometry model = preset("llama-3.1-8b");
  Device device = plain_device();
  const StepWork decode = decode_step(10, 10'000, 1'000);
  const double before = ms(StepTimeModel(device, model).step(decode));
  device.roofline.step_ns = 1e6;
  device.roofline.sequence_ns = 1e5;
  CHECK(ms(StepTimeModel(device, model).step(decode)) == Approx(before + 2));
  device.roofline = {};
  device.roofline.kv_efficiency = 0.5;
  CHECK(ms(StepTimeModel(device, model).step(decode)) == Approx(before + 1.31072));
  device.roofline = {};
  device.roofline.weights_efficiency = 0.5;
  CHECK(ms(StepTimeModel(device, model).step(decode)) == Approx(before + 15.009317).margin(1e-4));
}

TEST_CASE("a measured decode step with the pool full: 24.7 ms, and more with one long sequence") {
  const StepTimeModel model(device_preset("rtx-4090-llama-3.1-8b"), preset("llama-3.1-8b"));
  CHECK(ms(model.step(decode_step(33, 41'392, 2'300))) == Approx(24.7).margin(0.2));
  CHECK(ms(model.step(decode_step(33, 41'392, 4'300))) == Approx(26.5).margin(0.7));
}

TEST_CASE("a fitted device serves a model of unknown weights, a roofline refuses it") {
  const ModelGeometry jamba = preset("jamba-1.5-mini");
  CHECK_NOTHROW(StepTimeModel(device_preset("rtx-4090-llama-3.1-8b"), jamba));
  CHECK_THROWS_AS(StepTimeModel(device_preset("rtx-4090"), jamba), UserError);
}

TEST_CASE("eager attention pays for each weight that it writes and for its kernels") {
  const ModelGeometry model = preset("llama-3.1-8b");  // 32 layers of 32 heads
  Device device = plain_device();
  device.launch_overhead = SimTime(5'000);
  const StepTimeModel times(device, model);
  const double kernels = 3 * 32 * 5'000;
  StepWork work = decode_step(4, 8'000, 2'000);
  CHECK(times.eager_attention(work).value() ==
        Approx(kernels + 8'000 * 1'024 * 2.0 * 4 / 1'000).margin(1));
  work.add_chunk(0, 2'048);
  CHECK(times.eager_attention(work).value() ==
        Approx(kernels + (8'000 + 2'048.0 * 1'024) * 1'024 * 8 / 1'000).margin(1));
  CHECK(times.eager_attention(StepWork{}) == SimTime(0));
}
