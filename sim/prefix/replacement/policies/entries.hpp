// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/prefix/replacement/registry.hpp"

namespace vacancy {

// One function a policy file.
ReplacementEntry lru_entry();
ReplacementEntry lfu_entry();
ReplacementEntry fifo_entry();
ReplacementEntry slru_entry();
ReplacementEntry priority_entry();
ReplacementEntry mru_entry();
ReplacementEntry filo_entry();
ReplacementEntry length_aware_entry();
ReplacementEntry ttl_entry();
ReplacementEntry cost_aware_entry();
ReplacementEntry s3_fifo_entry();
ReplacementEntry arc_entry();
ReplacementEntry w_tinylfu_entry();
ReplacementEntry belady_entry();
ReplacementEntry page_aware_entry();

}  // namespace vacancy
