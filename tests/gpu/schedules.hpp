// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>

#include "gpu_backend/simt/host/executor.hpp"

namespace vacancy::test {

/// The schedules that every kernel must give the same bytes under.
inline constexpr std::array all_schedules{
    simt::host::ScheduleOptions{simt::host::Order::forward, 1},
    simt::host::ScheduleOptions{simt::host::Order::reverse, 1},
    simt::host::ScheduleOptions{simt::host::Order::random, 1},
    simt::host::ScheduleOptions{simt::host::Order::random, 2}};

/// The schedule of a case of that number; the environment's where that names one.
inline simt::host::ScheduleOptions in_turn(std::size_t number) {
  if (std::getenv("VACANCY_SIMT_ORDER") != nullptr) return simt::host::schedule_options();
  return all_schedules[number % all_schedules.size()];
}

/// Launches run by it until the end of the scope.
class WithSchedule {
 public:
  explicit WithSchedule(const simt::host::ScheduleOptions& options)
      : before_(simt::host::schedule_options()) {
    simt::host::schedule_options() = options;
  }
  WithSchedule(const WithSchedule&) = delete;
  WithSchedule& operator=(const WithSchedule&) = delete;
  ~WithSchedule() { simt::host::schedule_options() = before_; }

 private:
  simt::host::ScheduleOptions before_;
};

}  // namespace vacancy::test
