// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/pool/kv_cache.hpp"
#include "sim/pool/sequence_ids.hpp"

namespace vacancy {

/// The candidates of one request in beam search (PagedAttention, section 4.4), and how they share
/// blocks in a cache with one table a sequence. Candidate c is the sequence candidate_id(request,
/// c). A candidate that is chosen as a parent keeps its number for its first child; further
/// children get the numbers of candidates that nobody chose, which are freed.
///
/// Candidates share the full blocks of the tokens that they have in common, and the partial last
/// one until the first of them writes to it: KvCache copies it then. That is known from their
/// ancestry alone, so that a group which lost its blocks grows back to the same sharing.
class BeamGroup {
 public:
  /// The request, so far one sequence of `length` tokens, becomes candidates that share them all.
  BeamGroup(KvCache& cache, SequenceId request, std::uint32_t width, std::uint32_t length);

  /// Where each candidate begins to have tokens of its own: those before are also a candidate's
  /// with a lower number. All of the first one's count as its own.
  std::span<const std::uint32_t> starts() const { return starts_; }
  /// So many first tokens are the same in all candidates.
  std::uint32_t common() const { return common_; }
  /// Blocks that growing from `from` to `to` tokens takes for the candidates beside the first.
  std::uint64_t blocks_beside(std::uint32_t from, std::uint32_t to) const;

  /// The i-th of the next candidates continues candidate parents[i]; all have `length` tokens.
  void select(KvCache& cache, std::span<const std::uint32_t> parents, std::uint32_t length);
  /// All candidates grow from `from` to `to` tokens; those that lost their blocks are forked where
  /// they part. The pool has the blocks.
  void grow(KvCache& cache, std::uint32_t from, std::uint32_t to);
  /// The candidates beside the first one leave the cache.
  void leave(KvCache& cache, FreeCause cause);

 private:
  std::uint32_t width() const { return static_cast<std::uint32_t>(starts_.size()); }
  SequenceId id(std::uint32_t candidate) const { return candidate_id(request_, candidate); }
  std::uint32_t& alike(std::uint32_t a, std::uint32_t b) {
    return alike_[std::size_t{a} * width() + b];
  }
  void fork(KvCache& cache, std::uint32_t parent, std::uint32_t child);
  void find_starts(std::uint32_t length);

  SequenceId request_;
  std::uint32_t block_size_, common_ = 0;
  // Of each candidate: whether the cache has it; where it parts from a lower one, and which.
  std::vector<bool> present_;
  std::vector<std::uint32_t> starts_, beside_;
  std::vector<std::uint32_t> alike_;     // tokens that two candidates have in common, [a][b]
  std::vector<std::uint32_t> children_;  // reused by select()
};

}  // namespace vacancy
