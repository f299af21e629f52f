// SPDX-License-Identifier: Apache-2.0
// How fast a trace runs through vLLM's memory manager and scheduler, beside the plainest manager
// (list_manager.hpp) under the same scheduler, in one run:
//   A  the closed loop of spec engines §5, whole trace, 32,768 blocks;
//   B  the cache alone with eight active requests, §6;
//   growth over prefixes of the trace and over pool sizes, as exponents of fitted power laws.
// A block operation is a block allocated or hit, and the same block given back later.
// usage: bench_serving TRACE
#include <cmath>
#include <cstdio>
#include <deque>
#include <vector>

#include "sim/serving/engine_profile.hpp"
#include "sim/serving/request_source.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/units/error.hpp"
#include "tests/bench/list_manager.hpp"
#include "tests/bench/stopwatch.hpp"

using namespace vacancy;
using namespace vacancy::bench;

namespace {

constexpr std::uint32_t block_size = 16, usual_pool = 32768, window = 8;

struct Counts {
  std::uint64_t steps = 0, allocated = 0, hits = 0;
  std::uint64_t operations() const { return 2 * (allocated + hits); }
  bool operator==(const Counts&) const = default;
};

struct Counter final : Observer {
  void on_event(const Event& event) override {
    if (const auto* blocks = std::get_if<BlocksAllocated>(&event))
      allocated += blocks->blocks.size();
    else if (const auto* adopted = std::get_if<BlocksAdopted>(&event))
      hits += adopted->blocks.size();
  }
  std::uint64_t allocated = 0, hits = 0;
};

using Requests = std::vector<Request>;

Requests read(const char* path, std::uint64_t limit) {
  TraceOptions options;
  if (limit > 0) options.limit = limit;
  RequestSource source(open_trace(path, options), block_size);
  Requests all;
  for (Request request; source.next(request);)
    all.push_back(std::move(request));
  return all;
}

std::uint64_t closed_loop(const Requests& requests, CacheManager& manager, Observer& observer) {
  Scheduler scheduler({}, manager, observer);
  for (const Request& request : requests)
    scheduler.add(request);
  std::uint64_t steps = 0;
  for (Step step; !scheduler.idle(); ++steps) {
    scheduler.compose(step);
    scheduler.complete(step);
  }
  return steps;
}

void active_window(const Requests& requests, CacheManager& manager) {
  std::deque<const Request*> active;
  const auto finish_oldest = [&] {
    manager.finish(*active.front());
    active.pop_front();
  };
  for (const Request& request : requests) {
    const std::uint32_t all = request.prompt_tokens + request.output_tokens;
    while (true) {
      const std::uint32_t hit = manager.lookup(request, request.prompt_tokens);
      if (manager.admit(request, all, all - hit, false)) break;
      finish_oldest();
    }
    active.push_back(&request);
    if (active.size() > window) finish_oldest();
  }
}

struct Timed {
  Counts counts;
  double seconds = 0;
};

template <class Run>
Timed with_vacancy(std::uint32_t pool, Run&& run) {
  HashChainOptions options = *find_engine_profile("vllm-main-2026-08")->hash_chain;
  options.blocks = pool;
  Timed result;
  Counter counter;
  HashChainManager manager(options, Bytes(), counter);
  result.seconds = seconds_of([&] { result.counts.steps = run(manager, counter); });
  result.counts.allocated = counter.allocated;
  result.counts.hits = counter.hits;
  return result;
}

template <class Run>
Timed with_lists(std::uint32_t pool, Run&& run) {
  Timed result;
  Counter nobody;
  ListManager manager(block_size, pool);
  result.seconds = seconds_of([&] { result.counts.steps = run(manager, nobody); });
  result.counts.allocated = manager.allocated;
  result.counts.hits = manager.hits;
  return result;
}

template <class Run>
void compare(const char* name, Run&& run) {
  const Timed ours = with_vacancy(usual_pool, run), plain = with_lists(usual_pool, run);
  VACANCY_ASSERT(ours.counts == plain.counts, "both managers do the same");
  const auto rate = [](const Timed& t) { return double(t.counts.operations()) / t.seconds / 1e6; };
  std::printf("%-34s %8.3f s  %6.2f M block operations/s\n", name, ours.seconds, rate(ours));
  std::printf("%-34s %8.3f s  %6.2f M block operations/s   ratio %.2f\n", "  std::list and map",
              plain.seconds, rate(plain), plain.seconds / ours.seconds);
}

/// The exponent of seconds ~ size^x.
double exponent(const std::vector<std::pair<double, double>>& points) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [size, seconds] : points) {
    const double x = std::log(size), y = std::log(seconds);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const auto n = static_cast<double>(points.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr,
                 "usage: bench_serving TRACE (a trace with block ids, such as Mooncake's)\n");
    return 2;
  }
  try {
    Requests all;
    const double reading = seconds_of([&] { all = read(argv[1], 0); });
    std::printf("%zu requests read in %.3f s\n\n", all.size(), reading);
    const auto loop = [&](CacheManager& manager, Observer& observer) {
      return closed_loop(all, manager, observer);
    };
    compare("A  closed loop, 32,768 blocks", loop);
    compare("B  window of 8, 32,768 blocks", [&](CacheManager& manager, Observer&) {
      active_window(all, manager);
      return std::uint64_t{0};
    });

    std::vector<std::pair<double, double>> by_requests, by_pool;
    for (const double share : {0.125, 0.25, 0.5, 1.0}) {
      const auto count = static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size()));
      const Requests some(all.begin(), all.begin() + count);
      const Timed timed = with_vacancy(
          usual_pool, [&](CacheManager& m, Observer& o) { return closed_loop(some, m, o); });
      by_requests.emplace_back(double(timed.counts.operations()), timed.seconds);
    }
    for (const std::uint32_t pool : {16384u, 32768u, 65536u, 131072u, 262144u})
      by_pool.emplace_back(pool, with_vacancy(pool, loop).seconds);
    std::printf("\nA over prefixes of the trace: seconds ~ block operations^%.2f\n",
                exponent(by_requests));
    std::printf("A over pools of 16,384 to 262,144 blocks: seconds ~ blocks^%.2f\n",
                exponent(by_pool));
  } catch (const UserError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
