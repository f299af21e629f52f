// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/engine.hpp"

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

}  // namespace vacancy
