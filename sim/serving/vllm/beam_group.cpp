// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/vllm/beam_group.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

namespace vacancy {

BeamGroup::BeamGroup(KvCache& cache, SequenceId request, std::uint32_t width, std::uint32_t length)
    : request_(request),
      block_size_(cache.config().block_size),
      present_(width, false),
      starts_(width, 0),
      beside_(width, 0),
      alike_(std::size_t{width} * width, length) {
  present_[0] = true;
  for (std::uint32_t candidate = 1; candidate < width; ++candidate)
    fork(cache, 0, candidate);
  find_starts(length);
}

void BeamGroup::fork(KvCache& cache, std::uint32_t parent, std::uint32_t child) {
  cache.fork(id(parent), id(child));
  present_[child] = true;
}

void BeamGroup::select(KvCache& cache, std::span<const std::uint32_t> parents,
                       std::uint32_t length) {
  VACANCY_ASSERT(parents.size() == width(), "each of the next candidates has a parent");
  children_.assign(width(), 0);
  for (const std::uint32_t parent : parents)
    ++children_[parent];
  std::uint32_t number = 0;  // the next one that nobody chose
  for (std::uint32_t parent = 0; parent < width(); ++parent)
    for (std::uint32_t child = 1; child < children_[parent]; ++child) {
      while (children_[number] > 0)
        ++number;
      cache.finish(id(number));
      fork(cache, parent, number);
      for (std::uint32_t other = 0; other < width(); ++other)
        alike(number, other) = alike(other, number) =
            other == parent ? length : alike(parent, other);
      ++number;
    }
  find_starts(length);
}

void BeamGroup::find_starts(std::uint32_t length) {
  common_ = length;
  for (std::uint32_t candidate = 1; candidate < width(); ++candidate) {
    std::uint32_t best = 0;
    for (std::uint32_t other = 1; other < candidate; ++other)
      if (alike(candidate, other) > alike(candidate, best)) best = other;
    beside_[candidate] = best;
    starts_[candidate] = alike(candidate, best);
    common_ = std::min(common_, starts_[candidate]);
  }
}

std::uint64_t BeamGroup::blocks_beside(std::uint32_t from, std::uint32_t to) const {
  const auto below = [&](std::uint32_t tokens) { return std::uint64_t{tokens} / block_size_; };
  const auto entries = [&](std::uint32_t tokens) {
    return (std::uint64_t{tokens} + block_size_ - 1) / block_size_;
  };
  std::uint64_t blocks = 0;
  for (const std::uint32_t start : starts().subspan(1))
    if (start < to) blocks += entries(to) - (from > start ? entries(from) : below(start));
  return blocks;
}

void BeamGroup::grow(KvCache& cache, std::uint32_t from, std::uint32_t to) {
  while (from < to) {
    std::uint32_t next = to;  // where somebody parts
    for (std::uint32_t candidate = 1; candidate < width(); ++candidate) {
      if (present_[candidate]) continue;
      if (starts_[candidate] <= from)
        fork(cache, beside_[candidate], candidate);
      else
        next = std::min(next, starts_[candidate]);
    }
    for (std::uint32_t candidate = 0; candidate < width(); ++candidate) {
      const bool grown = !present_[candidate] || cache.append(id(candidate), next - from);
      VACANCY_ASSERT(grown, "a group that grows finds its blocks");
    }
    from = next;
  }
}

void BeamGroup::leave(KvCache& cache, FreeCause cause) {
  for (std::uint32_t candidate = width(); candidate-- > 1;) {
    if (present_[candidate]) cache.finish(id(candidate), cause);
    present_[candidate] = false;
  }
}

}  // namespace vacancy
