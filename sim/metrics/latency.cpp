// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/latency.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace vacancy {
namespace {

std::optional<std::int64_t> between(SimTime from, const std::optional<SimTime>& to) {
  return to ? std::optional((*to - from).value()) : std::nullopt;
}

template <class Value, class Get>
Distribution describe_each(std::span<const RequestTimes> requests, Get get) {
  std::vector<Sample<Value>> samples;
  for (const RequestTimes& request : requests)
    if (const std::optional<Value> value = (request.*get)()) samples.push_back({*value, 1});
  return describe(std::move(samples));
}

/// Independent of the locale; a fraction in its shortest form.
class CsvRow {
 public:
  explicit CsvRow(std::string& out) : out_(out) {}
  ~CsvRow() { out_ += '\n'; }
  CsvRow(const CsvRow&) = delete;
  CsvRow& operator=(const CsvRow&) = delete;

  template <class Number>
  CsvRow& operator<<(Number value) {
    std::array<char, 32> text;
    separate();
    out_.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
    return *this;
  }
  CsvRow& operator<<(SimTime time) { return *this << time.value(); }
  template <class Value>
  CsvRow& operator<<(const std::optional<Value>& value) {
    if (value) return *this << *value;
    separate();
    return *this;
  }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

}  // namespace

std::optional<std::int64_t> RequestTimes::ttft() const {
  return between(queued, first_token);
}

std::optional<std::int64_t> RequestTimes::queue() const {
  return between(queued, first_scheduled);
}

std::optional<std::int64_t> RequestTimes::e2e() const {
  return completed ? between(queued, last_token) : std::nullopt;
}

std::optional<double> RequestTimes::tpot() const {
  if (!completed || output_tokens < 2 || !first_token || !last_token) return std::nullopt;
  return static_cast<double>((*last_token - *first_token).value()) /
         static_cast<double>(output_tokens - 1);
}

void IntervalSamples::add(SimTime interval, std::uint64_t count) {
  if (!samples_.empty() && samples_.back().value == interval.value())
    samples_.back().count += count;
  else
    samples_.push_back({interval.value(), count});
}

LatencyFigures latency_figures(std::span<const RequestTimes> requests, const IntervalSamples& itl) {
  LatencyFigures figures;
  figures.ttft = describe_each<std::int64_t>(requests, &RequestTimes::ttft);
  figures.tpot = describe_each<double>(requests, &RequestTimes::tpot);
  figures.itl = describe(itl.samples());
  figures.e2e = describe_each<std::int64_t>(requests, &RequestTimes::e2e);
  figures.queue = describe_each<std::int64_t>(requests, &RequestTimes::queue);
  return figures;
}

ThroughputFigures throughput_figures(std::span<const RequestTimes> requests) {
  ThroughputFigures figures;
  if (requests.empty()) return figures;
  SimTime first = requests.front().queued, last = first;
  for (const RequestTimes& request : requests) {
    first = std::min(first, request.queued);
    last = std::max({last, request.queued, request.last_token.value_or(request.queued)});
    figures.completed += request.completed ? 1 : 0;
    figures.prompt_tokens += request.first_token ? request.prompt_tokens : 0;
    figures.output_tokens += request.output_tokens;
  }
  figures.makespan = last - first;
  return figures;
}

namespace {

std::optional<double> per_second(std::uint64_t count, SimTime time) {
  constexpr double ns_per_second = 1e9;
  if (time.value() <= 0) return std::nullopt;
  return static_cast<double>(count) * ns_per_second / static_cast<double>(time.value());
}

}  // namespace

std::optional<double> ThroughputFigures::requests_per_second() const {
  return per_second(completed, makespan);
}

std::optional<double> ThroughputFigures::prompt_tokens_per_second() const {
  return per_second(prompt_tokens, makespan);
}

std::optional<double> ThroughputFigures::output_tokens_per_second() const {
  return per_second(output_tokens, makespan);
}

std::string request_csv(std::span<const RequestTimes> requests) {
  std::string out =
      "id,arrival_ns,queued_ns,first_scheduled_ns,first_token_ns,last_token_ns,prompt_tokens,"
      "output_tokens,completed,preemptions,recomputed_tokens,hit_tokens_first_admission,"
      "hit_tokens_readmission,queue_ns,ttft_ns,tpot_ns,e2e_ns\n";
  for (const RequestTimes& r : requests)
    CsvRow(out) << r.id << r.arrival << r.queued << r.first_scheduled << r.first_token
                << r.last_token << r.prompt_tokens << r.output_tokens << int{r.completed}
                << r.preemptions << r.recomputed_tokens << r.hit_tokens_first_admission
                << r.hit_tokens_readmission << r.queue() << r.ttft() << r.tpot() << r.e2e();
  return out;
}

}  // namespace vacancy
