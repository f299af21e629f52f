// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/simt/host/executor.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "gpu_backend/simt/host/executor_state.hpp"
#include "gpu_backend/simt/host/sanitizers.hpp"

namespace vacancy::simt::host {
namespace {

/// Threads that meet mostly name one literal: its address tells, and saves strcmp.
bool same(const char* a, const char* b) {
  return a == b || std::strcmp(a, b) == 0;
}

std::string text(const Location& location) {
  return std::string(location.file) + ":" + std::to_string(location.line);
}

ScheduleOptions options_of_environment() {
  ScheduleOptions options;
  if (const char* order = std::getenv("VACANCY_SIMT_ORDER")) {
    const std::string name = order;
    if (name == "reverse")
      options.order = Order::reverse;
    else if (name == "random")
      options.order = Order::random;
    else if (name != "forward")
      throw KernelError("VACANCY_SIMT_ORDER is \"" + name + "\": use forward, reverse or random");
  }
  if (const char* seed = std::getenv("VACANCY_SIMT_SEED")) {
    const char* const end = seed + std::strlen(seed);
    const auto [rest, error] = std::from_chars(seed, end, options.seed);
    if (error != std::errc{} || rest != end)
      throw KernelError(std::string("VACANCY_SIMT_SEED is \"") + seed +
                        "\": use an integer from 0");
  }
  return options;
}

Executor& executor() {
  static thread_local Executor instance;
  return instance;
}
constinit thread_local Executor* active = nullptr;

/// The executor is free again, however the launch ended.
class Running {
 public:
  explicit Running(Executor& executor) { active = &executor; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { active = nullptr; }
};

}  // namespace

ScheduleOptions& schedule_options() {
  static ScheduleOptions options = options_of_environment();
  return options;
}
const ExecutionCounts& execution_counts() {
  return executor().counts;
}

void run(dim3 grid, dim3 block, std::size_t dynamic_bytes, void (*call)(const void*),
         const void* body) {
  if (active != nullptr) throw KernelError("a launch inside a launch");
  const Unseen unseen;
  const Running running(executor());
  executor().run(grid, block, dynamic_bytes, call, body);
}

Votes barrier(int predicate, Location location) {
  return active->barrier(predicate, location);
}
Collective& arrive(const Arrival& arrival) {
  return active->arrive(arrival);
}
void depart(Collective& collective) {
  active->depart(collective);
}
std::uint64_t exchange(const Arrival& arrival, unsigned source) {
  const Unseen unseen;
  Collective& collective = active->arrive(arrival);
  const std::uint64_t value = collective.value(source);
  active->depart(collective);
  return value;
}
void* shared_memory(const void* key, std::size_t bytes, std::size_t alignment) {
  return active->shared_memory(key, bytes, alignment);
}
void* dynamic_memory() {
  return active->dynamic_memory();
}
void preempt() {
  active->preempt();
}
void fence() {
  active->fence();
}
unsigned lane() {
  return active->lane();
}
bool running() {
  return active != nullptr;
}

Votes Executor::barrier(int predicate, Location location) {
  const Unseen unseen;
  if (waiting_ == 0) {
    votes_ = 0;
    barrier_location_ = location;
  } else if (location.line != barrier_location_.line ||
             !same(location.file, barrier_location_.file)) {
    fail("divergent __syncthreads: thread " + std::to_string(me().linear) + " at " +
         text(location) + ", others at " + text(barrier_location_));
  }
  votes_ += predicate != 0 ? 1 : 0;
  char* const token = &barrier_tokens_[turn_];
  happens_before(token);
  if (++waiting_ == alive_)
    open_barrier();
  else
    block_on(Fiber::State::at_barrier, "__syncthreads", location);
  happens_after(token);
  return result_;
}

Collective& Executor::arrive(const Arrival& arrival) {
  const auto& [mask, operation, location, value, predicate, orders_memory] = arrival;
  Fiber& self = me();
  const unsigned in_warp = self.linear % 32;
  Warp& warp = warps_[self.linear / 32];
  const std::uint32_t bit = 1u << in_warp;
  if ((mask & bit) == 0)
    fail(std::string(operation) + ": lane " + std::to_string(in_warp) +
         " calls it with a mask that it is not in, at " + text(location));
  Collective* meeting = warp.active;
  while (meeting != nullptr &&
         (meeting->mask != mask || (meeting->arrived & bit) != 0 || meeting->complete()))
    meeting = meeting->next;
  if (meeting == nullptr) {
    meeting = &collectives_.take();
    meeting->mask = mask;
    meeting->needed = mask & warp.alive;
    meeting->arrived = meeting->departed = meeting->predicates = 0;
    meeting->operation = operation;
    meeting->location = location;
    meeting->token = orders_memory ? std::make_unique<char>() : nullptr;
    meeting->next = warp.active;
    warp.active = meeting;
  } else if (!same(meeting->operation, operation)) {
    fail("lane " + std::to_string(in_warp) + " calls " + operation + " at " + text(location) +
         " while lanes of its mask call " + meeting->operation + " at " + text(meeting->location));
  }
  meeting->values[in_warp] = value;
  meeting->predicates |= predicate ? bit : 0;
  meeting->arrived |= bit;
  if (orders_memory) happens_before(meeting->token.get());
  if (meeting->complete()) {
    wake(self.linear / 32, *meeting);
  } else {
    self.meeting = meeting;
    block_on(Fiber::State::at_warp, operation, location);
  }
  if (orders_memory) happens_after(meeting->token.get());
  return *meeting;
}

void Executor::depart(Collective& collective) {
  collective.departed |= 1u << lane();
  if (collective.departed != collective.arrived) return;
  Collective** link = &warps_[me().linear / 32].active;
  while (*link != &collective)
    link = &(*link)->next;
  *link = collective.next;
  collectives_.give_back(collective);
  ++counts.collectives;
}

void* Executor::shared_memory(const void* key, std::size_t bytes, std::size_t alignment) {
  const Unseen unseen;
  void* const memory = shared_.find_or_make(key, bytes, alignment);
  if (memory == nullptr) fail("more than 227 KiB of shared memory in one block");
  return memory;
}

void* Executor::dynamic_memory() {
  if (dynamic_bytes_ == 0) fail("the kernel uses dynamic shared memory, the launch gave none");
  return shared_memory(this, dynamic_bytes_, 128);
}

void Executor::preempt() {
  if (ready_.order() != Order::random) return;
  const Unseen unseen;
  if (ready_.random() % 4 != 0) return;
  ready_.push(current_);
  give_way();
  if (abort_) throw Abort{};
}

void Executor::fence() {
  happens_before(&grid_token_);
  happens_after(&grid_token_);
}

void Executor::note_deadlock() {
  constexpr int most = 8;
  std::string message = "deadlock";
  int stuck = 0;
  for (unsigned i = 0; i < threads_; ++i)
    if (fiber(i).state != Fiber::State::done && ++stuck <= most)
      message += "\n  thread " + std::to_string(i) + " waits in " + fiber(i).operation + " at " +
                 text(fiber(i).location);
  if (stuck > most) message += "\n  and " + std::to_string(stuck - most) + " more";
  try {
    fail(message);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void Executor::fail(const std::string& message) const {
  throw KernelError("block (" + std::to_string(blockIdx.x) + "," + std::to_string(blockIdx.y) +
                    "," + std::to_string(blockIdx.z) + "): " + message);
}

}  // namespace vacancy::simt::host
