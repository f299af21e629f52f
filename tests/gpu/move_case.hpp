// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "gpu_backend/launch/device_pool.hpp"
#include "gpu_backend/launch/pack_rounds.hpp"
#include "gpu_backend/reference/pool_image.hpp"

namespace vacancy::test {

/// Block tables of several requests in a pool, and their moves, on the host and on a device.
class MoveCase {
 public:
  /// `tokens`: of each table, request by request.
  MoveCase(gpu::Device& device, gpu::PoolShape shape, const std::vector<int>& tokens,
           std::uint32_t seed)
      : device_(&device), random_(seed) {
    const auto blocks_of = [&](int n) { return (n + shape.slots - 1) / shape.slots; };
    int blocks = 3;  // some that no table has: they must not change
    for (const int n : tokens)
      blocks += blocks_of(n);
    shape.blocks = blocks;
    std::vector<std::int32_t> order(static_cast<std::size_t>(blocks));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    auto next = order.begin();
    std::vector<std::int32_t> indptr{0};
    for (const int n : tokens) {
      tables.emplace_back(next, next + blocks_of(n));
      next += blocks_of(n);
      indptr.push_back(static_cast<std::int32_t>(next - order.begin()));
    }
    indptr_ = gpu::Buffer<std::int32_t>(device, indptr);
    indices_ = gpu::Buffer<std::int32_t>(device, order);
    pool_.emplace_back(device, shape);
    for (std::size_t part = 0; part < pool().parts().size(); ++part) {
      const gpu::PoolLayout& layout = pool().parts()[part].layout;
      images.emplace_back(shape, static_cast<std::size_t>(layout.row_units * layout.unit_bytes));
      for (auto& byte : images.back().bytes())
        byte = static_cast<std::uint8_t>(random_());
    }
    upload();
  }

  const gpu::DevicePool& pool() const { return pool_.front(); }
  void upload() {
    for (std::size_t part = 0; part < images.size(); ++part)
      pool_.front().upload(images[part].bytes(), part);
  }
  gpu::BlockTables device_tables() const {
    const gpu::Sharing sharing = pool().shape().tables;
    return {.indptr = indptr_.data(),
            .indices = indices_.data(),
            .requests = static_cast<int>(tables.size()) / sharing.count,
            .sharing = sharing};
  }

  /// `lists`: of the keep sets, request by request. Valid until the next call.
  gpu::MoveLists device_moves(const std::vector<gpu::reference::Moves>& lists,
                              const gpu::Sharing& sets) {
    begin_ = {}, source_ = {}, target_ = {};
    std::vector<std::int32_t> bounds{0};
    int longest = 0;
    for (const auto& list : lists) {
      for (const auto& move : list) {
        source_.push_back(move.source);
        target_.push_back(move.target);
      }
      bounds.push_back(static_cast<std::int32_t>(source_.size()));
      longest = std::max(longest, static_cast<int>(list.size()));
    }
    begin_.assign(bounds.begin(), bounds.end() - 1);
    end_.assign(bounds.begin() + 1, bounds.end());
    device_bounds_ = gpu::Buffer<std::int32_t>(*device_, bounds);
    device_source_ = gpu::Buffer<std::int32_t>(*device_, source_);
    device_target_ = gpu::Buffer<std::int32_t>(*device_, target_);
    return {device_bounds_.data(),
            device_bounds_.data() + 1,
            device_source_.data(),
            device_target_.data(),
            sets,
            longest};
  }

  /// Packs in rounds, after device_moves().
  void run_rounds(gpu::MoveLists moves) {
    const gpu::PackRounds rounds = gpu::pack_rounds(begin_, end_, source_, target_);
    const gpu::Buffer<std::int32_t> bounds(*device_, rounds.bounds);
    for (std::size_t round = 0; round < rounds.count(); ++round) {
      moves.begin = bounds.data() + round * rounds.lists;
      moves.end = moves.begin + rounds.lists;
      moves.longest = rounds.longest[round];
      pool().run(gpu::MoveRows{.tables = device_tables(), .moves = moves});
    }
  }

  /// Whether the pool holds what the images would after the moves, in every byte.
  bool moved_as(const std::vector<gpu::reference::Moves>& lists, const gpu::Sharing& sets) const {
    return gathered_as(*this, lists, sets);
  }
  /// The same of moves from another pool's tables.
  bool gathered_as(const MoveCase& from, const std::vector<gpu::reference::Moves>& lists,
                   const gpu::Sharing& sets) const {
    for (std::size_t part = 0; part < images.size(); ++part) {
      gpu::reference::PoolImage wanted = images[part];
      gpu::reference::move_rows(from.images[part], from.tables, wanted, tables, lists, sets);
      if (pool().download(part) != wanted.bytes()) return false;
    }
    return true;
  }
  bool as_uploaded() const {
    for (std::size_t part = 0; part < images.size(); ++part)
      if (pool().download(part) != images[part].bytes()) return false;
    return true;
  }

  std::vector<gpu::reference::Table> tables;
  std::vector<gpu::reference::PoolImage> images;  // of each part, as uploaded

 private:
  gpu::Device* device_;
  std::mt19937 random_;
  std::vector<gpu::DevicePool> pool_;
  gpu::Buffer<std::int32_t> indptr_, indices_;
  std::vector<std::int32_t> begin_, end_, source_, target_;
  gpu::Buffer<std::int32_t> device_bounds_, device_source_, device_target_;
};

/// Gathers rows to another pool's tables; whether all bytes of both are as they should be.
inline bool gathers(MoveCase& from, MoveCase& to, const std::vector<gpu::reference::Moves>& lists,
                    const gpu::Sharing& sets = {}) {
  from.upload();
  to.upload();
  from.pool().run_to(to.pool(), gpu::GatherRows{.from_tables = from.device_tables(),
                                                .to_tables = to.device_tables(),
                                                .moves = from.device_moves(lists, sets)});
  return to.gathered_as(from, lists, sets) && from.as_uploaded();
}

/// Survivors one after the other, to fresh blocks.
inline gpu::reference::Moves gathering(const std::vector<int>& survivors) {
  gpu::reference::Moves moves;
  for (std::size_t j = 0; j < survivors.size(); ++j)
    moves.push_back({survivors[j], static_cast<std::int32_t>(j)});
  return moves;
}
/// Survivors close ranks; rows that stay are left out.
inline gpu::reference::Moves packing(const std::vector<int>& survivors) {
  gpu::reference::Moves moves = gathering(survivors);
  std::erase_if(moves, [](const auto& move) { return move.source == move.target; });
  return moves;
}
/// The survivors beyond the new end take the free slots below it, in random pairs.
inline gpu::reference::Moves hole_filling(const std::vector<int>& survivors, std::mt19937& random) {
  const int kept = static_cast<int>(survivors.size());
  std::vector<int> free(survivors.size()), beyond;
  std::iota(free.begin(), free.end(), 0);
  for (const int s : survivors)
    if (s < kept)
      free.erase(std::find(free.begin(), free.end(), s));
    else
      beyond.push_back(s);
  std::shuffle(free.begin(), free.end(), random);
  gpu::reference::Moves moves;
  for (std::size_t i = 0; i < beyond.size(); ++i)
    moves.push_back({beyond[i], free[i]});
  return moves;
}

}  // namespace vacancy::test
