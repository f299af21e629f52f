// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <csignal>

#include "sim/cli/interrupt.hpp"

using vacancy::InterruptGuard;

TEST_CASE("the guard notes a signal once and gives signals back as they were") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  auto* const before = std::signal(signal, SIG_DFL);
  {
    const InterruptGuard guard;
    CHECK_FALSE(guard.interrupted());
    std::raise(signal);
    CHECK(guard.interrupted());
    CHECK(std::signal(signal, SIG_DFL) == SIG_DFL);  // the second one ends the program
  }
  CHECK(std::signal(signal, SIG_IGN) == SIG_DFL);
  {  // under nohup
    const InterruptGuard guard;
    std::raise(signal);
    CHECK_FALSE(guard.interrupted());
  }
  CHECK(std::signal(signal, before) == SIG_IGN);
}
