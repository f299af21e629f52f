// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vacancy {

/// While it lives, the first Ctrl-C (or SIGTERM, or the end of the terminal) only sets a flag, so
/// that the program can clean up; the second one ends the program at once. A signal that was to be
/// ignored, as under nohup, stays ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
};

/// Thrown out of a callback by which a command was asked to stop.
struct Cancelled {};

}  // namespace vacancy
