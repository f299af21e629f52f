// SPDX-License-Identifier: Apache-2.0
// Counts the memory transactions of kernels. They are compiled with -fsanitize=thread, and the
// calls that this puts at every load and store land here instead of in libtsan.
#include "gpu_backend/simt/host/memtrace.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu_backend/simt/host/executor.hpp"

namespace vacancy::simt::host {
namespace {

constexpr unsigned word = 4, sector = 32, banks = 32;

struct Access {
  std::uintptr_t address;
  unsigned bytes, lane;
};
/// One pass of a warp through one instruction.
struct Request {
  TracedMemory memory = TracedMemory::global;
  bool of_rows = false;
  bool write = false;
  std::vector<Access> accesses;
};
struct Range {
  std::uintptr_t end;
  TracedMemory memory;
  bool rows = false;
};

struct Trace {
  std::map<std::uintptr_t, Range> ranges;
  std::map<std::tuple<unsigned, std::uintptr_t, unsigned>, Request> open;  // warp, pc, pass
  std::unordered_map<std::uintptr_t, std::unordered_map<unsigned, unsigned>> passes;  // pc, thread
  TransactionTotals totals;
};
Trace& trace() {
  static Trace instance;
  return instance;
}

unsigned words_of(const Access& access) {
  return std::max(access.bytes, word) / word;
}

void count_sectors(const Request& request, Transactions& sum) {
  std::set<std::uintptr_t> words, sectors;
  for (const Access& access : request.accesses)
    for (unsigned i = 0; i < words_of(access); ++i) {
      const std::uintptr_t address = access.address + std::uintptr_t{i} * word;
      words.insert(address / word);
      sectors.insert(address / sector);
    }
  ++sum.requests;
  sum.bytes += words.size() * word;
  sum.units += sectors.size();
  sum.ideal += (words.size() * word + sector - 1) / sector;
}

/// A wide access goes in phases of so many lanes that 128 bytes are carried.
void count_wavefronts(const Request& request, Transactions& sum) {
  ++sum.requests;
  const unsigned lanes = banks * word / std::max(request.accesses[0].bytes, word);
  for (unsigned first = 0; first < 32; first += lanes) {
    std::map<unsigned, std::set<std::uintptr_t>> bank;
    for (const Access& access : request.accesses) {
      if (access.lane < first || access.lane >= first + lanes) continue;
      for (unsigned i = 0; i < words_of(access); ++i) {
        const std::uintptr_t at = access.address / word + i;
        bank[static_cast<unsigned>(at % banks)].insert(at);
      }
    }
    std::size_t worst = 0;
    for (const auto& [number, words] : bank) {
      worst = std::max(worst, words.size());
      sum.bytes += words.size() * word;
    }
    sum.units += worst;
    sum.ideal += worst != 0 ? 1 : 0;
  }
}

void close(const Request& request) {
  TransactionTotals& totals = trace().totals;
  if (request.memory == TracedMemory::shared)
    count_wavefronts(request, totals.shared);
  else if (request.of_rows)
    count_sectors(request, request.write ? totals.row_stores : totals.row_loads);
  else if (request.accesses[0].bytes >= 8)
    count_sectors(request, request.write ? totals.bulk_stores : totals.bulk_loads);
  else
    count_sectors(request, request.write ? totals.other_stores : totals.other_loads);
}

void access(const void* memory, unsigned bytes, bool write, const void* pc) {
  if (!running()) return;
  Trace& t = trace();
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  auto range = t.ranges.upper_bound(address);
  if (range == t.ranges.begin() || address >= (--range)->second.end)
    return;  // stacks, parameters, the executor
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const auto at = reinterpret_cast<std::uintptr_t>(pc);
  const unsigned pass = t.passes[at][thread]++;
  Request& request = t.open[{thread / 32, at, pass}];
  request.memory = range->second.memory;
  request.of_rows = range->second.rows;
  request.write = write;
  request.accesses.push_back({address, bytes, thread % 32});
}

}  // namespace

void trace_range(const void* memory, std::size_t bytes, TracedMemory kind) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  trace().ranges[address] = {address + bytes, kind};
}

void trace_drop(const void* memory) {
  trace().ranges.erase(reinterpret_cast<std::uintptr_t>(memory));
}

void trace_block_end() {
  for (const auto& [key, request] : trace().open)
    close(request);
  trace().open.clear();
  trace().passes.clear();
}

void trace_rows(const void* memory) {
  trace().ranges.at(reinterpret_cast<std::uintptr_t>(memory)).rows = true;
}

TransactionTotals take_transactions() {
  return std::exchange(trace().totals, {});
}

}  // namespace vacancy::simt::host

// The names that the compiler calls.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
#define VACANCY_TRACED_CALL(name, bytes, write)                                \
  void name(void* p) {                                                         \
    vacancy::simt::host::access(p, bytes, write, __builtin_return_address(0)); \
  }
#define VACANCY_TRACED(n)                                 \
  VACANCY_TRACED_CALL(__tsan_read##n, n, false)           \
  VACANCY_TRACED_CALL(__tsan_write##n, n, true)           \
  VACANCY_TRACED_CALL(__tsan_unaligned_read##n, n, false) \
  VACANCY_TRACED_CALL(__tsan_unaligned_write##n, n, true)
VACANCY_TRACED(1)
VACANCY_TRACED(2)
VACANCY_TRACED(4)
VACANCY_TRACED(8)
VACANCY_TRACED(16)
void __tsan_read_range(void* p, unsigned long n) {
  vacancy::simt::host::access(p, static_cast<unsigned>(n), false, __builtin_return_address(0));
}
void __tsan_write_range(void* p, unsigned long n) {
  vacancy::simt::host::access(p, static_cast<unsigned>(n), true, __builtin_return_address(0));
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define VACANCY_TRACED_ATOMIC(n, T)                                                         \
  T __tsan_atomic##n##_load(const volatile T* p, int) {                                     \
    return __atomic_load_n(p, __ATOMIC_RELAXED);                                            \
  }                                                                                         \
  void __tsan_atomic##n##_store(volatile T* p, T v, int) {                                  \
    __atomic_store_n(p, v, __ATOMIC_RELAXED);                                               \
  }                                                                                         \
  T __tsan_atomic##n##_fetch_add(volatile T* p, T v, int) {                                 \
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);                                      \
  }                                                                                         \
  bool __tsan_atomic##n##_compare_exchange_weak(volatile T* p, T* e, T v, int, int) {       \
    return __atomic_compare_exchange_n(p, e, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);  \
  }                                                                                         \
  bool __tsan_atomic##n##_compare_exchange_strong(volatile T* p, T* e, T v, int, int) {     \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
  }
VACANCY_TRACED_ATOMIC(8, std::uint8_t)
VACANCY_TRACED_ATOMIC(32, std::uint32_t)
VACANCY_TRACED_ATOMIC(64, std::uint64_t)
}
// NOLINTEND(bugprone-reserved-identifier)
