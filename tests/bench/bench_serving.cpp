// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "sim/serving/engine_profile.hpp"
#include "sim/serving/request_source.hpp"
#include "sim/serving/scheduler.hpp"
#include "tests/bench/stopwatch.hpp"

using namespace vacancy;

struct Silent final : Observer {
  void on_event(const Event&) override {}
};

int main(int argc, char** argv) {
  const char* path = argv[1];
  const EngineProfile* profile = find_engine_profile(argc > 2 ? argv[2] : "vllm-main-2026-08");
  TraceOptions trace;
  if (argc > 3) trace.limit = std::strtoull(argv[3], nullptr, 10);
  std::uint64_t steps = 0;
  Silent silent;
  HashChainOptions options = *profile->hash_chain;
  options.blocks = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 32768;
  double s = bench::seconds_of([&] {
    HashChainManager manager(options, Bytes(), silent);
    Scheduler scheduler({}, manager, silent);
    RequestSource source(open_trace(path, trace), options.block_size);
    for (Request r; source.next(r);)
      scheduler.add(std::move(r));
    std::printf("read\n");
    for (Step step; !scheduler.idle(); ++steps) {
      scheduler.compose(step);
      scheduler.complete(step);
    }
  });
  std::printf("%llu steps %.3f s\n", static_cast<unsigned long long>(steps), s);
}
