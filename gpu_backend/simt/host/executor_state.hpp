// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "gpu_backend/simt/host/collective.hpp"
#include "gpu_backend/simt/host/executor.hpp"
#include "gpu_backend/simt/host/fiber.hpp"
#include "gpu_backend/simt/host/memory.hpp"
#include "gpu_backend/simt/host/ready_queue.hpp"
#include "gpu_backend/simt/host/sanitizers.hpp"

namespace vacancy::simt::host {

/// One an OS thread: runs launches one after another and keeps its stacks.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

  void run(dim3 grid, dim3 block, std::size_t dynamic_bytes, void (*call)(const void*),
           const void* body);

  Votes barrier(int predicate, Location location);
  Collective& arrive(const Arrival& arrival);
  void depart(Collective& collective);
  void* shared_memory(const void* key, std::size_t bytes, std::size_t alignment);
  void* dynamic_memory();
  void preempt();
  void fence();
  unsigned lane() const { return current_ % 32; }

  ExecutionCounts counts;

 private:
  /// Unwinds the threads of a block that failed.
  struct Abort {};

  // Fibers. A team of `threads_` fibers runs the blocks in turn; the race detector gets several
  // teams, with stacks of their own, so that blocks are strangers to each other.
  void open(dim3 block, std::uint64_t blocks);
  void close();
  void run_block();
  void unwind_block();
  VACANCY_SIMT_UNSEEN static void entry(boost::context::detail::transfer_t transfer);
  void call_kernel();
  unsigned thread_done();
  VACANCY_SIMT_UNSEEN void switch_to(unsigned thread, bool for_good);
  VACANCY_SIMT_UNSEEN void landed(boost::context::detail::transfer_t transfer, void* asan_stack);
  /// The launching thread is number threads_.
  VACANCY_SIMT_UNSEEN Fiber& fiber(unsigned thread) {
    return thread == threads_ ? launcher_ : fibers_[team_ * threads_ + thread];
  }
  Fiber& me() { return fiber(current_); }

  // Who runs next.
  void retire(const Fiber& gone);
  void open_barrier();
  void wake(unsigned warp, const Collective& collective);
  void wake_one(unsigned thread, Fiber::State state, const Collective* collective);
  void block_on(Fiber::State state, const char* operation, Location location);
  unsigned pick();
  void give_way();
  void note_deadlock();
  [[noreturn]] void fail(const std::string& message) const;

  ReadyQueue ready_;
  std::unique_ptr<Fiber[]> fibers_;  // [team][thread]
  std::size_t fiber_count_ = 0;
  Fiber launcher_;
  unsigned team_ = 0, teams_ = 1;
  std::vector<std::unique_ptr<unsigned char[]>> stacks_;
  std::vector<void*> tsan_fibers_;
  std::vector<Warp> warps_;
  CollectiveStore collectives_;
  SharedMemory shared_;
  unsigned threads_ = 0, current_ = 0, previous_ = 0;
  unsigned alive_ = 0, waiting_ = 0;  // of the block; at its barrier
  int votes_ = 0;
  Votes result_{};
  unsigned turn_ = 0;  // of the barrier's tokens
  Location barrier_location_;
  bool quit_ = false, abort_ = false;
  std::exception_ptr failure_;
  void (*call_)(const void*) = nullptr;
  const void* body_ = nullptr;
  std::size_t dynamic_bytes_ = 0;

  // What the race detector takes as order. Those of barriers are fresh for each block: otherwise
  // one block's barrier would order another's accesses. A block has two, for its barriers in turn:
  // a thread that runs ahead to the next barrier must not order what it did on the way before those
  // that have yet to leave this one, and nobody reaches the one after before all have.
  std::unique_ptr<char[]> barrier_tokens_;
  char grid_token_ = 0, launch_token_ = 0, done_token_ = 0;
};

}  // namespace vacancy::simt::host
