// SPDX-License-Identifier: Apache-2.0
// Pools beyond what 32 bits count, in bytes, elements or units of 16 bytes: whichever step of a
// layout is that long, kernels do what they do in a small pool. Of the memory only the rows' pages
// are touched.
#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "gpu_backend/launch/device_pool.hpp"
#include "tests/gpu/cached_case.hpp"
#include "tests/gpu/on_device.hpp"

namespace vacancy::test {
namespace {

constexpr int layers = 2, heads = 2, head_dim = 64, slots = 4, blocks = 4, tokens = 10;
constexpr std::int64_t unit_bytes = 16;
/// More units than 31 bits count, so that bytes and elements pass 32.
constexpr std::int64_t far_units = std::int64_t{9} << 28;

/// Memory that costs what is touched of it. data() is nullptr where the device has not so much.
class FarMemory {
 public:
  FarMemory(gpu::Device& device, std::int64_t bytes)
      : device_(&device), bytes_(static_cast<std::size_t>(bytes)), on_cpu_(device.name() == "cpu") {
    if (on_cpu_) {
      void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory != MAP_FAILED) data_ = memory;
    } else {
      try {
        data_ = device.allocate(bytes_);
      } catch (const gpu::OutOfDeviceMemory&) {
      }
    }
  }
  FarMemory(const FarMemory&) = delete;
  FarMemory& operator=(const FarMemory&) = delete;
  ~FarMemory() {
    if (data_ == nullptr) return;
    if (on_cpu_)
      munmap(data_, bytes_);
    else
      device_->release(data_);
  }

  void* data() const { return data_; }

