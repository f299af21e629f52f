// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/json/json_text.hpp"
#include "sim/metrics/summary_json.hpp"

namespace vacancy {

std::optional<double> Ratio::value() const {
  if (denominator == 0) return std::nullopt;
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

std::optional<double> Summary::Reclaim::blocks_freed_per_evicted_token() const {
  if (evicted_set_tokens == 0) return std::nullopt;
  return static_cast<double>(blocks_freed_by_eviction * std::int64_t{sets_per_table}) /
         static_cast<double>(evicted_set_tokens);
}

std::optional<double> Summary::Reclaim::reclaim_efficiency() const {
  if (evicted_set_tokens == 0) return std::nullopt;
  return static_cast<double>(blocks_freed_by_eviction * std::int64_t{sets_per_table} *
                             std::int64_t{block_size}) /
         static_cast<double>(evicted_set_tokens);
}

namespace {

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

using Json = nlohmann::ordered_json;

Json json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A whole quotient stays an integer in JSON.
Json json(const Ratio& ratio) {
  if (ratio.denominator != 0 && ratio.numerator % ratio.denominator == 0)
    return static_cast<std::uint64_t>(ratio.numerator / ratio.denominator);
  return json(ratio.value());
}

Json json(const SlotGauge& gauge) {
  return {{"mean", json(gauge.mean.value())}, {"peak", gauge.peak}, {"end", gauge.end}};
}

Json json(const ShareGauge& gauge) {
  return {{"mean", json(gauge.mean.value())},
          {"peak", json(gauge.peak.value())},
          {"end", json(gauge.end.value())}};
}

Json reuse_tree_json(const std::vector<WindowFigures>& windows) {
  reuse_tree::Counters counts;
  Bytes offloaded, onboarded;
  Json list;
  for (const WindowFigures& window : windows) {
    counts += window.counts;
    offloaded += window.offloaded();
    onboarded += window.onboarded();
    list.push_back({{"window", window.window ? Json(*window.window) : Json(nullptr)},
                    {"blocks", window.blocks},
                    {"host_blocks", window.host_blocks},
                    {"block_bytes", window.block_bytes.value()},
                    {"peak_held_blocks", window.peak_held_blocks}});
  }
  return {{"alloc_total", counts.alloc_total},
          {"alloc_new", counts.alloc_new},
          {"reused", counts.reused},
          {"reused_unique", counts.reused_unique},
          {"missed", counts.missed},
          {"hit_ratio", json(Ratio{counts.reused, counts.reused + counts.missed}.value())},
          {"copied_blocks", counts.copied},
          {"detached_blocks", counts.detached},
          {"reused_tokens_device", counts.reused_tokens - counts.reused_tokens_secondary},
          {"reused_tokens_host", counts.reused_tokens_secondary},
          {"offloaded_blocks", counts.offloaded},
          {"onboarded_blocks", counts.onboarded},
          {"offloaded_bytes", offloaded.value()},
          {"onboarded_bytes", onboarded.value()},
          {"windows", std::move(list)}};
}

/// From nanoseconds to milliseconds.
Json json(const Distribution& figures) {
  const auto ms = [](const std::optional<double>& ns) { return ns ? Json(*ns / 1e6) : Json(); };
  return {{"mean", ms(figures.mean)},
          {"p50", ms(figures.p50)},
          {"p90", ms(figures.p90)},
          {"p95", ms(figures.p95)},
          {"p99", ms(figures.p99)}};
}

}  // namespace

std::optional<double> Summary::Quality::mass_mean() const {
  return mean(retained_attention_mass);
}

std::optional<double> Summary::Quality::error_mean() const {
  return mean(attention_output_error);
}

std::optional<double> Summary::Quality::agreement_mean() const {
  return mean(next_token_agreement);
}

std::optional<double> Summary::Quality::mass_p10() const {
  if (retained_attention_mass.empty()) return std::nullopt;
  std::vector<double> sorted = retained_attention_mass;
  std::sort(sorted.begin(), sorted.end());
  const double rank = 0.1 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

nlohmann::ordered_json to_json(const Summary::Reclaim& r) {
  Json out = {{"rounds", r.rounds},
              {"skipped_rounds", r.skipped_rounds},
              {"refused_rounds", r.refused_rounds},
              {"postponed_rounds", r.postponed_rounds},
              {"moving_rounds", r.moving_rounds},
              {"evicted_tokens", json(r.evicted_tokens())},
              {"vacated_tokens", r.vacated_tokens},
              {"blocks_freed_by_eviction", r.blocks_freed_by_eviction},
              {"blocks_taken", r.blocks_taken},
              {"blocks_freed_per_evicted_token", json(r.blocks_freed_per_evicted_token())},
              {"reclaim_efficiency", json(r.reclaim_efficiency())},
              {"moved_tokens", json(r.moved_tokens())},
              {"bytes_moved", r.bytes_moved().value()},
              {"bytes_moved_by", Json::object()}};
  Json& moved_by = out["bytes_moved_by"];
  for (const auto& cause : EnumNames<MoveCause>::table)
    moved_by[std::string(cause.name)] = r.moved_by[static_cast<std::size_t>(cause.value)].value();
  moved_by["copy_on_write"] = r.moved_by_copy_on_write.value();
  moved_by["tiers"] = r.moved_between_tiers.value();
  return out;
}

std::string to_json(const Summary& s) {
  Json out;
  out["run"] = {{"seed", s.run.seed},
                {"events", s.run.events},
                {"virtual_time_ns", s.run.virtual_time.value()}};
  out["reclaim"] = to_json(s.reclaim);
  out["memory"] = {
      {"kv_peak_blocks", s.memory.kv_peak_blocks},
      {"kv_peak_bytes", s.memory.kv_peak_bytes.value()},
      {"kv_after_round_blocks",
       s.memory.kv_after_round_blocks ? Json(*s.memory.kv_after_round_blocks) : Json(nullptr)},
      {"held_slots", json(s.memory.held_slots)},
      {"live_slots", json(s.memory.live_slots)},
      {"hole_ratio", json(s.memory.hole_ratio)},
      {"tail_ratio", json(s.memory.tail_ratio)}};
  out["sharing"] = {{"blocks_shared", json(s.sharing.blocks_shared)},
                    {"blocks_saved", json(s.sharing.blocks_saved)},
                    {"sequences_forked", s.sharing.sequences_forked},
                    {"blocks_copied", s.sharing.blocks_copied}};
  if (s.pages)
    out["pages"] = {{"blocks_per_page", s.pages->blocks_per_page},
                    {"mapped", json(s.pages->mapped)},
                    {"useful_blocks", json(s.pages->useful_blocks)},
                    {"mapped_bytes_peak", s.pages->mapped_bytes_peak().value()},
                    {"mapped_bytes_end", s.pages->mapped_bytes_end().value()}};
  out["quality"] = {{"retained_attention_mass", json(s.quality.mass_mean())},
                    {"retained_attention_mass_p10", json(s.quality.mass_p10())},
                    {"attention_output_error", json(s.quality.error_mean())},
                    {"next_token_agreement", json(s.quality.agreement_mean())}};
  const Summary::Serving& v = s.serving;
  out["serving"] = {{"steps", v.steps},
                    {"completed", v.completed},
                    {"unfinished", v.unfinished},
                    {"rejected", v.rejected},
                    {"preemptions", v.preemptions},
                    {"swapped_out_blocks", v.swapped_out_blocks},
                    {"swapped_in_blocks", v.swapped_in_blocks},
                    {"recomputed_tokens", v.recomputed_tokens},
                    {"blocks_allocated", v.blocks_allocated},
                    {"blocks_evicted", v.blocks_evicted},
                    {"evict_calls", v.evict_calls},
                    {"hit_tokens", v.hit_tokens()},
                    {"hit_tokens_first_admission", v.hit_tokens_first_admission},
                    {"hit_tokens_readmission", v.hit_tokens_readmission},
                    {"hit_tokens_device", v.hit_tokens_device()},
                    {"hit_tokens_host", v.hit_tokens_host},
                    {"host_blocks_written", v.host_blocks_written},
                    {"host_blocks_evicted", v.host_blocks_evicted},
                    {"query_tokens", v.query_tokens},
                    {"scheduled_tokens", v.scheduled_tokens},
                    {"hit_ratio_blocks", json(v.hit_ratio_blocks().value())},
                    {"request_hit_ratio", json(v.request_hit_ratio)},
                    {"lookups", v.lookups},
                    {"lookup_hit_tokens", v.lookup_hit_tokens},
                    {"lookup_query_tokens", v.lookup_query_tokens}};
  out["latency"] = {{"unit", "ms"},
                    {"ttft", json(s.latency.ttft)},
                    {"tpot", json(s.latency.tpot)},
                    {"itl", json(s.latency.itl)},
                    {"e2e", json(s.latency.e2e)},
                    {"queue", json(s.latency.queue)}};
  out["throughput"] = {{"makespan_ns", s.throughput.makespan.value()},
                       {"requests_per_second", json(s.throughput.requests_per_second())},
                       {"prompt_tokens_per_second", json(s.throughput.prompt_tokens_per_second())},
                       {"output_tokens_per_second", json(s.throughput.output_tokens_per_second())}};
  if (!s.windows.empty()) out["reuse_tree"] = reuse_tree_json(s.windows);
  for (const FaultWords& words : fault_words) {
    if (!s.faults.on.has(words.fault)) continue;
    const Summary::Faults::Damage& damage = s.faults.of(words.fault);
    Json& fault = out["faults"][std::string(enum_name(words.fault))];
    fault[std::string(words.events)] = damage.events;
    if (!words.count.empty()) fault[std::string(words.count)] = damage.count;
    if (words.fault == EvictionFault::silent_off)
      fault["rounds_expected"] = s.reclaim.rounds + damage.events;
  }
  return json_text(out);
}

}  // namespace vacancy
