// SPDX-License-Identifier: Apache-2.0
#include "sim/device/step_time_model.hpp"

#include <algorithm>
#include <cmath>

#include "sim/units/overloaded.hpp"

namespace vacancy {
namespace {

constexpr double ns_per_second = 1e9;

double ns_per_byte(Bytes bytes_per_second, double efficiency) {
  return ns_per_second / (static_cast<double>(bytes_per_second.value()) * efficiency);
}

/// To the nearest nanosecond; times beyond a century are cut off there.
SimTime rounded(double ns) {
  constexpr double century = 100 * 365.25 * 86'400 * ns_per_second;
  if (!(ns > 0)) return SimTime(0);
  return SimTime(static_cast<std::int64_t>(std::floor(std::min(ns, century) + 0.5)));
}

/// In the order of the terms, so that the sum has one rounding everywhere.
double cost(const StepTerms& prices, const StepTerms& counts) {
  double sum = 0;
  for (const auto& term : EnumNames<StepTerm>::table)
    sum += prices[term.value] * counts[term.value];
  return sum;
}

}  // namespace

SimTime step_time(const StepTimeCoefficients& coefficients, const StepWork& work) {
  return rounded(cost(coefficients.of(work), terms_of(work)));
}

StepTimeModel::Roofline StepTimeModel::roofline(const Device& device, const ModelGeometry& model) {
  const RooflineOptions& options = device.roofline;
  const auto rate = device.flops.find(options.precision);
  VACANCY_ASSERT(rate != device.flops.end(), "a device has the rate of its roofline's precision");
  const double ns_per_flop =
      ns_per_second / (static_cast<double>(rate->second.value()) * options.compute_efficiency);

  Roofline result;
  result.work = model_work(model);
  const auto flops_ns = [&](std::uint64_t flops) {
    return static_cast<double>(flops) * ns_per_flop;
  };
  result.ns_per_weight_byte = ns_per_byte(device.memory_bandwidth, options.weights_efficiency);
  result.decode_compute_ns =
      flops_ns(result.work.layer_flops_per_token + result.work.output_flops_per_sample);
  result.sequence_ns = options.sequence_ns;
  result.terms[StepTerm::step] = options.step_ns;
  result.terms[StepTerm::prefill_token] = flops_ns(result.work.layer_flops_per_token);
  const auto read_ns = [&](Bytes bytes) {
    return static_cast<double>(bytes.value()) *
           ns_per_byte(device.memory_bandwidth, options.kv_efficiency);
  };
  result.terms[StepTerm::attention_pair] = flops_ns(result.work.full.flops_per_pair);
  result.terms[StepTerm::context_token] = read_ns(result.work.full.kv_bytes_per_token);
  result.window_pair_ns = flops_ns(result.work.sliding.flops_per_pair);
  result.window_token_ns = read_ns(result.work.sliding.kv_bytes_per_token);
  return result;
}

SimTime StepTimeModel::Roofline::step(const StepWork& step) const {
  const std::uint64_t tokens = step.prefill_tokens + step.decodes;
  const double weights =
      static_cast<double>(work.weights_read(tokens).value()) * ns_per_weight_byte;
  const double decoding = static_cast<double>(step.decodes) * decode_compute_ns;
  const double windows = window_pair_ns * static_cast<double>(step.twice_window_attention) / 2 +
                         window_token_ns * static_cast<double>(step.decode_window);
  return rounded(std::max(weights, decoding) + cost(terms, terms_of(step)) + windows +
                 sequence_ns * static_cast<double>(step.sequences()));
}

StepTimeCoefficients roofline_coefficients(const Device& device, const ModelGeometry& model) {
  const auto roofline = StepTimeModel::roofline(device, model);
  StepTerms terms = roofline.terms;
  // A fit has no terms of their own for sliding layers.
  terms[StepTerm::attention_pair] += roofline.window_pair_ns;
  terms[StepTerm::context_token] += roofline.window_token_ns;
  terms[StepTerm::step] +=
      static_cast<double>(roofline.work.weights.value()) * roofline.ns_per_weight_byte;
  terms[StepTerm::decode] = roofline.sequence_ns;
  StepTimeCoefficients coefficients{terms, terms};
  coefficients.decode[StepTerm::prefill_token] = 0;
  coefficients.decode[StepTerm::attention_pair] = 0;
  return coefficients;
}

StepTimeModel::StepTimeModel(const Device& device, const ModelGeometry& model) {
  if (device.step_time)
    step_ = device.step_time->coefficients;
  else
    step_ = roofline(device, model);

  const EagerAttentionOptions& eager = device.eager_attention;
  const double heads = static_cast<double>(model.kv_layers()) * model.query_heads;
  eager_pair_ns_ =
      heads * eager.score_bytes * eager.passes * ns_per_byte(device.memory_bandwidth, 1);
  eager_step_ns_ =
      static_cast<double>(device.launch_overhead.value()) * eager.kernels * model.kv_layers();
}

SimTime StepTimeModel::step(const StepWork& work) const {
  return std::visit(
      Overloaded{[&](const StepTimeCoefficients& fitted) { return step_time(fitted, work); },
                 [&](const Roofline& roofline) { return roofline.step(work); }},
      step_);
}

SimTime StepTimeModel::eager_attention(const StepWork& work) const {
  if (work.sequences() == 0) return SimTime(0);
  const StepTerms counts = terms_of(work);
  const double pairs = counts[StepTerm::attention_pair] + counts[StepTerm::context_token];
  return rounded(eager_step_ns_ + pairs * eager_pair_ns_);
}

}  // namespace vacancy
