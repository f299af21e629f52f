// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/units/philox.hpp"

namespace vacancy::verify {

namespace {

std::vector<std::uint32_t> spread(std::uint32_t all, std::uint32_t wanted) {
  const std::uint32_t count = std::clamp(wanted, 1u, all);
  std::vector<std::uint32_t> chosen(count);
  for (std::uint32_t i = 1; i < count; ++i)
    chosen[i] = static_cast<std::uint32_t>(std::uint64_t{i} * (all - 1) / (count - 1));
  return chosen;
}

}  // namespace

HeldPlanes choose_planes(const CacheLayout& layout, std::uint32_t layers, std::uint32_t heads) {
  return {spread(layout.layers(), layers), spread(layout.kv_heads(), heads)};
}

KvMemory::KvMemory(gpu::Device& device, const CacheLayout& layout, std::uint32_t block_size,
                   HeldPlanes planes)
    : device_(device), planes_(std::move(planes)), block_size_(block_size) {
  switch (layout.table_kind()) {
    case TableKind::shared:
      sharing_ = gpu::Sharing::one();
      break;
    case TableKind::per_layer:
      sharing_ = gpu::Sharing::per_layer(layers());
      break;
    case TableKind::per_layer_per_head:
      sharing_ = gpu::Sharing::per_layer_and_head(layers(), heads());
      break;
  }
  tables_.resize(static_cast<std::size_t>(sharing_.count));
  for (int plane = 0; plane < this->planes(); ++plane) {
    const std::uint32_t layer = real_layer(plane), head = real_head(plane);
    const int held = plane / heads() * sharing_.layer + plane % heads() * sharing_.head;
    std::uint32_t table = 0;
    if (layout.table_kind() == TableKind::per_layer) table = layer;
    if (layout.table_kind() == TableKind::per_layer_per_head)
      table = layer * layout.kv_heads() + head;
    tables_[static_cast<std::size_t>(held)] = table;
    table_of_.push_back(held);
    std::uint32_t set = 0;
    while (layout.policy_set(table, set) != layout.policy_set_of(layer, head))
      ++set;
    set_of_.push_back(set);
  }
  reserve(64);
}

/// A pool keeps blocks end to end, so that a larger one begins with the smaller one's bytes.
void KvMemory::reserve(std::int64_t blocks, Tier tier) {
  std::optional<gpu::DevicePool>& pool = pool_of(tier);
  if (pool && blocks <= pool->shape().blocks) return;
  gpu::PoolShape shape;
  shape.layers = layers();
  shape.heads = heads();
  shape.head_dim = head_dim;
  shape.slots = static_cast<int>(block_size_);
  shape.tables = sharing_;
  shape.blocks =
      static_cast<int>(pool ? std::max(blocks, std::int64_t{pool->shape().blocks} * 2) : blocks);
  gpu::DevicePool larger(device_, shape);
  if (pool) {
    const auto bytes = static_cast<std::size_t>(gpu::pool_parts(pool->shape())[0].bytes);
    device_.copy(larger.parts()[0].base, pool->parts()[0].base, bytes);
  }
  pool.emplace(std::move(larger));
}

void KvMemory::reserve_for(const std::vector<std::int64_t>& slot_mapping, Tier tier) {
  std::int64_t last = 0;
  for (const std::int64_t slot : slot_mapping)
    last = std::max(last, slot);
  reserve(last / block_size_ + 1, tier);
}

KvMemory::DeviceTables KvMemory::upload(const std::vector<std::vector<std::int32_t>>& tables,
                                        const std::vector<std::uint32_t>* lengths) {
  std::vector<std::int32_t> indptr = {0}, indices, last_page_len;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    std::size_t pages = tables[t].size();
    std::uint32_t last = block_size_;
    if (lengths != nullptr) {
      const std::uint32_t length = (*lengths)[t];
      pages = (length + block_size_ - 1) / block_size_;
      last = length == 0 ? 0 : (length - 1) % block_size_ + 1;
    }
    for (std::size_t i = 0; i < pages; ++i) {
      indices.push_back(tables[t][i]);
      reserve(std::int64_t{tables[t][i]} + 1);
    }
    indptr.push_back(static_cast<std::int32_t>(indices.size()));
    last_page_len.push_back(static_cast<std::int32_t>(last));
  }
  return {gpu::Buffer(device_, indptr), gpu::Buffer(device_, indices),
          gpu::Buffer(device_, last_page_len)};
}

