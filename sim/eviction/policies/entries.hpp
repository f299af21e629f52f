// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/eviction/registry.hpp"

namespace vacancy {

// One function a policy file.
PolicyEntry full_entry();
PolicyEntry random_entry();
PolicyEntry streaming_llm_entry();
PolicyEntry keep_list_entry();

}  // namespace vacancy
