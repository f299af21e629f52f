// SPDX-License-Identifier: Apache-2.0
// bench_replacement TRACE: block accesses a second of each replacement policy on a Mooncake trace,
// in its own blocks of 512 tokens and split into blocks of 16, beside an LRU of std::list and
// std::unordered_map over the same contents.
#include <cstdio>
#include <filesystem>
#include <list>
#include <unordered_map>

#include "sim/prefix/block_cache.hpp"
#include "sim/units/error.hpp"
#include "sim/workload/trace/trace.hpp"
#include "tests/bench/stopwatch.hpp"

using namespace vacancy;

namespace {

ReferenceString read(const std::filesystem::path& path, const BlockSplit& split) {
  const auto reader = open_trace(path, {});
  ReferenceString string(split);
  for (TraceRequest request; reader->next(request);)
    string.add({request.block_keys, request.prompt_tokens, request.arrival, 0});
  return string;
}

/// The obvious LRU. Returns its hits.
std::uint64_t plain_lru(const ReferenceString& string, std::size_t capacity) {
  std::list<std::uint32_t> order;  // most recently used first
  std::unordered_map<std::uint32_t, std::list<std::uint32_t>::iterator> places;
  std::uint64_t hits = 0;
  for (const ContentIndex content : string.contents()) {
    const auto found = places.find(content.value());
    if (found != places.end()) {
      ++hits;
      order.splice(order.begin(), order, found->second);
      continue;
    }
    if (order.size() == capacity) {
      places.erase(order.back());
      order.pop_back();
    }
    order.push_front(content.value());
    places.emplace(content.value(), order.begin());
  }
  return hits;
}

void compare(const ReferenceString& string, std::uint32_t capacity, int repeats) {
  const auto accesses = static_cast<double>(string.contents().size());
  std::uint64_t plain_hits = 0;
  const double plain =
      bench::median_seconds(repeats, [&] { plain_hits = plain_lru(string, capacity); });
  std::printf("\n%.0f accesses, blocks of %u tokens, capacity %u\n", accesses,
              string.block_tokens(), capacity);
  std::printf("  %-28s %8s %14s %10s\n", "", "s", "M accesses/s", "x plain");
  const auto row = [&](const char* name, double seconds) {
    std::printf("  %-28s %8.3f %14.1f %10.2f\n", name, seconds, accesses / seconds / 1e6,
                plain / seconds);
  };
  row("std::list + unordered_map", plain);
  BlockCacheOptions options;
  options.capacity = capacity;
  for (const ReplacementEntry& entry : replacement_policies()) {
    ParameterValues values;
    for (const Parameter& parameter : entry.info.parameters)
      values[parameter.name] = parameter.default_value;
    BlockCacheResult result;
    row(entry.info.name.c_str(), bench::median_seconds(repeats, [&] {
          result = replay_blocks(string, options, entry, values);
        }));
    if (entry.info.name == "lru" && result.hits != plain_hits)
      std::printf("  lru and the plain cache differ: %llu and %llu hits\n",
                  static_cast<unsigned long long>(result.hits),
                  static_cast<unsigned long long>(plain_hits));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: bench_replacement TRACE\n", stderr);
    return 2;
  }
  double reading = 0;
  for (const std::uint32_t block : {512u, 16u}) {
    std::optional<ReferenceString> string;
    reading = bench::seconds_of([&] { string = read(argv[1], {512, block, block == 512}); });
    std::printf("\nread and numbered in %.3f s\n", reading);
    if (block == 512) {
      for (const std::uint32_t capacity : {1000u, 30000u})
        compare(*string, capacity, 5);
    } else {
      for (const std::uint32_t capacity : {32768u, 524288u})
        compare(*string, capacity, 1);
    }
  }
} catch (const UserError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