gpu::BlockTables KvMemory::view(const DeviceTables& tables) const {
  return {tables.indptr.data(), tables.indices.data(), tables.last_page_len.data(), 1, sharing_};
}

void KvMemory::append(std::vector<std::int64_t> slot_mapping, std::span<const RowId> ids) {
  std::vector<std::uint16_t> rows(rows_of(ids.size()));
  std::span<std::uint16_t> rest = rows;
  for (const RowId id : ids)
    for (int layer = 0; layer < layers(); ++layer)
      for (const RowKind kind : {RowKind::key, RowKind::value})
        for (int head = 0; head < heads(); ++head, rest = rest.subspan(head_dim))
          fill_row(id, real_layer(layer * heads()), real_head(head), kind, rest.first(head_dim));
  append_rows(std::move(slot_mapping), std::move(rows));
}

void KvMemory::append_rows(std::vector<std::int64_t> slot_mapping,
                           std::vector<std::uint16_t> rows) {
  MemoryWork work;
  work.slot_mapping = std::move(slot_mapping);
  work.rows = std::move(rows);
  if (watcher_) watcher_(work);
  reserve_for(work.slot_mapping);
  const gpu::Buffer on_device(device_, work.rows);
  const gpu::Buffer slots(device_, work.slot_mapping);
  device_.run(gpu::AppendRows{.pool = pool_->parts()[0],
                              .rows = on_device.data(),
                              .slot_mapping = slots.data(),
                              .tokens = static_cast<int>(work.slot_mapping.size()) / sharing_.count,
                              .sharing = sharing_});
  device_.synchronize();
}

void KvMemory::move(MemoryWork work) {
  if (watcher_) watcher_(work);
  std::vector<std::int32_t> begin, end, source, target;
  int longest = 0;
  for (const auto& moves : work.moves) {
    begin.push_back(static_cast<std::int32_t>(source.size()));
    for (const Books::Move& move : moves) {
      source.push_back(move.source);
      target.push_back(move.target);
    }
    end.push_back(static_cast<std::int32_t>(source.size()));
    longest = std::max(longest, static_cast<int>(moves.size()));
  }
  if (longest == 0) return;
  const gpu::Buffer begins(device_, begin), ends(device_, end), sources(device_, source),
      targets(device_, target);
  const DeviceTables tables = upload(work.tables);
  const DeviceTables fresh = upload(work.fresh);  // both before a pool is taken: they may grow it
  const gpu::MoveLists lists{.begin = begins.data(),
                             .end = ends.data(),
                             .source = sources.data(),
                             .target = targets.data(),
                             .sets = gpu::Sharing::per_layer_and_head(layers(), heads()),
                             .longest = longest};
  if (work.kind == MemoryWork::Kind::copy_out)
    pool_->run_to(
        *pool_,
        gpu::GatherRows{.from_tables = view(tables), .to_tables = view(fresh), .moves = lists});
  else if (work.kind == MemoryWork::Kind::pack)
    pool_->run(gpu::PackRows{.tables = view(tables), .moves = lists});
  else
    pool_->run(gpu::MoveRows{.tables = view(tables), .moves = lists});
  device_.synchronize();
}

