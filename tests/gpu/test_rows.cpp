// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "gpu_backend/simt/host/sanitizers.hpp"
#include "tests/gpu/cached_case.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/schedules.hpp"

namespace vacancy::test {
namespace {

namespace reference = gpu::reference;

const float nan = std::numeric_limits<float>::quiet_NaN();
const float infinity = std::numeric_limits<float>::infinity();

/// Rows on the host and on a device.
struct RowCase {
  RowCase(gpu::Device& device, std::vector<std::int32_t> begins, std::vector<std::int32_t> ends,
          int of_request, std::int64_t row_stride, std::uint32_t seed)
      : begin(std::move(begins)),
        end(std::move(ends)),
        per_request(of_request),
        stride(row_stride),
        values(normals(end.size() * static_cast<std::size_t>(per_request * stride), seed)),
        data(device, values),
        device_begin(device, begin),
        device_end(device, end) {}

  gpu::ScoreRows rows() const {
    return {.data = data.data(),
            .stride = stride,
            .requests = static_cast<int>(end.size()),
            .per_request = per_request,
            .begin = begin.empty() ? nullptr : device_begin.data(),
            .end = device_end.data()};
  }
  std::size_t row_count() const { return end.size() * static_cast<std::size_t>(per_request); }
  int begin_of(std::size_t row) const {
    return begin.empty() ? 0 : begin[row / static_cast<std::size_t>(per_request)];
  }
  int end_of(std::size_t row) const { return end[row / static_cast<std::size_t>(per_request)]; }
  std::size_t at(std::size_t row, int i) const {
    return row * static_cast<std::size_t>(stride) + static_cast<std::size_t>(i);
  }

