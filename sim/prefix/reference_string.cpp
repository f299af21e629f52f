// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reference_string.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

/// One below no_content, so that every number of a content or reference fits 32 bits.
constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max() - 1;

}  // namespace

ReferenceString::ReferenceString(const BlockSplit& split) : split_(split), parts_(0) {
  if (split.block_tokens == 0 || split.key_tokens % split.block_tokens != 0)
    throw UserError("A block of " + std::to_string(split.block_tokens) +
                    " tokens does not divide the trace's blocks of " +
                    std::to_string(split.key_tokens) + ": choose a divisor as cache.block_size.");
  parts_ = split.key_tokens / split.block_tokens;
}

void ReferenceString::add(const StringRequest& request) {
  const std::uint64_t tokens = request.tokens + (split_.partial ? split_.block_tokens - 1 : 0ULL);
  const std::uint64_t blocks =
      std::min(tokens / split_.block_tokens, std::uint64_t{request.keys.size()} * parts_);
  if (contents_.size() + blocks > most || requests_.size() >= most)
    throw UserError("The requests refer to more than " + std::to_string(most) +
                    " blocks: serve fewer requests.");

  const std::uint32_t tenant = tenant_numbers_.try_emplace(request.tenant, tenants()).first->second;
  if (tenant == tenants()) keys_.emplace_back();
  auto& keys = keys_[tenant];
  requests_.push_back(
      {contents_.size(), request.tokens, request.priority, request.arrival, tenant});
  input_tokens_ += request.tokens;
  for (std::uint64_t block = 0; block < blocks; block += parts_) {
    const auto used = static_cast<std::uint32_t>(std::min<std::uint64_t>(parts_, blocks - block));
    const auto [found, added] = keys.try_emplace(request.keys[block / parts_], Key{0, 0});
    Key& key = found->second;
    if (added) {
      if (content_bound_ + std::uint64_t{parts_} > most)
        throw UserError("The requests have more than " + std::to_string(most) +
                        " different blocks: serve fewer requests.");
      key.number = content_bound_ / parts_;
      content_bound_ += parts_;
    }
    if (used > key.parts) {
      unique_ += used - key.parts;
      key.parts = used;
    }
    for (std::uint32_t part = 0; part < used; ++part)
      contents_.emplace_back(key.number * parts_ + part);
  }
}

}  // namespace vacancy