void KvMemory::copy_blocks(MemoryWork::Kind kind, std::vector<Books::BlockCopy> blocks) {
  MemoryWork work;
  work.kind = kind;
  work.blocks = std::move(blocks);
  if (watcher_) watcher_(work);
  const Tier source = kind == MemoryWork::Kind::from_host ? Tier::host : Tier::device;
  const Tier target = kind == MemoryWork::Kind::to_host ? Tier::host : Tier::device;
  std::vector<std::int32_t> from, to, slots;
  for (const Books::BlockCopy& copy : work.blocks) {
    from.push_back(copy.from);
    to.push_back(copy.to);
    slots.push_back(copy.slots);
    reserve(std::int64_t{copy.from} + 1, source);
    reserve(std::int64_t{copy.to} + 1, target);
  }
  if (work.blocks.empty()) return;
  const gpu::Buffer froms(device_, from), tos(device_, to), counts(device_, slots);
  pool_of(source)->run_to(*pool_of(target),
                          gpu::CopyBlocks{.from_blocks = froms.data(),
                                          .to_blocks = tos.data(),
                                          .slots = counts.data(),
                                          .count = static_cast<int>(work.blocks.size())});
  device_.synchronize();
}

std::vector<std::uint16_t> KvMemory::read(const std::vector<std::int64_t>& slot_mapping,
                                          Tier tier) {
  const std::size_t tokens = slot_mapping.size() / static_cast<std::size_t>(sharing_.count);
  reserve_for(slot_mapping, tier);
  const gpu::Buffer<std::uint16_t> rows(device_, rows_of(tokens));
  const gpu::Buffer slots(device_, slot_mapping);
  device_.run(gpu::ReadRows{.pool = pool_of(tier)->parts()[0],
                            .rows = rows.data(),
                            .slot_mapping = slots.data(),
                            .tokens = static_cast<int>(tokens),
                            .sharing = sharing_});
  return rows.download();
}

std::span<const std::uint16_t> KvMemory::row(const std::vector<std::uint16_t>& rows,
                                             std::size_t token, int plane, RowKind kind) const {
  const auto layer = static_cast<std::size_t>(plane / heads()),
             count = static_cast<std::size_t>(heads());
  const std::size_t number = ((token * static_cast<std::size_t>(layers()) + layer) * 2 +
                              (kind == RowKind::value ? 1 : 0)) *
                                 count +
                             static_cast<std::size_t>(plane % heads());
  return std::span(rows).subspan(number * head_dim, head_dim);
}

std::vector<float> KvMemory::attention(const std::vector<std::vector<std::int32_t>>& tables,
                                       const std::vector<std::uint32_t>& lengths,
                                       const std::vector<std::vector<std::int32_t>>& positions,
                                       std::uint64_t query_seed) {
  std::size_t stride = 0;
  for (const auto& of_plane : positions)
    stride = std::max(stride, of_plane.size());
  std::vector<std::int32_t> flat(positions.size() * stride, no_token);
  for (std::size_t i = 0; i < positions.size(); ++i)
    std::copy(positions[i].begin(), positions[i].end(),
              flat.begin() + static_cast<std::ptrdiff_t>(i * stride));
  std::vector<float> query(static_cast<std::size_t>(planes()) * head_dim);
  for (std::size_t i = 0; i < query.size(); ++i)
    query[i] =
        static_cast<float>(unit_interval(philox4x32_10({static_cast<std::uint32_t>(i), 0, 0, 0},
                                                       philox_key(query_seed))[0]) *
                               2 -
                           1);
  const DeviceTables on_device = upload(tables, &lengths);
  const gpu::Buffer slots(device_, flat);
  const gpu::Buffer queries(device_, query);
  const gpu::Buffer<float> output(device_, query.size());
  gpu::DecodeAttention attention{.pool = pool_->parts()[0],
                                 .tables = view(on_device),
                                 .slots = {slots.data(), static_cast<std::int64_t>(stride),
                                           gpu::Sharing::per_layer_and_head(layers(), heads())},
                                 .query = queries.data(),
                                 .output = output.data(),
                                 .query_heads = heads(),
                                 .head_dim = head_dim,
                                 .scale = 1 / std::sqrt(static_cast<float>(head_dim))};
  const gpu::Buffer<float> workspace(device_,
                                     static_cast<std::size_t>(gpu::decode_workspace(attention)));
  attention.workspace = workspace.data();
  device_.run(attention);
  return output.download();
}

}  // namespace vacancy::verify