  std::vector<std::int32_t> begin, end;
  int per_request;
  std::int64_t stride;
  std::vector<float> values;
  gpu::Buffer<float> data;
  gpu::Buffer<std::int32_t> device_begin, device_end;
};

TEST_CASE("top-k is the sort's: ties to the lowest index, NaN last, no negative zero") {
  VACANCY_ON_DEVICE(device);
  std::size_t number = 0;
  for (const int length : {1, 255, 256, 700}) {
    RowCase given(device, {0, length / 3, 0}, {length, length, 0}, 2, length + 1,
                  static_cast<std::uint32_t>(length));
    for (float& x : given.values)
      x = std::round(x * 4) / 4;  // many ties, and both zeros
    given.values[0] = nan;
    if (length > 3) {
      given.values[1] = -infinity;
      given.values[2] = infinity;
      given.values[3] = -nan;
    }
    given.data.upload(given.values);
    for (const int keep : {1, (length + 1) / 2, length, length + 5}) {
      const WithSchedule with(in_turn(number++));
      const gpu::Buffer<std::int32_t> kept(device,
                                           given.row_count() * static_cast<std::size_t>(keep));
      device.run(gpu::TopK{.rows = given.rows(), .keep = keep, .kept = kept.data()});
      const auto got = kept.download();
      for (std::size_t row = 0; row < given.row_count(); ++row) {
        const int begin = given.begin_of(row), end = given.end_of(row);
        std::vector<double> scores;
        for (int i = begin; i < end; ++i)
          scores.push_back(double{given.values[given.at(row, i)]});
        auto wanted = reference::top_k(scores, keep);
        for (int& i : wanted)
          i += begin;
        wanted.resize(static_cast<std::size_t>(keep), -1);
        const auto first = got.begin() + static_cast<std::ptrdiff_t>(row) * keep;
        CHECK(std::equal(wanted.begin(), wanted.end(), first));
      }
    }
  }
}

TEST_CASE("top-k ranks unsigned numbers in all their bits") {
  VACANCY_ON_DEVICE(device);
  constexpr int length = 500, keep = 100;
  std::mt19937 random(1);
  std::vector<std::uint32_t> numbers(length);
  for (auto& n : numbers)
    n = static_cast<std::uint32_t>(random()) | 0x7F800000u;  // NaNs, as floats
  const gpu::Buffer<std::uint32_t> data(device, numbers);
  const std::vector<std::int32_t> ends{length};
  const gpu::Buffer<std::int32_t> end(device, ends), kept(device, keep);
  device.run(gpu::TopK{.rows = {.data = reinterpret_cast<float*>(data.data()),
                                .stride = length,
                                .requests = 1,
                                .end = end.data()},
                       .keep = keep,
                       .kept = kept.data(),
                       .unsigned_keys = true});
  CHECK(kept.download() ==
        reference::top_k(std::vector<double>(numbers.begin(), numbers.end()), keep));
}

TEST_CASE("rows are normalised over their candidates and scaled whole") {
  VACANCY_ON_DEVICE(device);
  RowCase given(device, {3, 0, 0}, {300, 1, 0}, 2, 300, 5);
  for (float& x : given.values)
    x = 100 + 7 * x;
  given.data.upload(given.values);
  device.run(gpu::NormalizeRows{given.rows()});
  const auto got = given.data.download();
  for (std::size_t row = 0; row < given.row_count(); ++row) {
    const int begin = given.begin_of(row), end = given.end_of(row);
    double mean = 0, squares = 0;
    for (int i = begin; i < end; ++i)
      mean += given.values[given.at(row, i)] / double(end - begin);
    for (int i = begin; i < end; ++i)
      squares += std::pow(given.values[given.at(row, i)] - mean, 2) / double(end - begin);
    const double deviation = std::max(std::sqrt(squares), 1e-6);
    for (int i = 0; i < end; ++i)
      CHECK(got[given.at(row, i)] ==
            Approx((given.values[given.at(row, i)] - mean) / deviation).margin(2e-5));
  }
}

TEST_CASE("pooling over neighbours: zero padding counts in means, not in maxima (E-05)") {
  VACANCY_ON_DEVICE(device);
  const RowCase given(device, {2, 0}, {90, 3}, 2, 95, 8);
  for (const bool maximum : {false, true})
    for (const int kernel : {1, 5, 7}) {
      const gpu::Buffer<float> target(device, given.values.size());
      device.run(gpu::PoolNeighbours{given.rows(), target.data(), kernel, maximum});
      const auto got = target.download();
      for (std::size_t row = 0; row < given.row_count(); ++row)
        for (int i = given.begin_of(row); i < given.end_of(row); ++i) {
          double sum = 0, largest = -HUGE_VAL;
          for (int j = i - kernel / 2; j <= i + kernel / 2; ++j) {
            if (j < given.begin_of(row) || j >= given.end_of(row)) continue;
            sum += given.values[given.at(row, j)];
            largest = std::max(largest, double{given.values[given.at(row, j)]});
          }
          CHECK(got[given.at(row, i)] ==
                Approx(maximum ? largest : sum / kernel).margin(1e-6).epsilon(1e-6));
        }
    }
}

TEST_CASE("rows join over the group, the heads and the layers") {
  VACANCY_ON_DEVICE(device);
  constexpr int layers = 3, heads = 2, members = 4;
  const RowCase given(device, {}, {40, 17}, layers * heads * members, 44, 2);
  const auto join = [](gpu::Join how, const std::vector<double>& values) {
    double sum = 0;
    for (const double x : values)
      sum += x;
    if (how == gpu::Join::max) return *std::max_element(values.begin(), values.end());
    return how == gpu::Join::mean ? sum / static_cast<double>(values.size()) : sum;
  };
  struct Mode {
    gpu::Join members, heads, layers;
  };
  using gpu::Join;
  for (const Mode mode : {Mode{Join::max, Join::max, Join::max},     // union
                          Mode{Join::max, Join::none, Join::mean},   // per head
                          Mode{Join::mean, Join::none, Join::none},  // per layer and head
                          Mode{Join::mean, Join::mean, Join::none},  // TOVA
                          Mode{Join::none, Join::sum, Join::none}}) {
    const gpu::Buffer<float> target(device, given.values.size());
    device.run(gpu::JoinRows{given.rows(), layers, heads, members, mode.members, mode.heads,
                             mode.layers, target.data()});
    const auto got = target.download();
    const int l_out = mode.layers == Join::none ? layers : 1;
    const int h_out = mode.heads == Join::none ? heads : 1;
    const int m_out = mode.members == Join::none ? members : 1;
    for (int r = 0; r < 2; ++r)
      for (int i = 0; i < given.end[static_cast<std::size_t>(r)]; ++i)
        for (int lo = 0; lo < l_out; ++lo)
          for (int ho = 0; ho < h_out; ++ho)
            for (int mo = 0; mo < m_out; ++mo) {
              std::vector<double> by_layer;
              for (int l = 0; l < layers; ++l) {
                std::vector<double> by_head;
                for (int h = 0; h < heads; ++h) {
                  std::vector<double> by_member;
                  for (int m = 0; m < members; ++m)
                    if (m_out == 1 || m == mo)
                      by_member.push_back(given.values[given.at(
                          static_cast<std::size_t>(((r * layers + l) * heads + h) * members + m),
                          i)]);
                  if (h_out == 1 || h == ho) by_head.push_back(join(mode.members, by_member));
                }
                if (l_out == 1 || l == lo) by_layer.push_back(join(mode.heads, by_head));
              }
              const int row = ((r * l_out + lo) * h_out + ho) * m_out + mo;
              CHECK(got[given.at(static_cast<std::size_t>(row), i)] ==
                    Approx(join(mode.layers, by_layer)).margin(1e-6));
            }
  }
}

TEST_CASE("blocks are worth the sum, mean, largest or four largest of their tokens") {
  VACANCY_ON_DEVICE(device);
  for (const int slots : {16, 128}) {
    RowCase given(device, {}, {200, 17}, 2, 208, 4);
    for (std::size_t i = 0; i < given.values.size(); ++i)
      if (i % 208 < 32 ? i % 208 >= 16 : i % 5 == 0) given.values[i] = nan;
    given.data.upload(given.values);
    constexpr std::int64_t width = 13;
    const gpu::Buffer<float> target(device, given.row_count() * width);
    for (const auto how :
         {gpu::BlockJoin::sum, gpu::BlockJoin::mean, gpu::BlockJoin::max, gpu::BlockJoin::top4}) {
      device.run(gpu::AggregateBlocks{given.rows(), slots, how, target.data(), width});
      const auto got = target.download();
      for (std::size_t row = 0; row < given.row_count(); ++row)
        for (int block = 0; block * slots < given.end_of(row); ++block) {
          std::vector<double> live;
          for (int i = block * slots; i < std::min((block + 1) * slots, given.end_of(row)); ++i)
            if (!std::isnan(given.values[given.at(row, i)]))
              live.push_back(double{given.values[given.at(row, i)]});
          const float x = got[row * width + static_cast<std::size_t>(block)];
          if (live.empty()) {
            CHECK(x == -infinity);
            continue;
          }
          CHECK(x == Approx(gpu::reference::block_worth(live, how)).margin(1e-5));
        }
    }
  }
}

TEST_CASE("a block is empty when no set holds a slot of it") {
  VACANCY_ON_DEVICE(device);
  constexpr int sets = 3;
  const int keep = GENERATE(12, 1500);  // one part of the sets for a block of threads, and two
  const std::vector<std::int32_t> lengths{200, 90};
  std::mt19937 random(5);
  std::vector<std::int32_t> kept;
  std::vector<std::vector<bool>> live;
  for (const int length : lengths) {
    live.emplace_back(static_cast<std::size_t>(length));
    for (int i = 0; i < sets * keep; ++i) {
      const int slot = i % 4 == 3 ? -1 : static_cast<int>(random() % unsigned(length / 2));
      kept.push_back(slot);
      if (slot >= 0) live.back()[static_cast<std::size_t>(slot)] = true;
    }
  }
  for (const int slots : {16, 7}) {
    const gpu::Buffer<std::int32_t> in(device, kept), ends(device, lengths);
    const gpu::Buffer<std::uint32_t> masks(device, 2 * 7);
    const gpu::Buffer<std::int32_t> counts(device, 2 * 30), empty(device, 2);
    device.run(gpu::BlockOccupancy{.kept = in.data(),
                                   .stride = keep,
                                   .requests = 2,
                                   .sets = sets,
                                   .lengths = ends.data(),
                                   .slots = slots,
                                   .masks = masks.data(),
                                   .mask_words = 7,
                                   .live = counts.data(),
                                   .live_stride = 30,
                                   .empty_blocks = empty.data()});
    const auto got = counts.download(), none = empty.download();
    for (std::size_t r = 0; r < 2; ++r) {
      int wanted_empty = 0;
      for (int block = 0; block * slots < lengths[r]; ++block) {
        int wanted = 0;
        for (int i = block * slots; i < std::min((block + 1) * slots, lengths[r]); ++i)
          wanted += live[r][static_cast<std::size_t>(i)] ? 1 : 0;
        CHECK(got[r * 30 + static_cast<std::size_t>(block)] == wanted);
        wanted_empty += wanted == 0 ? 1 : 0;
      }
      CHECK(none[r] == wanted_empty);
    }
  }
  CHECK_THROWS_WITH(device.run(gpu::BlockOccupancy{.requests = 1, .mask_words = 1 << 20}),
                    Catch::Contains("does not fit the shared memory of a block"));
}

}  // namespace
}  // namespace vacancy::test
