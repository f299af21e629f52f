// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/vllm_ids.hpp"

#include "sim/conformance/case_reader.hpp"
#include "sim/serving/engine_profile.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

std::vector<std::uint32_t> engine_free_queue(const HashChainManager& manager) {
  std::vector<std::uint32_t> ids;
  manager.cache()->pool().free_queue().for_each(
      [&](BlockId block) { ids.push_back(engine_id(block)); });
  return ids;
}

std::vector<std::uint32_t> engine_cached(const HashChainManager& manager) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t block = 0; block < manager.cache()->pool().created(); ++block)
    if (manager.index().contains(BlockId(block))) ids.push_back(engine_id(BlockId(block)));
  return ids;
}

HashChainOptions vllm_options(const nlohmann::json& c) {
  const EngineProfile* profile = find_engine_profile(case_text(c, "profile"));
  if (!profile || !profile->hash_chain)
    throw UserError("profile \"" + case_text(c, "profile") + "\" is not one of vLLM's");
  HashChainOptions options = *profile->hash_chain;
  options.block_size = case_number(c, "block_size");
  if (options.block_size == 0) throw UserError("field \"block_size\" is 0");
  options.blocks = case_number(c, "usable_blocks");
  if (c.contains("full_sequence_gate"))
    options.full_sequence_gate = case_flag(c, "full_sequence_gate");
  if (c.contains("watermark_blocks")) options.watermark_blocks = case_number(c, "watermark_blocks");
  return options;
}

}  // namespace vacancy
