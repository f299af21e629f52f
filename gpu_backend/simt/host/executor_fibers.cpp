// SPDX-License-Identifier: Apache-2.0
// The executor's threads: their stacks, who runs next, and the switches between them.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "gpu_backend/simt/host/executor_state.hpp"
#include "gpu_backend/simt/host/memtrace.hpp"

namespace vacancy::simt::host {
namespace {

constexpr std::size_t stack_bytes = 64 * 1024;
#if VACANCY_SIMT_TSAN
// libtsan of GCC 12 ends the program beyond 8,128 of them.
constexpr std::uint64_t most_tsan_fibers = 2048;
#endif

}  // namespace

Executor::~Executor() {
#if VACANCY_SIMT_TSAN
  for (void* fiber : tsan_fibers_)
    __tsan_destroy_fiber(fiber);
#endif
}

void Executor::run(dim3 grid, dim3 block, std::size_t dynamic_bytes, void (*call)(const void*),
                   const void* body) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > max_block_threads)
    throw KernelError("a block of " + std::to_string(threads) + " threads");
  if (dynamic_bytes > max_shared_bytes)
    throw KernelError("more than 227 KiB of dynamic shared memory");
  if (grid.x > 0x7FFFFFFFu || grid.y > 0xFFFFu || grid.z > 0xFFFFu)
    throw KernelError("a grid of " + std::to_string(grid.x) + " x " + std::to_string(grid.y) +
                      " x " + std::to_string(grid.z) + " blocks");
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  if (blocks == 0) throw KernelError("a grid without blocks");
  ready_.start(schedule_options());
  call_ = call;
  body_ = body;
  dynamic_bytes_ = dynamic_bytes;
  gridDim = grid;
  blockDim = block;
  threads_ = static_cast<unsigned>(threads);
  open(block, blocks);

  std::vector<std::uint64_t> order(blocks);
  for (std::uint64_t i = 0; i < blocks; ++i)
    order[i] = ready_.order() == Order::reverse ? blocks - 1 - i : i;
  if (ready_.order() == Order::random)
    for (std::uint64_t i = blocks; i > 1; --i)
      std::swap(order[i - 1], order[ready_.random() % i]);
  happens_before(&launch_token_);
  for (const std::uint64_t b : order) {
    blockIdx = {static_cast<unsigned>(b % grid.x), static_cast<unsigned>(b / grid.x % grid.y),
                static_cast<unsigned>(b / grid.x / grid.y)};
    run_block();
    if (failure_) break;
  }
  happens_after(&done_token_);
  close();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Executor::open(dim3 block, [[maybe_unused]] std::uint64_t blocks) {
  quit_ = false;
  teams_ = 1;
#if VACANCY_SIMT_TSAN
  teams_ = static_cast<unsigned>(std::clamp<std::uint64_t>(most_tsan_fibers / threads_, 1, blocks));
  launcher_.tsan_fiber = __tsan_get_current_fiber();
#endif
  const std::size_t count = std::size_t{teams_} * threads_;
  if (count > fiber_count_) fibers_ = std::make_unique<Fiber[]>(count);
  fiber_count_ = std::max(fiber_count_, count);
  warps_.assign((threads_ + 31) / 32, Warp{});
  while (stacks_.size() < count)
    stacks_.push_back(std::make_unique_for_overwrite<unsigned char[]>(stack_bytes));
#if VACANCY_SIMT_TSAN
  while (tsan_fibers_.size() < count)
    tsan_fibers_.push_back(__tsan_create_fiber(0));
#endif
  for (std::size_t k = 0; k < count; ++k) {
    Fiber& fiber = fibers_[k];
    fiber = {};
    const unsigned i = fiber.linear = static_cast<unsigned>(k % threads_);
    fiber.index = {i % block.x, i / block.x % block.y, i / block.x / block.y};
    fiber.stack = stacks_[k].get();
    fiber.stack_bytes = stack_bytes;
    fiber.context =
        boost::context::detail::make_fcontext(fiber.stack + stack_bytes, stack_bytes, &entry);
#if VACANCY_SIMT_TSAN
    fiber.tsan_fiber = tsan_fibers_[k];
#endif
  }
  team_ = 0;
  current_ = threads_;
}

void Executor::close() {
  quit_ = true;
  for (team_ = 0; team_ < teams_; ++team_)
    for (unsigned i = 0; i < threads_; ++i) {
      switch_to(i, false);
#if VACANCY_SIMT_ASAN
      __asan_unpoison_memory_region(fiber(i).stack, fiber(i).stack_bytes);
#endif
    }
}

void Executor::run_block() {
  ++counts.blocks;
  counts.threads += threads_;
  alive_ = threads_;
  waiting_ = 0;
  ready_.clear();
  barrier_tokens_ = std::make_unique<char[]>(2);
  for (unsigned i = 0; i < threads_; ++i) {
    fiber(i).state = Fiber::State::ready;
    warps_[i / 32].alive |= 1u << (i % 32);
    ready_.push(ready_.order() == Order::reverse ? threads_ - 1 - i : i);
#if VACANCY_SIMT_TSAN
    const std::string name = "block " + std::to_string(blockIdx.x) + "," +
                             std::to_string(blockIdx.y) + "," + std::to_string(blockIdx.z) +
                             " thread " + std::to_string(i);
    __tsan_set_fiber_name(fiber(i).tsan_fiber, name.c_str());
#endif
  }
  give_way();  // comes back when the block is done, or stuck
  if (failure_) unwind_block();
  trace_block_end();
  shared_.clear();
  barrier_tokens_.reset();
  team_ = (team_ + 1) % teams_;
}