 private:
  gpu::Device* device_;
  std::size_t bytes_;
  bool on_cpu_;
  void* data_ = nullptr;
};

/// What stands in a pool after rows were written, moved in every way and copied, and what attention
/// and a score make of it.
struct Outcome {
  std::vector<std::uint16_t> rows;
  std::vector<float> attention, scores;
};
Outcome outcome(gpu::Device& device, const gpu::Pool& pool) {
  using Ints = gpu::Buffer<std::int32_t>;
  constexpr std::size_t row_of_token = std::size_t{layers} * 2 * heads * head_dim;
  const auto append = [&](int count, const std::vector<std::int64_t>& places, std::uint32_t seed) {
    std::vector<std::uint16_t> codes;
    for (const float x : normals(row_of_token * static_cast<std::size_t>(count), seed))
      codes.push_back(gpu::encode_bf16(x));
    const gpu::Buffer rows(device, codes);
    const gpu::Buffer<std::int64_t> mapping(device, places);
    device.run(gpu::AppendRows{pool, rows.data(), mapping.data(), count});
  };
  std::vector<std::int64_t> everywhere(std::size_t{blocks} * slots);
  std::iota(everywhere.begin(), everywhere.end(), 0);
  append(blocks * slots, everywhere, 1);

  // The last block first; block 1 stays free.
  const Ints indptr(device, std::vector{0, 3}), indices(device, std::vector{3, 0, 2});
  const Ints last_page(device, std::vector{tokens - 2 * slots});
  const gpu::BlockTables table{indptr.data(), indices.data(), last_page.data(), 1};
  const Ints fresh_indptr(device, std::vector{0, 1}), fresh_indices(device, std::vector{1});
  const gpu::BlockTables fresh{fresh_indptr.data(), fresh_indices.data(), nullptr, 1};
  const auto with_moves = [&](const std::vector<std::int32_t>& sources,
                              const std::vector<std::int32_t>& targets, const auto& use) {
    const Ints begin(device, std::vector{0});
    const Ints end(device, std::vector{static_cast<std::int32_t>(sources.size())});
    const Ints source(device, sources), target(device, targets);
    use(gpu::MoveLists{.begin = begin.data(),
                       .end = end.data(),
                       .source = source.data(),
                       .target = target.data(),
                       .longest = static_cast<int>(sources.size())});
  };
  for (const gpu::PackMethod method : {gpu::PackMethod::columns, gpu::PackMethod::tiles})
    with_moves({1, 4, 9}, {0, 2, 5}, [&](const gpu::MoveLists& moves) {
      device.run(gpu::PackRows{pool, table, moves, method});
    });
  with_moves({9, 8}, {1, 3}, [&](const gpu::MoveLists& moves) {
    device.run(gpu::MoveRows{pool, table, moves});
  });
  with_moves({0, 5, 9}, {0, 1, 2}, [&](const gpu::MoveLists& moves) {
    device.run(gpu::GatherRows{pool, table, pool, fresh, moves});
  });
  const Ints from(device, std::vector{3}), to(device, std::vector{2}),
      copied(device, std::vector{2});
  device.run(gpu::CopyBlocks{pool, pool, from.data(), to.data(), copied.data(), 1});

  Outcome outcome;
  {
    gpu::Buffer<std::uint16_t> rows(device, row_of_token * blocks * slots);
    const gpu::Buffer<std::int64_t> mapping(device, everywhere);
    device.run(gpu::ReadRows{pool, rows.data(), mapping.data(), blocks * slots});
    outcome.rows = rows.download();
  }
  {
    const gpu::Buffer query(device, normals(std::size_t{layers} * heads * head_dim, 2));
    const gpu::Buffer<float> output(device, query.size());
    gpu::DecodeAttention attention{.pool = pool,
                                   .tables = table,
                                   .query = query.data(),
                                   .output = output.data(),
                                   .query_heads = heads,
                                   .head_dim = head_dim,
                                   .scale = 0.125f};
    const gpu::Buffer<float> workspace(device,
                                       static_cast<std::size_t>(decode_workspace(attention)));
    attention.workspace = workspace.data();
    device.run(attention);
    outcome.attention = output.download();
  }
  {
    const gpu::Buffer<float> scores(device, std::size_t{layers} * heads * tokens);
    device.run(gpu::RowStatistics{{.pool = pool, .tables = table, .head_dim = head_dim},
                                  gpu::RowStatistic::value_over_key_norm,
                                  scores.data(),
                                  tokens});
    outcome.scores = scores.download();
  }
  return outcome;
}

TEST_CASE("kernels find rows in pools of any size") {
  VACANCY_ON_DEVICE(device);
  const gpu::DevicePool small(
      device,
      {.layers = layers, .heads = heads, .head_dim = head_dim, .blocks = blocks, .slots = slots});
  const gpu::Pool& pool = small.parts()[0];
  const Outcome expected = outcome(device, pool);
  // Memory that nobody wrote holds NaN, which equals nothing; as a code it would equal itself.
  REQUIRE(std::count(expected.rows.begin(), expected.rows.end(), 0xFFFF) == 0);

  struct Step {
    const char* name;
    std::int64_t gpu::PoolLayout::*units;
    int count;
  };
  for (const Step& step : {Step{"blocks", &gpu::PoolLayout::block, blocks},
                           Step{"layers", &gpu::PoolLayout::per_layer, layers},
                           Step{"K and V", &gpu::PoolLayout::per_kind, 2},
                           Step{"heads", &gpu::PoolLayout::per_head, heads},
                           Step{"slots", &gpu::PoolLayout::per_slot, slots}}) {
    INFO("a long way between " << step.name);
    gpu::PoolLayout layout = pool.layout;
    layout.*step.units = far_units / (step.count - 1) + 1;
    const FarMemory memory(device, (far_units + pool.layout.block * blocks) * unit_bytes);
    if (memory.data() == nullptr) {
      return skip("there are no 36 GiB of addresses, or of the device's memory");
    }
    const Outcome found = outcome(device, {memory.data(), layout});
    CHECK(found.rows == expected.rows);
    CHECK(found.attention == expected.attention);
    CHECK(found.scores == expected.scores);
  }
}

}  // namespace
}  // namespace vacancy::test
