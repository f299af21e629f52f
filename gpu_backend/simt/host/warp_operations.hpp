// SPDX-License-Identifier: Apache-2.0
// Barriers, the warp operations and atomics, under CUDA's names.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "gpu_backend/simt/host/executor.hpp"
#include "gpu_backend/simt/host/sanitizers.hpp"

namespace vacancy::simt::host {

/// The lanes of a mask meet; `read` sees what they brought once all have arrived.
template <class Read>
auto meet(const Arrival& arrival, Read read) {
  const Unseen unseen;
  Collective& collective = arrive(arrival);
  const auto result = read(collective);
  depart(collective);
  return result;
}

/// An unsigned integer of a value's size: what a lane brings.
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

/// The value of lane `source`, or the own one if the source is `outside` the caller's segment.
template <class T>
T shuffle(std::uint32_t mask, T value, int source, bool outside, const char* operation,
          Location location) {
  const std::uint64_t bits = exchange({.mask = mask,
                                       .operation = operation,
                                       .location = location,
                                       .value = std::bit_cast<BitsOf<T>>(value)},
                                      static_cast<unsigned>(source));
  return outside ? value : std::bit_cast<T>(static_cast<BitsOf<T>>(bits));
}

/// What `read` makes of the predicates of all lanes.
template <class Read>
auto vote(std::uint32_t mask, int predicate, const char* operation, Location location, Read read) {
  return meet(
      {.mask = mask, .operation = operation, .location = location, .predicate = predicate != 0},
      read);
}

template <class Combine>
unsigned reduce(std::uint32_t mask, unsigned value, Combine combine, const char* operation,
                Location location) {
  return meet({.mask = mask, .operation = operation, .location = location, .value = value},
              [&](const Collective& collective) {
                unsigned result = value;
                for (unsigned l = 0; l < 32; ++l)
                  if ((collective.arrived >> l & 1) != 0 && l != lane())
                    result = combine(result, static_cast<unsigned>(collective.value(l)));
                return result;
              });
}

template <class T, class Change>
T atomic_update(T* target, Change change) {
  preempt();
  std::atomic_ref<T> atomic(*target);
  T old = atomic.load(std::memory_order_relaxed);
  while (!atomic.compare_exchange_weak(old, change(old), std::memory_order_relaxed)) {
  }
  return old;
}

}  // namespace vacancy::simt::host

inline namespace vacancy_simt {

inline void __syncthreads(VACANCY_SIMT_HERE) {
  vacancy::simt::host::barrier(0, location);
}
inline int __syncthreads_count(int predicate, VACANCY_SIMT_HERE) {
  return vacancy::simt::host::barrier(predicate, location).count;
}
inline int __syncthreads_or(int predicate, VACANCY_SIMT_HERE) {
  return vacancy::simt::host::barrier(predicate, location).count != 0 ? 1 : 0;
}
inline void __syncwarp(unsigned mask = ~0u, VACANCY_SIMT_HERE) {
  vacancy::simt::host::meet(
      {.mask = mask, .operation = "__syncwarp", .location = location, .orders_memory = true},
      [](const auto&) { return 0; });
}
inline void __threadfence() {
  vacancy::simt::host::fence();
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, VACANCY_SIMT_HERE) {
  const int own = static_cast<int>(vacancy::simt::host::lane());
  return vacancy::simt::host::shuffle(mask, value, (own & ~(width - 1)) | (source & (width - 1)),
                                      false, "__shfl_sync", location);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, VACANCY_SIMT_HERE) {
  const int own = static_cast<int>(vacancy::simt::host::lane()), d = static_cast<int>(delta);
  return vacancy::simt::host::shuffle(mask, value, own - d, (own & (width - 1)) < d,
                                      "__shfl_up_sync", location);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, VACANCY_SIMT_HERE) {
  const int own = static_cast<int>(vacancy::simt::host::lane()), d = static_cast<int>(delta);
  return vacancy::simt::host::shuffle(mask, value, own + d, (own & (width - 1)) + d >= width,
                                      "__shfl_down_sync", location);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, VACANCY_SIMT_HERE) {
  const int own = static_cast<int>(vacancy::simt::host::lane()), source = own ^ bits;
  return vacancy::simt::host::shuffle(mask, value, source, source >= (own & ~(width - 1)) + width,
                                      "__shfl_xor_sync", location);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, VACANCY_SIMT_HERE) {
  return vacancy::simt::host::vote(mask, predicate, "__ballot_sync", location,
                                   [](const auto& c) { return c.predicates; });
}
inline int __any_sync(unsigned mask, int predicate, VACANCY_SIMT_HERE) {
  return vacancy::simt::host::vote(mask, predicate, "__any_sync", location,
                                   [](const auto& c) { return c.predicates != 0 ? 1 : 0; });
}
inline int __all_sync(unsigned mask, int predicate, VACANCY_SIMT_HERE) {
  return vacancy::simt::host::vote(mask, predicate, "__all_sync", location,
                                   [](const auto& c) { return c.predicates == c.arrived ? 1 : 0; });
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value, VACANCY_SIMT_HERE) {
  return vacancy::simt::host::reduce(
      mask, value, [](unsigned a, unsigned b) { return a + b; }, "__reduce_add_sync", location);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value, VACANCY_SIMT_HERE) {
  return vacancy::simt::host::reduce(
      mask, value, [](unsigned a, unsigned b) { return std::max(a, b); }, "__reduce_max_sync",
      location);
}

template <class T>
T atomicAdd(T* target, std::type_identity_t<T> value) {
  return vacancy::simt::host::atomic_update(target,
                                            [value](T old) { return static_cast<T>(old + value); });
}
template <class T>
T atomicOr(T* target, std::type_identity_t<T> value) {
  return vacancy::simt::host::atomic_update(target,
                                            [value](T old) { return static_cast<T>(old | value); });
}
template <class T>
T atomicMax(T* target, std::type_identity_t<T> value) {
  return vacancy::simt::host::atomic_update(target,
                                            [value](T old) { return std::max(old, value); });
}

}  // namespace vacancy_simt
