// SPDX-License-Identifier: Apache-2.0
// Operations at more rows than a grid has blocks along y and z, 65,535, as a batch of 128 requests
// has. The executor refuses such a grid as a GPU does. Rows are tiny.
#include <catch2/catch.hpp>
#include <numeric>

#include "gpu_backend/launch/buffer.hpp"
#include "tests/gpu/on_device.hpp"

namespace vacancy::test {
namespace {

constexpr int rows = 65'537, stride = 4, last = rows - 1;

/// Element i of row r is 4 r + i.
struct ManyRows {
  explicit ManyRows(gpu::Device& device) : end(device, std::vector<std::int32_t>{stride}) {
    std::vector<float> numbers(std::size_t{rows} * stride);
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    data = gpu::Buffer<float>(device, numbers);
  }
  gpu::ScoreRows view() const {
    return {.data = data.data(),
            .stride = stride,
            .requests = 1,
            .per_request = rows,
            .end = end.data()};
  }

  gpu::Buffer<std::int32_t> end;
  gpu::Buffer<float> data;
};

TEST_CASE("neighbours are pooled in any number of rows", "[slow]") {
  VACANCY_ON_DEVICE(device);
  const ManyRows given(device);
  const gpu::Buffer<float> target(device, given.data.size());
  device.run(gpu::PoolNeighbours{given.view(), target.data(), 3, true});
  const std::vector<float> got = target.download();
  for (const int row : {0, 65'535, last}) {
    const auto first = got.begin() + row * stride;
    const float of_row = static_cast<float>(row * stride);
    CHECK(std::vector<float>(first, first + stride) ==
          std::vector<float>{of_row + 1, of_row + 2, of_row + 3, of_row + 3});
  }
}

TEST_CASE("blocks are valued in any number of rows", "[slow]") {
  VACANCY_ON_DEVICE(device);
  const ManyRows given(device);
  const gpu::Buffer<float> target(device, std::size_t{rows} * 2);
  device.run(gpu::AggregateBlocks{given.view(), 2, gpu::BlockJoin::max, target.data(), 2});
  const std::vector<float> got = target.download();
  for (const int row : {0, 65'535, last}) {
    const auto first = got.begin() + row * 2;
    const float of_row = static_cast<float>(row * stride);
    CHECK(std::vector<float>(first, first + 2) == std::vector<float>{of_row + 1, of_row + 3});
  }
}

TEST_CASE("KIVI codes lines of any number of groups", "[slow]") {
  VACANCY_ON_DEVICE(device);
  std::vector<float> numbers(std::size_t{rows} * stride);
  for (std::size_t i = 0; i < numbers.size();
       ++i)  // each group 0, 1, 2, 3 and its number mod 1,024
    numbers[i] = static_cast<float>(i % stride + i / stride % 1024);
  const gpu::Buffer values(device, numbers);
  const gpu::Buffer<std::uint32_t> codes(device, rows);
  const gpu::Buffer<std::uint16_t> zeros(device, rows), steps(device, rows);
  const gpu::Buffer<float> back(device, numbers.size());
  device.run(gpu::EncodeKivi{values.data(), gpu::ValueType::f32, 0, 1, 1, rows * stride, stride, 8,
                             codes.data(), zeros.data(), steps.data()});
  device.run(gpu::DecodeKivi{codes.data(), zeros.data(), steps.data(), 1, rows * stride, stride, 8,
                             back.data(), gpu::ValueType::f32, 0, 1});
  const std::vector<float> got = back.download();
  for (const int group : {0, 65'535, last})
    for (std::size_t i = std::size_t(group) * stride; i < std::size_t(group + 1) * stride; ++i)
      CHECK(got[i] == Approx(numbers[i]).margin(0.05));
}

}  // namespace
}  // namespace vacancy::test
