// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vacancy {

/// While it lives, the first Ctrl-C (or SIGTERM) only sets a flag, so that the program can clean
/// up; the second one ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
};

}  // namespace vacancy
