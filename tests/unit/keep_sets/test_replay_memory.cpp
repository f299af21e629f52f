// SPDX-License-Identifier: Apache-2.0
// What replays are said to need beforehand covers what they take: every allocation of this program
// is counted.
#include <malloc.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "sim/keep_sets/file_forms.hpp"
#include "sim/keep_sets/keep_history.hpp"
#include "sim/keep_sets/replay.hpp"
#include "sim/keep_sets/replay_memory.hpp"
#include "tests/support/random.hpp"
#include "tests/support/temporary_file.hpp"

namespace {

std::size_t bytes_now = 0, bytes_at_most = 0;

void* counted_allocation(std::size_t size) {
  void* const memory = std::malloc(size);
  if (!memory) throw std::bad_alloc();
  bytes_now += malloc_usable_size(memory);
  bytes_at_most = std::max(bytes_at_most, bytes_now);
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return counted_allocation(size);
}
// std::stable_sort's buffer. A sanitizer has its own form of each operator that is not replaced.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return counted_allocation(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  if (memory) bytes_now -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

using namespace vacancy;

namespace {

/// Steps in which every set keeps about a share of what it has, at random.
class MadeReader final : public KeepSetReader {
 public:
  MadeReader(std::uint32_t layers, std::uint32_t heads, std::vector<std::uint32_t> lengths,
             unsigned percent)
      : KeepSetReader("made"), lengths_(std::move(lengths)), percent_(percent) {
    set_axes(layers, heads, 4, 6, "made");
  }

  bool next(RecordedStep& step) override {
    if (step_ == lengths_.size()) return false;
    const std::uint32_t before = step.length;
    const std::vector<std::uint64_t> last = step.kept;
    begin(step, lengths_[step_++], true);
    for (std::uint32_t set = 0; set < axes().sets(); ++set)
      for (std::uint32_t token = 0; token < step.length; ++token) {
        const auto was = std::span(last).subspan(set * bits::words(before), bits::words(before));
        const bool live = token >= before || bits::test(was, token);
        if (live && random_.below(100) < percent_) bits::set(step.mask(set), token);
      }
    return true;
  }

 private:
  std::string step_place() const override { return name_; }

  std::vector<std::uint32_t> lengths_;
  unsigned percent_;
  std::size_t step_ = 0;
  test::Random random_{1};
};

}  // namespace

TEST_CASE("a replay takes no more memory than it is said to need, and not much less") {
  struct Shape {
    std::uint32_t layers, heads;
    std::vector<std::uint32_t> lengths;
    unsigned percent;
  };
  for (const Shape& shape : {Shape{1, 1, {3000}, 50},
                             {1, 1, {4000, 4064, 4128}, 90},
                             {4, 6, {2000}, 50},
                             {4, 6, {1000, 1500, 2100, 2900}, 70},
                             {4, 1, {64, 128, 192}, 60},
                             {4, 6, {3}, 50}})
    for (const TableKind table :
         {TableKind::shared, TableKind::per_layer, TableKind::per_layer_per_head})
      for (const std::uint32_t block_size : {1u, 16u, 256u})
        for (const ReclaimerEntry& reclaimer : reclaimers()) {
          INFO(shape.layers << " × " << shape.heads << ", " << shape.lengths.size()
                            << " steps, tables " << enum_name(table) << ", blocks of " << block_size
                            << ", " << reclaimer.info.name);
          MadeReader reader(shape.layers, shape.heads, shape.lengths, shape.percent);
          const std::size_t start = bytes_now;
          bytes_at_most = start;
          std::uint32_t tokens = 0;
          bool applies = false;
          CacheConfig cache;
          cache.block_size = block_size;
          cache.layout = reader.axes().layout(table);
          {
            KeepSetReplay replay(cache, reader.axes(), reclaimer);
            KeepHistory history(reader);
            while (history.next())
              replay.step(history.appended(), history.decision());
            tokens = history.length();
            applies = replay.obstacle().empty();
          }
          const std::uint64_t taken = bytes_at_most - start;
          const std::uint64_t said =
              (history_memory(reader.axes(), tokens) + replay_memory(cache, reclaimer, tokens))
                  .value();
          // Events, gauges and the reclaimer's own lists do not grow with the sets.
          constexpr std::uint64_t fixed = 32 << 10;
          CHECK(taken <= said + fixed);
          if (applies) CHECK(said <= 12 * taken);
        }
}

TEST_CASE("a line of JSON lines is read without a value for each of its tokens") {
  constexpr std::uint32_t tokens = 1u << 18;
  std::string line = "{\"keep\": [0";
  for (std::uint32_t token = 1; token < tokens; ++token)
    line += ", " + std::to_string(token);
  line += "], \"length\": " + std::to_string(tokens) + "}\n";
  const test::TemporaryFile file("long_line.jsonl", {line.begin(), line.end()});

  bytes_at_most = bytes_now;
  const std::size_t start = bytes_now;
  const auto reader = open_keep_lines(file.path());
  RecordedStep step;
  REQUIRE(reader->next(step));
  CHECK(bits::test(step.mask(0), tokens - 1));
  CHECK(bytes_at_most - start < 3 * line.size());  // LineReader's buffer grows by doubling
}
