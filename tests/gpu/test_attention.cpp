// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "gpu_backend/simt/host/sanitizers.hpp"
#include "tests/gpu/cached_case.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/schedules.hpp"
#include "tests/support/worst_error.hpp"

namespace vacancy::test {
namespace {

namespace reference = gpu::reference;

constexpr double tolerance = 1e-5;  // of the sum of p |v|

std::vector<CachedCase::Options> shapes() {
  std::vector<CachedCase::Options> all{
      {},
      {.head_dim = 64, .slots = 32, .element = gpu::ElementType::fp8, .tokens = {1, 203}},
      {.layers = 1, .heads = 1, .head_dim = 256, .slots = 64, .tokens = {70}},
      {.layers = 1, .head_dim = 64, .element = gpu::ElementType::fp32, .tokens = {40}},
      {.layers = 3,
       .heads = 2,
       .head_dim = 64,
       .tables = gpu::Sharing::per_layer(3),
       .order = gpu::PoolOrder::slots_first,
       .tokens = {33}},
      {.tables = gpu::Sharing::per_layer_and_head(2, 2), .tokens = {16, 40}}};
  if (simt::host::finds_races) all.resize(1);
  return all;
}

/// What `output` should hold; visible(request, layer, head, slot).
template <class Visible>
void check_output(const CachedCase& given, const std::vector<float>& queries,
                  const std::vector<float>& output, int query_heads, double scale,
                  double value_scale, Visible visible) {
  const auto& o = given.options;
  WorstError worst;
  for (int r = 0; r < given.requests(); ++r)
    for (int layer = 0; layer < o.layers; ++layer)
      for (int q = 0; q < query_heads; ++q) {
        const int head = q / (query_heads / o.heads);
        const std::size_t at =
            static_cast<std::size_t>(((r * o.layers + layer) * query_heads + q) * o.head_dim);
        std::vector<bool> seen(static_cast<std::size_t>(given.length(r)));
        for (int i = 0; i < given.length(r); ++i)
          seen[static_cast<std::size_t>(i)] = visible(r, layer, head, i);
        const auto wanted =
            reference::attention(given.matrix(r, layer, 0, head), given.matrix(r, layer, 1, head),
                                 vector_at(queries, at, o.head_dim), scale, seen);
        for (int d = 0; d < o.head_dim; ++d) {
          const double error =
              std::abs(output[at + static_cast<std::size_t>(d)] - wanted.value[d] * value_scale);
          const double allowed = wanted.magnitude[d] * value_scale;
          worst.add(allowed > 0 ? error / allowed : error);
        }
      }
  CHECK(worst.value() <= tolerance);
}

TEST_CASE("decode attention is softmax over the table, for any split") {
  VACANCY_ON_DEVICE(device);
  std::size_t number = 0;
  for (const auto& options : shapes())
    for (const int splits : {1, 3}) {
      const WithSchedule with(in_turn(number++));
      const CachedCase given(device, options);
      const int query_heads = options.heads * 3;
      const auto queries = normals(static_cast<std::size_t>(given.requests() * options.layers *
                                                            query_heads * options.head_dim),
                                   7);
      const bool fp8 = options.element == gpu::ElementType::fp8;
      const gpu::CachedRows rows = given.rows();
      const gpu::Buffer<float> query(device, queries), output(device, queries.size());
      gpu::DecodeAttention op{.pool = rows.pool,
                              .element = rows.element,
                              .key_scale = fp8 ? 0.5f : 1.0f,
                              .value_scale = fp8 ? 2.0f : 1.0f,
                              .tables = rows.tables,
                              .query = query.data(),
                              .output = output.data(),
                              .query_heads = query_heads,
                              .head_dim = options.head_dim,
                              .scale = 0.09f,
                              .splits = splits};
      const gpu::Buffer<float> work(device, static_cast<std::size_t>(gpu::decode_workspace(op)));
      op.workspace = work.data();
      device.run(op);
      check_output(given, queries, output.download(), query_heads,
                   double{0.09f} * double{op.key_scale}, double{op.value_scale},
                   [](int, int, int, int) { return true; });
    }
}

TEST_CASE(
    "decode attention of any query group, in parts where it has more heads than a block warps") {
  VACANCY_ON_DEVICE(device);
  const CachedCase given(device, {.layers = 2, .heads = 2, .head_dim = 64, .tokens = {41, 3}});
  for (const int group : {1, 2, 4, 5, 8, 9, 16, 21}) {
    if (simt::host::finds_races && group != 9) continue;
    CAPTURE(group);
    const int query_heads = 2 * group;
    const auto queries = normals(static_cast<std::size_t>(2 * 2 * query_heads * 64), 7);
    const gpu::CachedRows rows = given.rows();
    const gpu::Buffer<float> query(device, queries), output(device, queries.size());
    gpu::DecodeAttention op{.pool = rows.pool,
                            .tables = rows.tables,
                            .query = query.data(),
                            .output = output.data(),
                            .query_heads = query_heads,
                            .head_dim = 64,
                            .scale = 0.125f,
                            .splits = 2};
    const gpu::Buffer<float> work(device, static_cast<std::size_t>(gpu::decode_workspace(op)));
    op.workspace = work.data();
    device.run(op);
    check_output(given, queries, output.download(), query_heads, 0.125, 1,
                 [](int, int, int, int) { return true; });
  }
}

TEST_CASE("decode attention sees positions: holes, windows, and nothing at all") {
  VACANCY_ON_DEVICE(device);
  const CachedCase given(device, {.tokens = {37, 5, 20}});
  const std::int64_t stride = 48;
  // A set a KV head. Slots hold positions that rise, with holes; the last request has holes only.
  std::vector<std::int32_t> positions(static_cast<std::size_t>(3 * 2 * stride), -1);
  for (int r = 0; r < 2; ++r)
    for (int head = 0; head < 2; ++head)
      for (int slot = 0; slot < given.length(r); ++slot)
        if ((slot * 7 + head) % 3 != 0)
          positions[static_cast<std::size_t>((r * 2 + head) * stride + slot)] = slot * 2 + head;
  const std::vector<std::int32_t> now{60, 4, 9};
  for (const int window : {0, 25}) {
    const auto queries = normals(3 * 2 * 4 * 128, 9);
    const gpu::Buffer<float> query(device, queries), output(device, queries.size());
    const gpu::Buffer<std::int32_t> at(device, positions), query_at(device, now);
    const gpu::CachedRows rows = given.rows();
    gpu::DecodeAttention op{.pool = rows.pool,
                            .tables = rows.tables,
                            .slots = {at.data(), stride, gpu::Sharing::per_head(2)},
                            .query = query.data(),
                            .output = output.data(),
                            .query_heads = 4,
                            .head_dim = 128,
                            .scale = 0.1f,
                            .query_positions = query_at.data(),
                            .window = window,
                            .splits = 2};
    const gpu::Buffer<float> work(device, static_cast<std::size_t>(gpu::decode_workspace(op)));
    op.workspace = work.data();
    device.run(op);
    check_output(
        given, queries, output.download(), 4, double{0.1f}, 1, [&](int r, int, int head, int slot) {
          const int p = positions[static_cast<std::size_t>((r * 2 + head) * stride + slot)];
          const int t = now[static_cast<std::size_t>(r)];
          return p >= 0 && p <= t && (window == 0 || p > t - window);
        });
  }
}

TEST_CASE("attention to moved survivors is attention to the survivors where they were") {
  VACANCY_ON_DEVICE(device);
  CachedCase given(device, {.tokens = {90}});
  std::vector<int> survivors;
  std::vector<std::int32_t> before(96, -1), after(96, -1);
  for (int i = 0; i < 90; ++i)
    if (i * i % 7 < 3) {
      after[survivors.size()] = i;
      before[static_cast<std::size_t>(i)] = i;
      survivors.push_back(i);
    }
  const auto queries = normals(2 * 4 * 128, 3);
  const gpu::Buffer<float> query(device, queries), output(device, queries.size());
  const std::vector<std::int32_t> now{95};
  const gpu::Buffer<std::int32_t> query_at(device, now);
  const auto attend = [&](const std::vector<std::int32_t>& positions) {
    const gpu::Buffer<std::int32_t> at(device, positions);
    const gpu::CachedRows rows = given.rows();
    gpu::DecodeAttention op{.pool = rows.pool,
                            .tables = rows.tables,
                            .slots = {at.data(), 96, {}},
                            .query = query.data(),
                            .output = output.data(),
                            .query_heads = 4,
                            .head_dim = 128,
                            .scale = 0.1f,
                            .query_positions = query_at.data(),
                            .window = 60};
    const gpu::Buffer<float> work(device, static_cast<std::size_t>(gpu::decode_workspace(op)));
    op.workspace = work.data();
    device.run(op);
    return output.download();
  };
  const auto holed = attend(before);
  given.memory.pool().run(
      gpu::PackRows{.tables = given.memory.device_tables(),
                    .moves = given.memory.device_moves({packing(survivors)}, {})});
  const auto packed = attend(after);
  for (std::size_t i = 0; i < holed.size(); ++i)
    CHECK(std::abs(holed[i] - packed[i]) <= 1e-5f);
}

/// All that QueryAttention writes, against weights in double. `positions`: [requests][longest].
void check_window(gpu::Device& device, const CachedCase& given, int query_heads, int window,
                  const std::vector<std::int32_t>& first, bool group_max, bool squared,
                  const std::vector<std::int32_t>& slot_end,
                  const std::vector<std::int32_t>& positions = {}) {
  const auto& o = given.options;
  const int group = query_heads / o.heads, heads = group_max ? o.heads : query_heads;
  const std::int64_t stride = given.longest();
  const auto queries = normals(
      static_cast<std::size_t>(given.requests() * o.layers * query_heads * window * o.head_dim), 4);
  const std::size_t row_count = static_cast<std::size_t>(given.requests() * o.layers * heads);
  const gpu::Buffer<float> query(device, queries), output(device, queries.size());
  const gpu::Buffer<float> logits(device, row_count * static_cast<std::size_t>(window * stride));
  const gpu::Buffer<float> statistics(device, row_count * static_cast<std::size_t>(2 * window));
  const gpu::Buffer<float> sums(device, row_count * static_cast<std::size_t>(stride));
  const gpu::Buffer<std::int32_t> first_at(device, first), ends(device, slot_end);
  const gpu::Buffer<std::int32_t> at_slots(device, positions);
  gpu::QueryAttention operation{
      .rows = given.rows(),
      .slots = {positions.empty() ? nullptr : at_slots.data(), stride, {}},
      .query = query.data(),
      .first_position = first_at.data(),
      .slot_end = slot_end.empty() ? nullptr : ends.data(),
      .query_heads = query_heads,
      .window = window,
      .scale = 0.11f,
      .group_max = group_max,
      .squared = squared,
      .factor = 0.25f,
      .column_sums = sums.data(),
      .output = group_max ? nullptr : output.data(),
      .logits = logits.data(),
      .statistics = statistics.data(),
      .stride = stride};
  device.run(operation);
  const auto got = sums.download(), out = output.download();
  operation.accumulate = true;
  device.run(operation);
  const auto twice = sums.download();
  std::size_t not_added = 0;
  WorstError sums_error, output_error;
  for (int r = 0; r < given.requests(); ++r) {
    const int length = given.length(r), f = first[static_cast<std::size_t>(r)];
    const int end = slot_end.empty() ? length : slot_end[static_cast<std::size_t>(r)];
    Eigen::Array<bool, -1, -1> visible(window, length);
    for (int q = 0; q < window; ++q)
      for (int i = 0; i < length; ++i) {
        const int position =
            positions.empty() ? i : positions[static_cast<std::size_t>(r * stride + i)];
        visible(q, i) = position >= 0 && position <= f + q && i < end;
      }
    for (int layer = 0; layer < o.layers; ++layer)
      for (int row = 0; row < heads; ++row) {
        const int head = group_max ? row : row / group;
        const auto keys = given.matrix(r, layer, 0, head);
        reference::Matrix best = reference::Matrix::Constant(window, length, -1e300);
        for (int member = 0; member < (group_max ? group : 1); ++member)
          for (int q = 0; q < window; ++q) {
            const int query_head = group_max ? row * group + member : row;
            const auto vector =
                vector_at(queries,
                          static_cast<std::size_t>(
                              (((r * o.layers + layer) * query_heads + query_head) * window + q) *
                              o.head_dim),
                          o.head_dim);
            best.row(q) = best.row(q).cwiseMax((keys * vector).transpose() * double{0.11f});
          }
        const auto weights = reference::attention_weights(best, visible);
        const reference::Vector wanted =
            squared ? reference::Vector(weights.array().square().colwise().sum())
                    : reference::Vector(weights.colwise().sum());
        const std::size_t at =
            static_cast<std::size_t>(((r * o.layers + layer) * heads + row) * stride);
        for (int i = 0; i < length; ++i) {
          const std::size_t slot = at + static_cast<std::size_t>(i);
          sums_error.add(std::abs(double{got[slot]} - 0.25 * wanted[i]) /
                         std::max(0.25 * wanted[i], 1e-9));
          not_added += twice[slot] != 2 * got[slot];  // exactly: the factor is a power of two
        }
        if (group_max) continue;
        reference::Matrix values = given.matrix(r, layer, 1, head);
        for (int i = 0; i < length; ++i)
          if (!visible.col(i).any()) values.row(i).setZero();
        const reference::Matrix product = weights * values, size = weights * values.cwiseAbs();
        for (int q = 0; q < window; ++q)
          for (int d = 0; d < o.head_dim; ++d) {
            const std::size_t number = static_cast<std::size_t>(
                (((r * o.layers + layer) * heads + row) * window + q) * o.head_dim + d);
            output_error.add(std::abs(out[number] - product(q, d)) / std::max(size(q, d), 1e-9));
          }
      }
  }
  CHECK(sums_error.value() <= tolerance);
  CHECK(output_error.value() <= tolerance);
  CHECK(not_added == 0);
}

TEST_CASE("weights of a window of queries and of eager attention, their sums and outputs") {
  VACANCY_ON_DEVICE(device);
  std::size_t number = 0;
  for (const auto& options : shapes()) {
    const WithSchedule with(in_turn(number++));
    const CachedCase given(device, options);
    std::vector<std::int32_t> last, none(options.tokens.size(), 0), ends;
    for (const int n : options.tokens) {
      last.push_back(n - 4);  // the first query of a window of 4; may see nothing
      ends.push_back(std::max(n - 4, 0));
    }
    check_window(device, given, options.heads * 2, 4, last, false, false, {});  // SnapKV
    // A third of the slots are holes, as empty as those of a fresh block, and the others' tokens
    // are two positions apart.
    CachedCase with_holes(device, options);
    with_holes.forget([](int slot) { return slot % 3 == 1; });
    std::vector<std::int32_t> holed, holed_last;
    for (const int n : options.tokens) {
      holed_last.push_back(2 * n - 4);
      for (int i = 0; i < given.longest(); ++i)
        holed.push_back(i % 3 == 1 ? -1 : 2 * i);
    }
    check_window(device, with_holes, options.heads * 2, 4, holed_last, false, false, {}, holed);
    check_window(device, given, options.heads * 2, 4, last, true, false, ends);  // R-KV
    check_window(device, given, options.heads * 2, 3, none, false, false, {});   // H2O, first chunk
    check_window(device, given, options.heads, 1, last, false, true, {});        // KV-Compress
  }
}

TEST_CASE("a key that is not a number makes nothing but that of the outputs that see it") {
  VACANCY_ON_DEVICE(device);
  CachedCase given(device, {.layers = 1, .heads = 1, .head_dim = 64, .tokens = {20}});
  constexpr int last = 7;
  given.forget([](int slot) { return slot == last; });
  const gpu::Buffer query(device, normals(2 * 64, 4));
  const gpu::Buffer<float> output(device, std::size_t{2 * 64}), logits(device, std::size_t{2 * 20}),
      statistics(device, std::size_t{2 * 2});
  const gpu::Buffer first(device, std::vector<std::int32_t>{last - 1});  // the second query sees it
  device.run(gpu::QueryAttention{.rows = given.rows(),
                                 .query = query.data(),
                                 .first_position = first.data(),
                                 .query_heads = 1,
                                 .window = 2,
                                 .scale = 0.11f,
                                 .output = output.data(),
                                 .logits = logits.data(),
                                 .statistics = statistics.data(),
                                 .stride = 20});
  const auto got = output.download();
  for (std::size_t d = 0; d < 64; ++d) {
    CHECK(std::isfinite(got[d]));
    CHECK(std::isnan(got[64 + d]));
  }
}

}  // namespace
}  // namespace vacancy::test
