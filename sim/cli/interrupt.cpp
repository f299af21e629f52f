// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/interrupt.hpp"

#include <csignal>

namespace vacancy {

namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t interrupt_seen = 0;

extern "C" void note_interrupt(int signal) {
  interrupt_seen = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_seen = 0;
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() const {
  return interrupt_seen != 0;
}

}  // namespace vacancy