void Executor::unwind_block() {
  abort_ = true;
  for (unsigned i = 0; i < threads_; ++i)
    if (fiber(i).state != Fiber::State::done) {
      ready_.clear();
      switch_to(i, false);
    }
  abort_ = false;
}

void Executor::entry(boost::context::detail::transfer_t transfer) {
  auto& self = *static_cast<Executor*>(transfer.data);
  self.landed(transfer, nullptr);
  while (!self.quit_) {
    if (!self.abort_) self.call_kernel();
    self.switch_to(self.thread_done(), false);
  }
  self.switch_to(self.threads_, true);
}

void Executor::call_kernel() {
  happens_after(&launch_token_);
  try {
    call_(body_);
  } catch (const Abort&) {
  } catch (...) {
    const Unseen unseen;
    if (!failure_) failure_ = std::current_exception();
  }
  happens_before(&done_token_);
}

unsigned Executor::thread_done() {
  const Unseen unseen;
  me().state = Fiber::State::done;
  retire(me());
  return failure_ ? threads_ : pick();
}

/// As on a GPU, nobody waits any longer for a thread that exited.
void Executor::retire(const Fiber& gone) {
  --alive_;
  Warp& warp = warps_[gone.linear / 32];
  warp.alive &= ~(1u << (gone.linear % 32));
  for (Collective* c = warp.active; c != nullptr; c = c->next) {
    if (c->complete()) continue;
    c->needed &= warp.alive | c->arrived;
    if (c->complete()) wake(gone.linear / 32, *c);
  }
  if (waiting_ != 0 && waiting_ == alive_) open_barrier();
}

void Executor::open_barrier() {
  result_ = {votes_, static_cast<int>(waiting_)};
  waiting_ = 0;
  turn_ ^= 1;
  ++counts.barriers;
  for (unsigned k = 0; k < threads_; ++k)
    wake_one(ready_.order() == Order::reverse ? threads_ - 1 - k : k, Fiber::State::at_barrier,
             nullptr);
}

void Executor::wake(unsigned warp, const Collective& collective) {
  const bool reverse = ready_.order() == Order::reverse;
  for (std::uint32_t lanes = collective.arrived; lanes != 0;) {
    const auto lane =
        static_cast<unsigned>(reverse ? 31 - std::countl_zero(lanes) : std::countr_zero(lanes));
    lanes &= ~(1u << lane);
    wake_one(warp * 32 + lane, Fiber::State::at_warp, &collective);
  }
}

void Executor::wake_one(unsigned thread, Fiber::State state, const Collective* collective) {
  if (thread >= threads_) return;
  Fiber& sleeper = fiber(thread);
  if (sleeper.state != state || (collective != nullptr && sleeper.meeting != collective)) return;
  sleeper.state = Fiber::State::ready;
  ready_.push(thread);
}

void Executor::block_on(Fiber::State state, const char* operation, Location location) {
  Fiber& self = me();
  self.state = state;
  self.operation = operation;
  self.location = location;
  give_way();
  if (abort_) throw Abort{};
}

/// A thread that is ready, or the launcher.
unsigned Executor::pick() {
  if (!ready_.empty()) return ready_.pop();
  if (alive_ != 0 && current_ != threads_ && !failure_ && !abort_) note_deadlock();
  return threads_;
}

void Executor::give_way() {
  const unsigned next = pick();
  if (next != current_) switch_to(next, false);
}

VACANCY_SIMT_HOT void Executor::switch_to(unsigned thread, [[maybe_unused]] bool for_good) {
  ++counts.switches;
  Fiber* const from = &fiber(current_);
  Fiber* const to = &fiber(thread);
  previous_ = current_;
  current_ = thread;
  threadIdx = to->index;
#if VACANCY_SIMT_ASAN
  __sanitizer_start_switch_fiber(for_good ? nullptr : &from->asan_stack, to->stack,
                                 to->stack_bytes);
#endif
#if VACANCY_SIMT_TSAN
  // Nothing instrumented may be entered between this call and the jump: TSan follows calls on a
  // stack of its own.
  __tsan_switch_to_fiber(to->tsan_fiber, __tsan_switch_to_fiber_no_sync);
#endif
  landed(boost::context::detail::jump_fcontext(to->context, this), from->asan_stack);
}

/// Runs on the stack that was switched to.
VACANCY_SIMT_HOT void Executor::landed(boost::context::detail::transfer_t transfer,
                                       [[maybe_unused]] void* asan_stack) {
  Fiber* const from = &fiber(previous_);
  from->context = transfer.fctx;
#if VACANCY_SIMT_ASAN
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(asan_stack, &bottom, &bytes);
  if (previous_ == threads_) {
    from->stack = static_cast<unsigned char*>(const_cast<void*>(bottom));
    from->stack_bytes = bytes;
  }
#endif
}

}  // namespace vacancy::simt::host
