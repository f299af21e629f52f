// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "gpu_backend/simt/host/sanitizers.hpp"
#include "tests/gpu/move_case.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/schedules.hpp"
#include "tests/support/scaled.hpp"

namespace vacancy::test {
namespace {

using gpu::reference::Moves;

std::vector<int> random_survivors(int tokens, double keep, std::mt19937& random) {
  std::bernoulli_distribution stays(keep);
  std::vector<int> survivors;
  for (int i = 0; i < tokens; ++i)
    if (stays(random)) survivors.push_back(i);
  return survivors;
}

enum class How { columns, tiles, rounds };

void pack(MoveCase& given, const gpu::MoveLists& moves, How how, int tile_rows = 0) {
  if (how == How::rounds)
    given.run_rounds(moves);
  else
    given.pool().run(gpu::PackRows{
        .tables = given.device_tables(),
        .moves = moves,
        .method = how == How::columns ? gpu::PackMethod::columns : gpu::PackMethod::tiles,
        .tile_rows = tile_rows});
}

bool fills(MoveCase& given, const std::vector<Moves>& lists, const gpu::Sharing& sets) {
  given.upload();
  given.pool().run(
      gpu::MoveRows{.tables = given.device_tables(), .moves = given.device_moves(lists, sets)});
  return given.moved_as(lists, sets);
}

/// A request a set; rows of one unit, K and V.
void check_all_sets(gpu::Device& device, int rows) {
  const gpu::PoolShape shape{.head_dim = 16, .slots = 4, .format = gpu::RowFormat::fp8};
  const std::vector<int> lengths(std::size_t{1} << rows, rows);
  MoveCase given(device, shape, lengths, 5);
  std::mt19937 random(7);
  std::vector<Moves> packed, filled, gathered;
  for (unsigned set = 0; set < 1u << rows; ++set) {
    std::vector<int> survivors;
    for (int i = 0; i < rows; ++i)
      if ((set >> i & 1) != 0) survivors.push_back(i);
    packed.push_back(packing(survivors));
    filled.push_back(hole_filling(survivors, random));
    gathered.push_back(gathering(survivors));
  }
  const gpu::MoveLists moves = given.device_moves(packed, {});
  for (const How how : {How::columns, How::rounds}) {
    given.upload();
    pack(given, moves, how);
    CHECK(given.moved_as(packed, {}));
  }
  for (const int tile : {1, 2, 3, 5}) {
    given.upload();
    pack(given, moves, How::tiles, tile);
    CHECK(given.moved_as(packed, {}));
  }
  CHECK(fills(given, filled, {}));
  MoveCase fresh(device, shape, lengths, 6);
  CHECK(gathers(given, fresh, gathered));
}

TEST_CASE("every set of survivors of a few rows reaches its slots, by every method") {
  VACANCY_ON_DEVICE(device);
  if (!simt::host::finds_races) check_all_sets(device, 12);
  for (const auto& schedule : all_schedules) {
    const WithSchedule with(schedule);
    check_all_sets(device, simt::host::finds_races ? 5 : 8);
  }
}

/// Every byte of the pool is compared, those of rows that stay and of blocks that no table has too.
void check_random_cases(gpu::Device& device, int cases, unsigned longest) {
  std::mt19937 random(11);
  for (int number = 0; number < cases; ++number) {
    const auto of = [&](auto... choices) {
      const int values[] = {static_cast<int>(choices)...};
      return values[random() % std::size(values)];
    };
    const int layers = of(1, 2, 3), heads = of(1, 2, 4), requests = of(1, 2, 3);
    const gpu::Sharing sharings[] = {gpu::Sharing::one(), gpu::Sharing::per_layer(layers),
                                     gpu::Sharing::per_layer_and_head(layers, heads),
                                     gpu::Sharing::per_head(heads)};
    gpu::PoolShape shape{.layers = layers,
                         .heads = heads,
                         .head_dim = of(64, 128, 256),
                         .slots = of(16, 32, 64, 128),
                         .format = static_cast<gpu::RowFormat>(random() % 6),
                         .order = static_cast<gpu::PoolOrder>(random() % 3),
                         .tables = sharings[random() % 3]};
    if (shape.tables.head != 0 && shape.order == gpu::PoolOrder::slots_first)
      shape.order = gpu::PoolOrder::planes_first;
    const gpu::Sharing sets = sharings[random() % 4];
    std::vector<int> tokens;  // tables of a request are as long as each other
    std::vector<Moves> packed, filled, gathered;
    for (int r = 0; r < requests; ++r) {
      const int length = 1 + static_cast<int>(random() % longest);
      tokens.insert(tokens.end(), static_cast<std::size_t>(shape.tables.count), length);
      for (int set = 0; set < sets.count; ++set) {
        const auto survivors = random_survivors(length, of(5, 50, 95) / 100.0, random);
        packed.push_back(packing(survivors));
        filled.push_back(hole_filling(survivors, random));
        gathered.push_back(gathering(survivors));
      }
    }
    const WithSchedule with(in_turn(static_cast<std::size_t>(number)));
    CAPTURE(number, layers, heads, requests, shape.head_dim, shape.slots, sets.count);
    MoveCase given(device, shape, tokens, static_cast<std::uint32_t>(number));
    const gpu::MoveLists pack_moves = given.device_moves(packed, sets);
    for (const How how : {How::columns, How::tiles, How::rounds}) {
      given.upload();
      pack(given, pack_moves, how);
      CHECK(given.moved_as(packed, sets));
    }
    CHECK(fills(given, filled, sets));
    shape.slots = of(16, 32, 64, 128);
    if (shape.tables.head == 0) shape.order = static_cast<gpu::PoolOrder>(random() % 3);
    MoveCase fresh(device, shape, tokens, static_cast<std::uint32_t>(number) + 1);
    CHECK(gathers(given, fresh, gathered, sets));
  }
}

TEST_CASE("survivors of random cases reach their slots and nothing else changes") {
  VACANCY_ON_DEVICE(device);
  check_random_cases(device, simt::host::finds_races ? 3 : 24, 150);
}

TEST_CASE("the same of large cases", "[slow]") {
  VACANCY_ON_DEVICE(device);
  check_random_cases(device, static_cast<int>(scaled(300)), 400);
}

TEST_CASE("the same of 10,000 large cases, by hand: minutes on a CPU", "[.all]") {
  VACANCY_ON_DEVICE(device);
  check_random_cases(device, 10'000, 400);
}

TEST_CASE("survivors of every format, head size and block size are gathered to blocks of others") {
  VACANCY_ON_DEVICE(device);
  std::mt19937 random(3);
  std::size_t number = 0;
  const std::vector<int> tokens{150, 37};
  for (const auto format : {gpu::RowFormat::bf16, gpu::RowFormat::fp8, gpu::RowFormat::int8,
                            gpu::RowFormat::int4, gpu::RowFormat::nvfp4, gpu::RowFormat::fp32})
    for (const int head_dim : {64, 128, 256})
      for (const int slots : {16, 32, 64, 128}) {
        CAPTURE(static_cast<int>(format), head_dim, slots);
        const WithSchedule with(in_turn(number++));
        const gpu::PoolShape shape{
            .layers = 2, .heads = 2, .head_dim = head_dim, .slots = slots, .format = format};
        gpu::PoolShape other = shape;
        other.order = gpu::PoolOrder::slots_first;
        other.slots = slots == 128 ? 16 : 2 * slots;
        MoveCase from(device, shape, tokens, 1), to(device, other, tokens, 2);
        std::vector<Moves> lists;
        for (const int length : tokens)
          lists.push_back(gathering(random_survivors(length, 0.4, random)));
        CHECK(gathers(from, to, lists));
      }
}

TEST_CASE("blocks are copied up to their fill") {
  VACANCY_ON_DEVICE(device);
  for (const auto order :
       {gpu::PoolOrder::planes_first, gpu::PoolOrder::slots_first, gpu::PoolOrder::units_first}) {
    const gpu::PoolShape shape{.layers = 2, .heads = 3, .head_dim = 64, .order = order};
    MoveCase given(device, shape, {16, 16, 16, 16}, 4);
    const std::vector<std::int32_t> from{given.tables[0][0], given.tables[1][0]};
    const std::vector<std::int32_t> to{given.tables[2][0], given.tables[3][0]};
    const std::vector<std::int32_t> slots{16, 5};
    const gpu::Buffer<std::int32_t> f(device, from), t(device, to), s(device, slots);
    given.pool().run_to(
        given.pool(),
        gpu::CopyBlocks{
            .from_blocks = f.data(), .to_blocks = t.data(), .slots = s.data(), .count = 2});
    auto wanted = given.images[0];
    for (std::size_t i = 0; i < 2; ++i)
      for (int layer = 0; layer < 2; ++layer)
        for (int kind = 0; kind < 2; ++kind)
          for (int head = 0; head < 3; ++head)
            for (int slot = 0; slot < slots[i]; ++slot) {
              const auto row = given.images[0].row(layer, kind, head, from[i], slot);
              wanted.set_row(layer, kind, head, to[i], slot, row);
            }
    CHECK(given.pool().download() == wanted.bytes());
  }
}

TEST_CASE("rows of tokens go into their slots and come back") {
  VACANCY_ON_DEVICE(device);
  for (const auto& [sharing, order] :
       {std::pair(gpu::Sharing::one(), gpu::PoolOrder::planes_first),
        std::pair(gpu::Sharing::per_layer(2), gpu::PoolOrder::planes_first),
        std::pair(gpu::Sharing::one(), gpu::PoolOrder::units_first)}) {
    const gpu::PoolShape shape{
        .layers = 2, .heads = 2, .head_dim = 64, .order = order, .tables = sharing};
    MoveCase given(device, shape, std::vector<int>(static_cast<std::size_t>(sharing.count), 40), 6);
    constexpr int tokens = 3;
    const int places[tokens] = {39, -1, 16};  // the second goes nowhere
    std::vector<std::int64_t> mapping;
    for (const int place : places)
      for (const auto& table : given.tables)
        mapping.push_back(
            place < 0 ? -1 : table[static_cast<std::size_t>(place / 16)] * 16 + place % 16);
    const std::size_t row = 128, token_bytes = 2 * 2 * 2 * row;
    std::vector<std::uint8_t> rows(tokens * token_bytes);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    const gpu::Buffer<std::int64_t> slots(device, mapping);
    const gpu::Buffer<std::uint8_t> in(device, rows), out(device, rows.size());
    device.run(gpu::AppendRows{.pool = given.pool().parts()[0],
                               .rows = in.data(),
                               .slot_mapping = slots.data(),
                               .tokens = tokens,
                               .sharing = sharing});
    auto wanted = given.images[0];
    for (std::size_t token = 0; token < tokens; ++token)
      for (int plane = 0; plane < 8; ++plane) {
        const int layer = plane / 4;
        const auto& table = given.tables[sharing.layer != 0 ? static_cast<std::size_t>(layer) : 0];
        if (places[token] < 0) continue;
        wanted.set_row(layer, plane / 2 % 2, plane % 2,
                       table[static_cast<std::size_t>(places[token] / 16)], places[token] % 16,
                       std::span(rows).subspan(
                           token * token_bytes + static_cast<std::size_t>(plane) * row, row));
      }
    CHECK(given.pool().download() == wanted.bytes());
    device.run(gpu::ReadRows{.pool = given.pool().parts()[0],
                             .rows = out.data(),
                             .slot_mapping = slots.data(),
                             .tokens = tokens,
                             .sharing = sharing});
    std::fill(rows.begin() + token_bytes, rows.begin() + 2 * token_bytes, 0xFF);
    CHECK(out.download() == rows);
  }
}

TEST_CASE("packing in rounds: few where survivors are spread, one where they are not") {
  std::mt19937 random(1);
  const auto rounds = [&](const std::vector<int>& survivors) {
    std::vector<std::int32_t> source, target;
    for (const auto& move : packing(survivors)) {
      source.push_back(move.source);
      target.push_back(move.target);
    }
    const std::vector<std::int32_t> begin{0}, end{static_cast<std::int32_t>(source.size())};
    const auto plan = gpu::pack_rounds(begin, end, source, target);
    for (std::size_t r = 0; r < plan.count(); ++r)  // no target of a round is one of its sources
      CHECK(target[static_cast<std::size_t>(plan.bounds[r + 1] - 1)] <
            source[static_cast<std::size_t>(plan.bounds[r])]);
    CHECK(plan.bounds.back() == end[0]);
    return plan.count();
  };
  CHECK(rounds(random_survivors(32768, 0.5, random)) < 20);
  CHECK(rounds(random_survivors(32768, 0.1, random)) < 8);
  CHECK(rounds({40, 41, 42}) == 1);
  CHECK(rounds({0, 1, 2}) == 0);
}

TEST_CASE("shapes that no kernel has are refused by name") {
  VACANCY_ON_DEVICE(device);
  MoveCase given(device, {.head_dim = 64}, {20}, 1);
  gpu::MoveRows op{.pool = given.pool().parts()[0],
                   .tables = given.device_tables(),
                   .moves = given.device_moves({{{1, 0}}}, {})};
  op.pool.layout.unit_bytes = 2;
  CHECK_THROWS_WITH(device.run(op), Catch::Matchers::Contains("MoveRows: units have 4, 8 or 16"));
  op.pool.layout.unit_bytes = 16;
  op.pool.layout.row_units = 3;
  CHECK_THROWS_WITH(device.run(op), Catch::Matchers::Contains("MoveRows: a row has 1, 2, 4"));
  CHECK_THROWS_AS(gpu::pool_parts({.head_dim = 24, .blocks = 1}), std::invalid_argument);
  CHECK_THROWS_AS(gpu::pool_parts({.blocks = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace vacancy::test
