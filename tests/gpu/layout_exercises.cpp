// SPDX-License-Identifier: Apache-2.0
// What a gather costs in formats and layouts other than [block][plane][slot][dim] of 128 or 256
// bytes a row. The shares follow from where rows lie; docs/gpu.md has the arithmetic.
#include "gpu_backend/simt/host/memtrace.hpp"
#include "tests/gpu/exercises.hpp"
#include "tests/gpu/move_case.hpp"

namespace vacancy::test {
namespace {

constexpr int tokens = 64;

/// Every third row, to slots that follow each other.
gpu::reference::Moves thirds() {
  gpu::reference::Moves moves;
  for (int row = 0; row < tokens; row += 3)
    moves.push_back({row, row / 3});
  return moves;
}

struct Layout {
  const char* name;
  gpu::RowFormat format;
  gpu::PoolOrder order;
  std::size_t part;  // of the pool: codes, scales
  RowShares shares;
};

constexpr Layout layouts[] = {
    {"slots first, BF16", gpu::RowFormat::bf16, gpu::PoolOrder::slots_first, 0, {1.0, 1.0}},
    {"slots first, FP8", gpu::RowFormat::fp8, gpu::PoolOrder::slots_first, 0, {1.0, 1.0}},
    {"units first, BF16", gpu::RowFormat::bf16, gpu::PoolOrder::units_first, 0, {0.5, 1.0}},
    {"units first, FP8", gpu::RowFormat::fp8, gpu::PoolOrder::units_first, 0, {0.5, 1.0}},
    {"NVFP4, codes", gpu::RowFormat::nvfp4, gpu::PoolOrder::planes_first, 0, {1.0, 1.0}},
    {"NVFP4, scales", gpu::RowFormat::nvfp4, gpu::PoolOrder::planes_first, 1, {0.375, 1.0}},
};

void gather_thirds(gpu::Device& device, const Layout& layout) {
  const gpu::PoolShape shape{.heads = 2, .format = layout.format, .order = layout.order};
  MoveCase from(device, shape, {tokens}, 1);
  const MoveCase to(device, shape, {tokens}, 2);
  const gpu::Pool &source = from.pool().parts()[layout.part],
                  &target = to.pool().parts()[layout.part];
  simt::host::trace_rows(source.base);
  simt::host::trace_rows(target.base);
  device.run(gpu::GatherRows{.from = source,
                             .from_tables = from.device_tables(),
                             .to = target,
                             .to_tables = to.device_tables(),
                             .moves = from.device_moves({thirds()}, {})});
}

/// Rows of 72 bytes, of which 8 are scales: why these have a pool of their own.
void gather_scales_beside_codes(gpu::Device& device) {
  constexpr int row = 9, slots = 16, blocks = 7;  // in units of 8 bytes
  const gpu::PoolLayout layout{.block = 2 * slots * row,
                               .per_kind = slots * row,
                               .per_slot = row,
                               .slots = slots,
                               .unit_bytes = 8};
  MoveCase tables(device, {}, {tokens}, 1);
  const gpu::Buffer<std::uint64_t> from(device, std::size_t{blocks} * 2 * slots * row),
      to(device, from.size());
  simt::host::trace_rows(from.data());
  simt::host::trace_rows(to.data());
  device.run(gpu::GatherRows{.from = {from.data() + 8, layout},
                             .from_tables = tables.device_tables(),
                             .to = {to.data() + 8, layout},
                             .to_tables = tables.device_tables(),
                             .moves = tables.device_moves({thirds()}, {})});
}

}  // namespace

std::vector<Exercise> layout_exercises() {
  std::vector<Exercise> all;
  for (const Layout& layout : layouts)
    all.push_back({std::string("GatherRows, ") + layout.name, layout.shares,
                   [&layout](gpu::Device& device) { gather_thirds(device, layout); }});
  all.push_back(
      {"GatherRows, scales beside codes", {6.0 / 22, 6.0 / 22}, gather_scales_beside_codes});
  return all;
}

}  // namespace vacancy::test
