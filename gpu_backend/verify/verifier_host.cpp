// SPDX-License-Identifier: Apache-2.0
// What goes to host memory and comes back.
#include <utility>
#include <vector>

#include "gpu_backend/verify/verifier.hpp"
#include "sim/pool/sequence_ids.hpp"

namespace vacancy::verify {

bool Verifier::waits(SequenceId sequence) const {
  return admission_ && request_of(sequence) == *admission_;
}

void Verifier::check_admitted() const {
  if (admission_) throw BookFault::of("request_admitted", "an admission without it");
}

void Verifier::copy_to_host(const Books::BlockCopies& copies) {
  Books::BlockCopies known;
  std::vector<std::uint32_t> host_blocks;
  for (const Books::BlockCopy& copy : copies) {
    const auto host_block = static_cast<std::uint32_t>(copy.to);
    if (!books_.host().at(host_block).watched) continue;
    known.push_back(copy);
    host_blocks.push_back(host_block);
  }
  if (known.empty()) return;
  memory_.copy_blocks(MemoryWork::Kind::to_host, std::move(known));
  compare_host(host_blocks);
}

void Verifier::follow(const HostBlocksStored& event) {
  const Books::BlockCopies copies = books_.apply(event);
  if (waits(event.sequence))
    stores_.insert(stores_.end(), copies.begin(), copies.end());
  else
    copy_to_host(copies);
}

void Verifier::follow(const HostBlocksLoaded& event) {
  Books::BlockCopies copies = books_.apply(event);
  Books::Sequence& sequence = books_.at(event.sequence);
  for (const std::uint32_t host_block : event.host_blocks)
    if (!books_.host().at(host_block).watched) stop_watching(sequence, event.first_entry);
  if (!sequence.watched) return;
  memory_.copy_blocks(MemoryWork::Kind::from_host, std::move(copies));
  const std::uint32_t b = books_.block_size();
  compare_rows(event.sequence, {event.first_entry * b}, event.blocks * b);
}

void Verifier::follow(const SequenceSwappedOut& event) {
  copy_to_host(books_.apply(event));
}

void Verifier::follow(const SequenceSwappedIn& event) {
  const Books::SwappedRequest* const swapped = books_.swapped_out(event.sequence);
  const bool known = swapped != nullptr && swapped->watched;
  Books::BlockCopies copies = books_.apply(event);
  const std::vector<SequenceId> sequences = books_.sequences_of(event.sequence);
  if (!known)
    for (const SequenceId id : sequences)
      stop_watching(books_.at(id), 0);
  if (!books_.at(event.sequence).watched) return;
  memory_.copy_blocks(MemoryWork::Kind::from_host, std::move(copies));
  for (const SequenceId id : sequences)
    compare_rows(id, {0}, books_.at(id).present);
}

void Verifier::follow(const RequestAdmitted& event) {
  books_.apply(event);
  if (!waits(event.sequence)) return;
  for (const SequenceId id : books_.sequences_of(event.sequence)) {
    const Books::Sequence& sequence = books_.at(id);
    const std::uint32_t computed = sequence.tokens() - sequence.present;
    write(id, sequence.present, computed);
    compare_rows(id, {sequence.present}, computed);
  }
  admission_.reset();
  copy_to_host(std::exchange(stores_, {}));
  compare_when_due();
}

}  // namespace vacancy::verify
