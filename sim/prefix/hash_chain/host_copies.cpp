// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/hash_chain/host_copies.hpp"

#include "sim/units/error.hpp"

namespace vacancy {

HostCopies::HostCopies(std::uint32_t blocks, const ReplacementEntry& replacement,
                       const ParameterValues& parameters)
    : blocks_(blocks), policy_(replacement.make(parameters, {blocks})) {
  VACANCY_ASSERT(blocks > 0, "a host tier has room");
}

std::span<const std::uint32_t> HostCopies::leading(std::span<const ContentId> contents) {
  found_.clear();
  for (const ContentId& id : contents) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) break;
    found_.push_back(found->second.value());
  }
  return found_;
}

void HostCopies::touch(std::span<const ContentId> contents) {
  for (auto id = contents.rbegin(); id != contents.rend(); ++id) {
    const auto found = entries_.find(*id);
    if (found == entries_.end()) continue;
    BlockAccess access;
    access.content = number(*id);
    policy_->hit(found->second, access);
    policy_->released(found->second);
  }
}

ContentIndex HostCopies::number(const ContentId& id) {
  const ContentIndex fresh(static_cast<std::uint32_t>(numbers_.size()));
  return numbers_.try_emplace(id, fresh).first->second;
}

EntryId HostCopies::take_entry(const BlockAccess& incoming) {
  if (size() < blocks_) {
    contents_.emplace_back();
    return EntryId(size());
  }
  const auto victim = policy_->victim(incoming);
  VACANCY_ASSERT(victim, "the blocks that come in do not pin all the others");
  policy_->removed(*victim, Removal::evicted);
  entries_.erase(contents_[victim->value()]);
  return *victim;
}

const HostCopies::Stored& HostCopies::store(std::span<const ContentId> contents, SimTime now) {
  stored_.contents.clear();
  stored_.blocks.clear();
  stored_.evicted = 0;
  if (contents.size() > blocks_) return stored_;
  // None of them is evicted for another.
  pinned_.clear();
  const auto pin = [&](EntryId entry) {
    policy_->pinned(entry);
    pinned_.push_back(entry);
  };
  for (const ContentId& id : contents)
    if (const auto found = entries_.find(id); found != entries_.end()) pin(found->second);
  for (std::uint32_t i = 0; i < contents.size(); ++i) {
    const ContentId& id = contents[i];
    if (entries_.contains(id)) continue;
    BlockAccess access;
    access.content = number(id);
    access.now = now;
    stored_.evicted += size() == blocks_;
    const EntryId entry = take_entry(access);
    contents_[entry.value()] = id;
    entries_.emplace(id, entry);
    policy_->inserted(entry, access);
    policy_->released(entry);
    pin(entry);
    stored_.contents.push_back(i);
    stored_.blocks.push_back(entry.value());
  }
  for (const EntryId entry : pinned_)
    policy_->unpinned(entry);
  return stored_;
}

}  // namespace vacancy
