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

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_seen = 0;
  for (const int signal : signals)
    if (std::signal(signal, note_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : signals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

bool InterruptGuard::interrupted() const {
  return interrupt_seen != 0;
}

}  // namespace vacancy
