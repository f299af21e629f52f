// SPDX-License-Identifier: Apache-2.0
// Runs every operation, or with an argument a kernel that is known to be wrong, under TSan, which
// prints what it finds and makes the exit status 66.
#include <iostream>

#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/simt/host/sanitizers.hpp"
#include "tests/gpu/exercises.hpp"
#include "tests/gpu/racy_kernels.hpp"

int main(int argc, char** argv) {
  if (!vacancy::simt::host::finds_races) {
    std::cerr << "this program was built without TSan\n";
    return 2;
  }
  if (argc > 1) {
    if (vacancy::test::run_racy_kernel(argv[1])) return 0;
    std::cerr << "no racy kernel has the name " << argv[1] << '\n';
    return 2;
  }
  const auto device = open_device(vacancy::gpu::DeviceKind::cpu);
  for (const auto& exercises : {vacancy::test::exercises(), vacancy::test::layout_exercises()})
    for (const auto& exercise : exercises) {
      std::cout << exercise.name << std::endl;  // before TSan's words about it
      exercise.run(*device);
    }
}
