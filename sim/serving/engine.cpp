// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/engine.hpp"

#include "sim/serving/vllm/beam_manager.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

std::unique_ptr<CacheManager> make_cache_manager(const EngineProfile& profile, Bytes block_bytes,
                                                 Observer& observer) {
  if (profile.radix) {
    RadixOptions options = *profile.radix;
    options.page_bytes = block_bytes;
    return std::make_unique<RadixManager>(options, observer);
  }
  if (profile.reuse_tree) return std::make_unique<ReuseTreeManager>(*profile.reuse_tree, observer);
  if (profile.contiguous)
    return std::make_unique<ContiguousManager>(*profile.contiguous,
                                               profile.max_sequence_tokens.value(), observer);
  VACANCY_ASSERT(profile.hash_chain, "a profile says how memory is managed");
  return std::make_unique<HashChainManager>(*profile.hash_chain, block_bytes, observer);
}

std::unique_ptr<CacheManager> make_beam_manager(const EngineProfile& profile, Bytes block_bytes,
                                                const BeamParents& parents, Observer& observer) {
  VACANCY_ASSERT(profile.hash_chain, "candidates share the blocks of vLLM's tables");
  return std::make_unique<BeamManager>(*profile.hash_chain, block_bytes, parents, observer);
}

}  // namespace vacancy
