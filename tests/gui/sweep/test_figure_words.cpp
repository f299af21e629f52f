// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "gui/model/sweep/figure_words.hpp"
#include "sim/metrics/summary_keys.hpp"

using namespace vacancy;
using namespace vacancy::gui;

namespace {

std::string words(const char* key) {
  return in_words({key, ""}).key;
}

}  // namespace

TEST_CASE("A figure is called by the words of its key") {
  CHECK(words("reclaim.reclaim_efficiency") == "reclaim efficiency");
  CHECK(words("memory.hole_ratio.end") == "hole ratio, end");
  CHECK(words("memory.kv_peak_bytes") == "KV peak bytes");
  CHECK(words("reclaim.bytes_moved_by.fill_holes") == "bytes moved by fill holes");
  CHECK(words("run.virtual_time_ns") == "virtual time");
  SECTION("with its group where one word would be left") {
    CHECK(words("reclaim.rounds") == "reclaim rounds");
    CHECK(words("latency.ttft.p95") == "latency TTFT, p95");
    CHECK(words("faults.prefill_guard.rounds") == "prefill guard, rounds");
  }
}

TEST_CASE("A unit that the words have is not said twice, but bytes keep it for their scale") {
  const auto unit = [](const char* key, const char* unit_of_key) {
    return in_words({key, unit_of_key}).unit;
  };
  CHECK(unit("reclaim.blocks_freed_by_eviction", "blocks").empty());
  CHECK(unit("memory.held_slots.mean", "slots").empty());
  CHECK(unit("reclaim.bytes_moved", "bytes") == "bytes");
  CHECK(unit("reclaim.blocks_freed_per_evicted_token", "blocks / token") == "blocks / token");
  CHECK(unit("serving.completed", "sequences") == "sequences");
}

TEST_CASE("No two figures of the summary have the same words") {
  std::map<std::string, std::string> key_of;
  for (const SummaryKey& figure : summary_keys()) {
    const auto [other, is_new] = key_of.emplace(words(figure.key.c_str()), figure.key);
    INFO(figure.key << " and " << other->second << ": " << other->first);
    CHECK(is_new);
    CHECK(other->first.find_first_of("._") == std::string::npos);
  }
  CHECK(key_of.size() > 100);
}
