// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace vacancy {

namespace {

/// Between the neighbours of rank percent / 100 · (n - 1); one rounding where the result is whole.
double percentile(const std::vector<std::uint32_t>& sorted, std::uint64_t percent) {
  const std::uint64_t rank = percent * (sorted.size() - 1);
  const std::size_t below = rank / 100, above = std::min(below + 1, sorted.size() - 1);
  const std::uint64_t share = rank % 100;
  return static_cast<double>(sorted[below] * (100 - share) + sorted[above] * share) / 100;
}

LengthFigures length_figures(std::vector<std::uint32_t> lengths) {
  LengthFigures figures;
  if (lengths.empty()) return figures;
  std::sort(lengths.begin(), lengths.end());
  for (const std::uint32_t length : lengths)
    figures.sum += length;
  figures.minimum = lengths.front();
  figures.maximum = lengths.back();
  figures.mean = static_cast<double>(figures.sum) / static_cast<double>(lengths.size());
  figures.p50 = percentile(lengths, 50);
  figures.p90 = percentile(lengths, 90);
  figures.p99 = percentile(lengths, 99);
  return figures;
}

std::optional<double> variation(const std::vector<std::int64_t>& arrivals) {
  if (arrivals.size() < 2 || arrivals.front() == arrivals.back()) return std::nullopt;
  const auto gaps = static_cast<double>(arrivals.size() - 1);
  const double mean = static_cast<double>(arrivals.back() - arrivals.front()) / gaps;
  double squares = 0;
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    const double off = static_cast<double>(arrivals[i] - arrivals[i - 1]) - mean;
    squares += off * off;
  }
  return std::sqrt(squares / gaps) / mean;
}

/// Follows the references of a trace, one request after another.
class BlockCounter {
 public:
  void add(const std::vector<std::uint64_t>& keys) {
    ++request_;
    bool hit = false, missed = false;
    for (const std::uint64_t key : keys) {
      Seen& seen = seen_[key];
      if (seen.references++ == 0) seen.first_request = request_;
      const bool known = seen.first_request != request_;
      hit = hit || known;
      missed = missed || !known;
      if (known && missed) ++figures_.hits_after_miss;
    }
    figures_.references += keys.size();
    if (hit) ++figures_.requests_with_hit;
  }

  BlockFigures figures() const {
    BlockFigures result = figures_;
    result.unique = seen_.size();
    for (const auto& [key, seen] : seen_) {  // sums and maxima: the order does not matter
      if (seen.references == 1) ++result.referenced_once;
      result.most_references = std::max(result.most_references, seen.references);
    }
    return result;
  }

 private:
  struct Seen {
    std::uint64_t references = 0, first_request = 0;
  };
  std::unordered_map<std::uint64_t, Seen> seen_;
  BlockFigures figures_;
  std::uint64_t request_ = 0;
};

}  // namespace

std::optional<double> BlockFigures::ideal_hit_ratio() const {
  if (references == 0) return std::nullopt;
  return static_cast<double>(references - unique) / static_cast<double>(references);
}

std::optional<double> TraceFigures::requests_per_second() const {
  if (span() == SimTime(0)) return std::nullopt;
  return static_cast<double>(requests) * 1e9 / static_cast<double>(span().value());
}

TraceFigures measure_trace(TraceReader& trace) {
  TraceFigures figures;
  figures.info = trace.info();
  std::vector<std::uint32_t> prompts, outputs;
  std::vector<std::int64_t> arrivals;
  BlockCounter blocks;
  TraceRequest request;
  while (trace.next(request)) {
    prompts.push_back(request.prompt_tokens);
    outputs.push_back(request.output_tokens);
    arrivals.push_back(request.arrival.value());
    blocks.add(request.block_keys);
  }
  figures.requests = arrivals.size();
  if (!arrivals.empty()) {
    figures.first = SimTime(arrivals.front());
    figures.last = SimTime(arrivals.back());
  }
  figures.inter_arrival_cv = variation(arrivals);
  figures.prompt = length_figures(std::move(prompts));
  figures.output = length_figures(std::move(outputs));
  if (figures.info.block_size > 0) figures.blocks = blocks.figures();
  return figures;
}

}  // namespace vacancy
