// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/kernels/views.hpp"

namespace vacancy::gpu {

/// Whoever can run an operation, a struct that says what is read and written where.
template <class Operation>
class Runs {
 public:
  virtual ~Runs() = default;
  /// Puts the operation's kernels in order on a stream. Throws std::invalid_argument for shapes
  /// that no kernel has, naming the operation.
  virtual void run(const Operation& operation, Stream stream = nullptr) = 0;
};

template <class... Operation>
class RunsAll : public Runs<Operation>... {
 public:
  using Runs<Operation>::run...;
};

}  // namespace vacancy::gpu
