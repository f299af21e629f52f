// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/prompt_keys.hpp"

#include "sim/units/philox.hpp"

namespace vacancy {

namespace {

/// Mixes a chain with three words; Philox is a bijection of its counter under every key.
std::uint64_t mixed(std::uint64_t chain, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                    std::uint32_t use) {
  const PhiloxCounter first = philox4x32_10(
      {static_cast<std::uint32_t>(chain), static_cast<std::uint32_t>(chain >> 32), a, b}, {c, use});
  return std::uint64_t{first[1]} << 32 | first[0];
}

}  // namespace

void PromptKeys::add(ContentKind kind, std::uint32_t number, std::uint32_t version,
                     std::uint32_t tokens) {
  constexpr std::uint32_t content = 0, block = 1;
  if (tokens == 0) return;
  chain_ = mixed(chain_, static_cast<std::uint32_t>(kind), number, version, content);
  tokens_ += tokens;
  for (; blocks_ < tokens_ / block_size_; ++blocks_)
    keys_.push_back(mixed(chain_, blocks_, 0, 0, block));
}

}  // namespace vacancy
