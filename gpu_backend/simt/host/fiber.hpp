// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>

#include "gpu_backend/simt/host/collective.hpp"
#include "gpu_backend/simt/host/location.hpp"
#include "gpu_backend/simt/host/vocabulary.hpp"

namespace vacancy::simt::host {

/// A CUDA thread, or the OS thread that launched the kernel.
struct Fiber {
  enum class State : std::uint8_t { ready, at_barrier, at_warp, done };

  // Boost's own fibers announce their switches to ASan only over ucontext, which Debian's library
  // lacks; hence the level below, and the announcements in Executor::switch_to().
  boost::context::detail::fcontext_t context = nullptr;
  unsigned char* stack = nullptr;
  std::size_t stack_bytes = 0;
  uint3 index{};        // threadIdx
  unsigned linear = 0;  // x fastest
  State state = State::ready;
  Collective* meeting = nullptr;
  const char* operation = "";  // that it waits in
  Location location;
  void* asan_stack = nullptr;
  void* tsan_fiber = nullptr;
};

/// The lanes of one warp that have not exited, and the operations that some of them are in.
struct Warp {
  std::uint32_t alive = 0;
  Collective* active = nullptr;
};

}  // namespace vacancy::simt::host
