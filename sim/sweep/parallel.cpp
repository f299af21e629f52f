// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace vacancy {

void in_parallel(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work,
                 const std::function<void()>& watch) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable ended;
  std::exception_ptr error;
  const std::size_t threads_wanted = std::min(jobs, count);
  std::size_t running = threads_wanted;

  const auto loop = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++)
        work(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    --running;
    ended.notify_all();
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < threads_wanted; ++i)
      threads.emplace_back(loop);
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
      lock.unlock();
      watch();
      lock.lock();
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace vacancy
