// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reuse_tree/contents.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

namespace vacancy::reuse_tree {

namespace {

/// SplitMix64's finaliser (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
/// OOPSLA'14).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

ContentSpace ContentSpaces::intern(std::optional<std::uint64_t> lora_task,
                                   std::optional<std::uint64_t> salt, bool extra_ids) {
  const ContentSpace next(static_cast<std::uint32_t>(spaces_.size()));
  return spaces_.try_emplace({lora_task, salt, extra_ids}, next).first->second;
}

bool operator==(const BlockContents& a, const BlockContents& b) {
  return a.tokens == b.tokens && a.space == b.space && a.extra == b.extra && a.key == b.key &&
         std::equal(a.words.begin(), a.words.end(), b.words.begin(), b.words.end());
}

std::uint32_t common_tokens(const BlockContents& a, const BlockContents& b) {
  if (a.space != b.space || a.extra != b.extra || a.key != b.key) return 0;
  const std::uint32_t shorter = std::min(a.tokens, b.tokens);
  if (a.words.empty()) return shorter;
  const auto [end, other] = std::mismatch(a.words.begin(), a.words.begin() + shorter,  //
                                          b.words.begin());
  return static_cast<std::uint32_t>(end - a.words.begin());
}

std::uint64_t bucket_hash(const BlockContents& contents) {
  std::uint64_t hash = mixed(std::uint64_t{contents.space.value()} << 32 | contents.tokens);
  hash = mixed(hash + contents.extra);
  hash = mixed(hash + contents.key);
  for (const std::uint64_t word : contents.words)
    hash = mixed(hash + word);
  return hash;
}

BlockContents ContentsView::block(std::uint32_t index, std::uint32_t usable) const {
  const std::uint64_t first = std::uint64_t{index} * block_size;
  BlockContents contents;
  contents.space = space;
  if (first >= usable) return contents;
  contents.tokens = std::min(block_size, usable - static_cast<std::uint32_t>(first));
  if (kind == ContentKind::tokens) {
    VACANCY_ASSERT(words.size() >= usable, "a token counts whose id was not given");
    contents.words = words.subspan(first, contents.tokens);
    if (index < extras.size()) contents.extra = extras[index];
  } else if (index < words.size()) {
    contents.key = words[index];
  } else {
    contents.key = index;
    contents.extra = own;
  }
  return contents;
}

}  // namespace vacancy::reuse_tree
