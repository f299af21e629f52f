// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/eviction/registry.hpp"

namespace vacancy {

// One function a policy file.
PolicyEntry full_entry();
PolicyEntry random_entry();
PolicyEntry streaming_llm_entry();
PolicyEntry h2o_entry();
PolicyEntry snapkv_entry();
PolicyEntry knorm_entry();
PolicyEntry triattention_entry();
PolicyEntry tova_entry();
PolicyEntry keydiff_entry();
PolicyEntry lagkv_entry();
PolicyEntry r_kv_entry();
PolicyEntry chunkkv_entry();
PolicyEntry vase_entry();
PolicyEntry cur_entry();
PolicyEntry q_filter_entry();
PolicyEntry paged_eviction_entry();
PolicyEntry pyramidkv_entry();
PolicyEntry ada_kv_entry();
PolicyEntry critical_kv_entry();
PolicyEntry kvzip_entry();
PolicyEntry rocketkv_entry();
PolicyEntry kv_compress_entry();
PolicyEntry ragged_blocks_entry();
PolicyEntry head_pruning_entry();
PolicyEntry block_h2o_entry();
PolicyEntry whole_blocks_entry();
PolicyEntry swap_entry();
PolicyEntry two_price_entry();
PolicyEntry sliding_window_entry();
PolicyEntry rolling_buffer_entry();
PolicyEntry scissorhands_entry();
PolicyEntry expected_attention_entry();
PolicyEntry lazy_eviction_entry();
PolicyEntry openvino_entry();
PolicyEntry zipage_entry();
PolicyEntry fastv_entry();
PolicyEntry quest_entry();
PolicyEntry token_gating_entry();
PolicyEntry keep_list_entry();

}  // namespace vacancy
