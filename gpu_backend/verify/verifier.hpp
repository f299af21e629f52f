// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu_backend/verify/books.hpp"
#include "gpu_backend/verify/difference.hpp"
#include "gpu_backend/verify/keep_set_check.hpp"
#include "gpu_backend/verify/memory.hpp"
#include "sim/metrics/summary.hpp"

namespace vacancy::verify {

/// The run that is followed, as far as a verifier may look at it.
struct Subject {
  /// The simulator's own tables and pool, read after each event.
  const KvCache& cache;
  CacheRules rules = {};
  /// A request that waits or runs; null for sequences without requests.
  std::function<const Request&(SequenceId)> request = {};
  /// Chooses keep sets a second time; null: they are taken from the events.
  std::unique_ptr<KeepSetCheck> keep_sets = nullptr;
};

struct VerifierOptions {
  std::uint32_t layers = 2, heads = 2;  // held in memory, at most
  /// Content of every so-many-th sequence; tables of all. 0: of all until `content_tokens` were
  /// written, then of every 16th.
  std::uint32_t sample = 0;
  std::uint64_t content_tokens = 1'000'000;
  /// Decode attention is compared around rounds until so many slots were read, then around every
  /// 16th.
  std::uint64_t attention_slots = 2'000'000;
  /// Keep sets are chosen anew until so many pairs of a key and a query were scored, or draws made,
  /// then in every 16th round.
  std::uint64_t keep_set_scores = 20'000'000;
  /// Hears of what the kernels are about to do, and may spoil it: for tests.
  std::function<void(MemoryWork&)> watcher;
};

/// What was compared.
struct VerifierCounts {
  std::uint64_t events = 0, rounds = 0;
  std::uint64_t sequences = 0, watched_sequences = 0;
  std::uint64_t tables = 0;        // compared slot by slot
  std::uint64_t rows = 0;          // of one token in one plane, K and V
  std::uint64_t whole_checks = 0;  // of everything
  std::uint64_t attention = 0;     // outputs before and after a compaction
  double worst_attention = 0;      // the largest deviation among them
  std::map<std::string, std::uint64_t> operations;
};

/// Follows a run's events with books of its own and with K and V in device memory, and compares
/// three things after each: what the events say, what the simulator holds, and what the memory
/// holds. Throws DifferenceFound at the first that differs.
class Verifier final : public Observer {
 public:
  /// The device and what `subject` points to outlive it.
  Verifier(gpu::Device& device, Subject subject, const VerifierOptions& options);

  void on_event(const Event& event) override;
  /// Compares everything once more, and the run's summary with what was counted.
  void finish(const Summary& summary);

  const VerifierCounts& counts() const { return counts_; }
  SelectionCounts selections() const {
    return subject_.keep_sets ? subject_.keep_sets->counts() : SelectionCounts();
  }
  const KvMemory& memory() const { return memory_; }

  /// Attention over the same survivors may differ so much: 1e-5 of the sum of p|v| on each side
  /// (docs/gpu.md), where |v| < 2.
  static constexpr double attention_tolerance = 4e-5;

 private:
  using Mapping = std::vector<std::int64_t>;

  template <class E>
  void follow(const E&) {}
  void follow(const ClockAdvanced& event);
  void follow(const SequenceStarted& event);
  void follow(const BlocksAllocated& event);
  void follow(const BlocksAdopted& event);
  void follow(const BlocksCached& event) { books_.apply(event); }
  void follow(const BlocksUncached& event) { books_.apply(event); }
  void follow(const CacheCleared& event) { books_.apply(event); }
  void follow(const TokensAppended& event);
  void follow(const RoundStarted& event);
  void follow(const TokensEvicted& event);
  void follow(const TablePacked& event);
  void follow(const TableCopiedOut& event);
  void follow(const TokensMoved& event);
  void follow(const BlocksReleased& event);
  void follow(const BlockCopied& event);
  void follow(const SequenceForked& event);
  void follow(const RoundFinished& event);
  void follow(const SequenceFinished& event) { leave(event.sequence); }
  void follow(const SequencePreempted& event) { leave(event.sequence); }
  void follow(const SequenceCompleted& event) { books_.leave_host(event.sequence); }
  void follow(const RequestRejected& event) { books_.leave_host(event.sequence); }
  void follow(const SequenceSwappedOut& event);
  void follow(const SequenceSwappedIn& event);
  void follow(const HostBlocksStored& event);
  void follow(const HostBlocksLoaded& event);
  void follow(const RequestAdmitted& event);
  void follow(const StepComposed& event);
  void follow(const StepCompleted& event) { in_flight_.erase(event.step); }
  void leave(SequenceId sequence);
  /// The memory lacks what stands in the sequence's blocks from entry `first` on.
  void stop_watching(Books::Sequence& sequence, std::uint32_t first);
  /// Whether the sequence's tokens may still come from the host.
  bool waits(SequenceId sequence) const;
  void check_admitted() const;
  /// Writes tokens [first, first + count) of every held table where they stand.
  void write(SequenceId id, std::uint32_t first, std::uint32_t count);
  void copy_to_host(const Books::BlockCopies& copies);

  /// As the simulator has it. Throws a BookFault if it has none of that number.
  const CachedSequence& simulated(SequenceId id) const;
  [[noreturn]] void fail(BookFault fault, std::optional<SequenceId> sequence) const;
  std::vector<RowId> row_ids(SequenceId id, std::uint32_t first, std::uint32_t count) const;
  /// Books and memory carry survivors; the blocks from `first_fresh_entry` on are new.
  template <class E>
  void move(MemoryWork::Kind kind, const E& event, std::uint32_t first_fresh_entry = 0);
  /// Slots of a held table, from `first` on: where they are in memory.
  std::int64_t place(const Books::Table& table, std::uint32_t slot) const;

  void compare_table(SequenceId id, std::uint32_t number);
  void compare_tables(SequenceId id);
  void compare_holders(BlockId block, std::optional<std::uint32_t> table) const;
  /// Rows of slots [first, first + count) of every held table (`firsts`, by held table).
  void compare_rows(SequenceId id, const std::vector<std::uint32_t>& firsts, std::uint32_t count);
  void compare_all_rows(SequenceId id);
  /// What was copied to the host stands there.
  void compare_host(std::span<const std::uint32_t> host_blocks);
  void compare_everything();
  void compare_summary(const Summary& summary) const;
  void compare_when_due();
  std::string whose(std::span<const std::uint16_t> row) const;
  std::vector<float> attend(SequenceId id);
  std::uint32_t in_flight(SequenceId id) const;

  Subject subject_;
  VerifierOptions options_;
  Books books_;
  KvMemory memory_;
  VerifierCounts counts_;
  const char* operation_ = "start";
  SimTime time_;
  std::vector<bool> known_;  // blocks whose rows the memory has
  /// A request that is being admitted and may have contents on the host: its tokens are written
  /// once it is known which of them did not come from there, and copied there once written.
  std::optional<SequenceId> admission_;
  Books::BlockCopies stores_;
  std::uint64_t credit_ = 0, cost_ = 0, attended_slots_ = 0, written_tokens_ = 0;
  std::map<SequenceId, std::vector<float>> before_;  // attention, while a round is under way
  std::map<std::uint64_t, std::vector<std::pair<SequenceId, std::uint32_t>>> in_flight_;  // by step
};

}  // namespace vacancy::verify
