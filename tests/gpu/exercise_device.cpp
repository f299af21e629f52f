// SPDX-License-Identifier: Apache-2.0
// Runs every operation once on the device of VACANCY_GPU_DEVICE, for the checkers of
// scripts/gpu_check.
#include <iostream>

#include "tests/gpu/exercises.hpp"
#include "tests/gpu/on_device.hpp"

int main() {
  auto* const device = vacancy::test::test_device();
  if (device == nullptr) return vacancy::test::skipped_code;
  for (const auto& exercise : vacancy::test::exercises()) {
    std::cout << exercise.name << std::endl;  // before a checker's words about it
    exercise.run(*device);
    device->synchronize();
  }
}
