// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vacancy {

enum class RunStatus {
  running,
  completed,      // every sequence has all its tokens
  out_of_memory,  // a token found no slot
  stopped,        // a cap was reached, or requests were rejected
};

}  // namespace vacancy
