// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/path_resolver.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/serving_options.hpp"

namespace vacancy {

void Resolver::resolve_requests(ServingScenario& target) {
  const auto requests = request_table().read(section("workload"));
  target.config.arrivals = requests.arrivals;
  target.config.concurrency = requests.concurrency;
  const bool drawn =
      requests.arrivals == ArrivalRule::poisson || requests.arrivals == ArrivalRule::gamma;
  if (drawn && !requests.rate)
    fault("/workload/rate", "is missing: " + std::string(enum_name(requests.arrivals)) +
                                " arrivals need a mean number a second, such as 2.5.");
  if (!drawn && requests.rate)
    fault("/workload/rate",
          "only poisson and gamma arrivals are drawn at it. Set workload.arrivals to one of them, "
          "or remove it; a made workload has a rate of its own, such as workload.multi_turn.rate.");
  if (requests.arrivals != ArrivalRule::gamma && requests.burstiness != RequestOptions{}.burstiness)
    fault("/workload/burstiness", "belongs to gamma arrivals. Set workload.arrivals to gamma.");
  if (requests.arrivals != ArrivalRule::closed_loop && requests.concurrency)
    fault("/workload/concurrency",
          "belongs to closed_loop arrivals. Set workload.arrivals to closed_loop.");
  if (drawn) {
    target.drawn_rate = requests.rate;
    target.burstiness = requests.arrivals == ArrivalRule::gamma ? requests.burstiness : 1;
  }
  target.samples = requests.samples;
  if (target.samples > 1 && target.scheduler != SchedulerKind::continuous_batching)
    fault("/workload/samples", "only continuous_batching samples in parallel. Use 1.");
  if (requests.source == "trace") {
    resolve_trace(target);
    return;
  }
  target.made = find_synthetic_workload(requests.source);
  target.made_parameters = section("workload." + requests.source);
  const std::string pointer = "/workload/" + requests.source;
  if (!faults_.clean(pointer) || !faults_.clean("/cache")) return;
  attempt(pointer, [&] {
    auto made = target.made->make(target.made_parameters, scenario_.seed);
    if (target.scheduler != SchedulerKind::block_replay)
      RequestSource(std::move(made), scenario_.cache.block_size);
  });
}

void Resolver::resolve_trace(ServingScenario& target) {
  const auto trace = trace_table().read(section("workload.trace"));
  if (!trace.path) {
    fault("/workload/trace",
          "an engine serves the requests of a trace, or made ones. Set workload.trace.path, or "
          "workload.source to one of vacancy list synthetic.");
    return;
  }
  if (trace.format != "detect") target.trace_options.format = trace.format;
  target.trace_options.limit = trace.limit;
  target.trace_options.block_size = trace.block_size;
  target.trace_options.nested_time = trace.nested_time;
  if (!data_present("workload.trace.path", trace.path->string())) return;
  target.trace = located_path(trace.path->string());
  if (trace.measured_run) {
    if (!data_present("workload.trace.measured_run", trace.measured_run->string())) return;
    target.measured_run = located_path(trace.measured_run->string());
    target.measured_arrival = trace.measured_arrival;
  }
  if (!faults_.clean("/workload/trace") || !faults_.clean("/cache")) return;
  // A file of the wrong kind, or with blocks that the engine's do not fit, is the scenario's fault.
  attempt("/workload/trace", [&] {
    if (target.scheduler == SchedulerKind::block_replay)
      open_trace(target.trace, target.trace_options);
    else
      RequestSource(open_trace(target.trace, target.trace_options), scenario_.cache.block_size);
  });
}

}  // namespace vacancy
