// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "sim/pool/block_pool.hpp"
#include "sim/prefix/block_cache.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/run_log/replayed_arrivals.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/simulation/serving_config.hpp"
#include "sim/workload/beam_parents.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

// The sections of a scenario about serving. A member without a value stands for the profile's own.

/// What drives the requests through the cache.
enum class SchedulerKind { lockstep, continuous_batching, active_window, block_replay };

template <>
struct EnumNames<SchedulerKind> {
  static constexpr EnumName<SchedulerKind> table[] = {
      {SchedulerKind::lockstep, "lockstep"},
      {SchedulerKind::continuous_batching, "continuous_batching"},
      {SchedulerKind::active_window, "active_window"},
      {SchedulerKind::block_replay, "block_replay"}};
};

template <>
struct EnumNames<NestedTime> {
  static constexpr EnumName<NestedTime> table[] = {{NestedTime::as_written, "as_written"},
                                                   {NestedTime::absolute, "absolute"}};
};

/// serving.policy: who is admitted first. The last four are orders that SGLang has besides
/// (QueuePolicy).
enum class AdmissionPolicy { fcfs, priority, lpm, dfs_weight, lof, random };

template <>
struct EnumNames<AdmissionPolicy> {
  static constexpr EnumName<AdmissionPolicy> table[] = {
      {AdmissionPolicy::fcfs, "fcfs"}, {AdmissionPolicy::priority, "priority"},
      {AdmissionPolicy::lpm, "lpm"},   {AdmissionPolicy::dfs_weight, "dfs-weight"},
      {AdmissionPolicy::lof, "lof"},   {AdmissionPolicy::random, "random"}};
};

struct EngineOptions {
  std::optional<bool> full_sequence_gate;
  std::optional<bool> reserve_output;
  std::optional<std::uint32_t> watermark_blocks;
  std::optional<FreeOrder> free_order;
  std::optional<bool> hybrid_groups;
  std::optional<std::uint32_t> steps_in_flight;
  std::optional<CapacityPolicy> capacity_policy;
  std::optional<bool> lookup_after_preemption;
  std::optional<std::uint32_t> max_sequence_tokens;
  std::optional<std::uint32_t> host_blocks;
  std::optional<HostReplacement> host_replacement;
  std::optional<HostWrite> host_write;
  std::optional<std::uint32_t> host_load_threshold;
};

/// How an engine finds blocks of earlier requests.
enum class PrefixIndex { none, hash_chain, radix_tree, reuse_tree };

template <>
struct EnumNames<PrefixIndex> {
  static constexpr EnumName<PrefixIndex> table[] = {{PrefixIndex::none, "none"},
                                                    {PrefixIndex::hash_chain, "hash_chain"},
                                                    {PrefixIndex::radix_tree, "radix_tree"},
                                                    {PrefixIndex::reuse_tree, "reuse_tree"}};
};

struct PrefixOptions {
  std::optional<PrefixIndex> index;
  std::string replacement = "lru";
  std::uint32_t tenant_quota_blocks = 0;
  std::string pinned_requests;
  std::optional<std::uint32_t> pinned_tokens;
  HitCount count = HitCount::any;
  TouchOrder touch = TouchOrder::forward;
  bool partial_blocks = true;
};

struct ServingOptions {
  std::optional<SchedulerKind> scheduler;
  std::uint32_t max_num_seqs = SchedulerOptions{}.max_num_seqs;
  std::uint32_t max_num_batched_tokens = SchedulerOptions{}.max_num_batched_tokens;
  bool chunked_prefill = SchedulerOptions{}.chunked_prefill;
  AdmissionPolicy policy = AdmissionPolicy::fcfs;
  std::optional<Requeue> requeue;
  std::optional<Victim> victim;
  Preemption preemption = SchedulerOptions{}.preemption;
  std::optional<std::uint32_t> swap_blocks;
  bool pass_keeps_place = SchedulerOptions{}.pass_keeps_place;
  bool admit_after_preemption = SchedulerOptions{}.admit_after_preemption;
  bool keep_in_flight_token = SchedulerOptions{}.keep_in_flight_token;
  bool run_past_end = SchedulerOptions{}.run_past_end;
  std::uint32_t window = 8;
  std::optional<double> max_virtual_time;
  std::optional<double> cold_start;
  std::uint32_t max_fruitless_preemptions = ServingCaps{}.fruitless_preemptions;
};

struct TraceSectionOptions {
  std::optional<std::filesystem::path> path;
  std::string format = "detect";
  std::optional<std::uint64_t> limit;
  std::optional<std::uint32_t> block_size;
  NestedTime nested_time = NestedTime::as_written;
  std::optional<std::filesystem::path> measured_run;
  MeasuredArrival measured_arrival = MeasuredArrival::arrived;
};

struct RequestOptions {
  std::string source = "trace";
  ArrivalRule arrivals = ArrivalRule::trace;
  std::optional<std::uint32_t> concurrency;
  std::optional<double> rate;
  double burstiness = 1;
  std::uint32_t samples = 1;
};

const OptionTable<EngineOptions>& engine_table();
const OptionTable<PrefixOptions>& prefix_table();
const OptionTable<ServingOptions>& serving_table();
const OptionTable<TraceSectionOptions>& trace_table();
const OptionTable<RequestOptions>& request_table();
const OptionTable<BeamOptions>& beam_table();

}  // namespace vacancy
