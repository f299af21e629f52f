// SPDX-License-Identifier: Apache-2.0
// What the executor tells the sanitizers, in the builds that have them.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define VACANCY_SIMT_ASAN 1
#else
#define VACANCY_SIMT_ASAN 0
#endif

// Thread sanitizer's instrumentation without its library counts memory transactions (memtrace.hpp).
#if defined(__SANITIZE_THREAD__) && !defined(VACANCY_SIMT_MEMTRACE)
#include <sanitizer/tsan_interface.h>
extern "C" {
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
}
#define VACANCY_SIMT_TSAN 1
#define VACANCY_SIMT_UNSEEN __attribute__((no_sanitize("thread")))
#define VACANCY_SIMT_HOT
#else
#define VACANCY_SIMT_TSAN 0
#define VACANCY_SIMT_UNSEEN
// A switch of stacks upsets the prediction of returns: calls round it are kept few.
#define VACANCY_SIMT_HOT inline __attribute__((always_inline))
#endif

namespace vacancy::simt::host {

inline constexpr bool finds_races = VACANCY_SIMT_TSAN != 0;

/// While alive, the race detector does not look at what this CUDA thread does: the executor's own
/// bookkeeping orders nothing on a GPU.
class Unseen {
 public:
#if VACANCY_SIMT_TSAN
  VACANCY_SIMT_UNSEEN Unseen() {
    AnnotateIgnoreReadsBegin("", 0);
    AnnotateIgnoreWritesBegin("", 0);
  }
  VACANCY_SIMT_UNSEEN ~Unseen() {
    AnnotateIgnoreWritesEnd("", 0);
    AnnotateIgnoreReadsEnd("", 0);
  }
#else
  Unseen() {}
  ~Unseen() {}
#endif
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
};

inline void happens_before([[maybe_unused]] void* token) {
#if VACANCY_SIMT_TSAN
  __tsan_release(token);
#endif
}
inline void happens_after([[maybe_unused]] void* token) {
#if VACANCY_SIMT_TSAN
  __tsan_acquire(token);
#endif
}

}  // namespace vacancy::simt::host
