// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/verifier.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/pool/sequence_ids.hpp"

namespace vacancy::verify {

namespace {

template <class E>
std::optional<SequenceId> sequence_of(const E& event) {
  if constexpr (requires { event.sequence; })
    return event.sequence;
  else if constexpr (requires { event.child; })
    return event.child;
  else
    return std::nullopt;
}

}  // namespace

Verifier::Verifier(gpu::Device& device, Subject subject, const VerifierOptions& options)
    : subject_(std::move(subject)),
      options_(options),
      books_(subject_.cache.config(), subject_.rules),
      memory_(device, books_.layout(), books_.block_size(),
              choose_planes(books_.layout(), options.layers, options.heads)) {
  if (options.watcher) memory_.watch(options.watcher);
}

void Verifier::fail(BookFault fault, std::optional<SequenceId> sequence) const {
  Difference difference;
  difference.operation = operation_;
  difference.event = counts_.events;
  difference.time = time_;
  difference.sequence = fault.sequence ? fault.sequence : sequence;
  difference.table = fault.table;
  difference.slot = fault.slot;
  if (fault.block) difference.block = BlockId(*fault.block);
  difference.expected = std::move(fault.expected);
  difference.found = std::move(fault.found);
  throw DifferenceFound{std::move(difference)};
}

void Verifier::on_event(const Event& event) {
  ++counts_.events;
  operation_ = event_name(event);
  ++counts_.operations[operation_];
  std::visit(
      [this](const auto& e) {
        try {
          follow(e);
        } catch (BookFault& fault) {
          fail(std::move(fault), sequence_of(e));
        }
      },
      event);
}

void Verifier::finish(const Summary& summary) {
  operation_ = "end";
  try {
    compare_everything();
    compare_summary(summary);
  } catch (BookFault& fault) {
    fail(std::move(fault), std::nullopt);
  }
}

const CachedSequence& Verifier::simulated(SequenceId id) const {
  if (subject_.cache.sequences().count(id) == 0)
    throw BookFault::of("a sequence of the simulator's", "none of that number");
  return subject_.cache.sequence(id);
}

std::int64_t Verifier::place(const Books::Table& table, std::uint32_t slot) const {
  const std::uint32_t b = books_.block_size();
  if (slot >= table.length) return -1;
  const std::int32_t block = table.blocks[slot / b];
  return block < 0 ? -1 : std::int64_t{block} * b + slot % b;
}

std::vector<RowId> Verifier::row_ids(SequenceId id, std::uint32_t first,
                                     std::uint32_t count) const {
  std::vector<RowId> rows(count);
  const Request* const request = subject_.request ? &subject_.request(id) : nullptr;
  for (std::uint32_t i = 0; i < count; ++i)
    rows[i] = request ? request_row(*request, id, first + i) : own_row(id, first + i);
  return rows;
}

std::uint32_t Verifier::in_flight(SequenceId id) const {
  std::uint32_t tokens = 0;
  for (const auto& [step, scheduled] : in_flight_)
    for (const auto& [sequence, count] : scheduled)
      if (sequence == id) tokens += count;
  return tokens;
}

// Events.

void Verifier::follow(const ClockAdvanced& event) {
  check_admitted();
  time_ = event.now;
  compare_when_due();
}

void Verifier::follow(const SequenceStarted& event) {
  check_admitted();
  books_.apply(event);
  const std::uint32_t prompt_tokens = simulated(event.sequence).prompt_tokens;
  if (prompt_tokens != event.prompt_tokens)
    throw BookFault::of("a prompt of " + std::to_string(event.prompt_tokens) + " tokens",
                        std::to_string(prompt_tokens) + " in the simulator");
  constexpr std::uint32_t large = 16;
  std::uint32_t sample = options_.sample;
  if (sample == 0) sample = written_tokens_ < options_.content_tokens ? 1 : large;
  const bool watched = event.sequence.value() % sample == 0;
  books_.at(event.sequence).watched = watched;
  ++counts_.sequences;
  counts_.watched_sequences += watched;
  const bool on_host =
      subject_.rules.host_blocks > 0 || books_.swapped_out(event.sequence) != nullptr;
  if (on_host && event.sequence == request_of(event.sequence)) admission_ = event.sequence;
}

void Verifier::stop_watching(Books::Sequence& sequence, std::uint32_t first) {
  if (!std::exchange(sequence.watched, false)) return;
  --counts_.watched_sequences;
  for (const Books::Table& table : sequence.tables)
    for (std::size_t entry = first; entry < table.blocks.size(); ++entry)
      if (table.blocks[entry] >= 0) known_[static_cast<std::size_t>(table.blocks[entry])] = false;
}

void Verifier::follow(const BlocksAllocated& event) {
  books_.apply(event);
  const bool watched = books_.at(event.sequence).watched;
  for (const BlockId block : event.blocks) {
    if (known_.size() <= block.value()) known_.resize(block.value() + 1);
    known_[block.value()] = watched;
    compare_holders(block, event.table);
  }
}

void Verifier::follow(const BlocksAdopted& event) {
  books_.apply(event);
  Books::Sequence& sequence = books_.at(event.sequence);
  for (const BlockId block : event.blocks) {
    if (block == null_block) continue;
    compare_holders(block, event.table);
    // Contents that nobody wrote into the memory cannot be told from others. Its next blocks are
    // not allocated yet.
    if (!known_[block.value()])
      stop_watching(sequence, static_cast<std::uint32_t>(event.blocks.size()));
  }
}

void Verifier::write(SequenceId id, std::uint32_t first, std::uint32_t count) {
  const Books::Sequence& sequence = books_.at(id);
  if (!sequence.watched || count == 0) return;
  Mapping mapping;
  for (std::uint32_t token = first; token < first + count; ++token)
    for (const std::uint32_t number : memory_.tables()) {
      const Books::Table& table = sequence.tables[number];
      mapping.push_back(place(table, table.length - (sequence.tokens() - token)));
    }
  memory_.append(std::move(mapping), std::span(sequence.rows).subspan(first, count));
  written_tokens_ += count;
}

void Verifier::follow(const TokensAppended& event) {
  books_.check(event);
  const CachedSequence& real = simulated(event.sequence);
  const Books::Sequence& sequence = books_.at(event.sequence);
  const bool adopted = sequence.adopting;
  if (event.count == 0) return compare_tables(event.sequence);
  books_.apply(event, row_ids(event.sequence, event.first, event.count));
  std::vector<std::uint32_t> firsts;
  for (const std::uint32_t number : memory_.tables())
    firsts.push_back(sequence.tables[number].length - event.count);
  const bool later = !adopted && waits(event.sequence);
  if (!adopted && !later) write(event.sequence, event.first, event.count);
  for (std::uint32_t t = 0; t < sequence.tables.size(); ++t) {
    const Books::Table& own = sequence.tables[t];
    const BlockTable& table = real.tables[t];
    const std::uint32_t entry = (own.length - 1) / books_.block_size();
    const bool same = table.length() == own.length && table.entries().size() == own.blocks.size();
    if (!same || static_cast<std::int32_t>(table.entries()[entry].value()) != own.blocks[entry])
      compare_table(event.sequence, t);
    for (std::uint32_t s = 0; s < own.token_at.size(); ++s)
      table.for_each_live(s, own.length - 1, own.length,
                          [&](std::uint32_t slot, std::uint32_t token) {
                            if (static_cast<std::int32_t>(token) != own.token_at[s][slot])
                              compare_table(event.sequence, t);
                          });
  }
  if (!later) compare_rows(event.sequence, firsts, event.count);
  compare_when_due();
}

void Verifier::follow(const RoundStarted& event) {
  books_.apply(event);
  ++counts_.rounds;
  compare_tables(event.sequence);
}

void Verifier::follow(const TokensEvicted& event) {
  books_.check(event);
  if (subject_.keep_sets)
    subject_.keep_sets->check(books_, event.sequence, event, in_flight(event.sequence));
  books_.apply(event);
  compare_tables(event.sequence);
  const Books::Sequence& sequence = books_.at(event.sequence);
  if (!sequence.watched) return;
  if (attended_slots_ > options_.attention_slots && counts_.rounds % 16 != 0) return;
  before_[event.sequence] = attend(event.sequence);
}

/// Then looks at all rows of the sequence: those that should not have moved too.
template <class E>
void Verifier::move(MemoryWork::Kind kind, const E& event, std::uint32_t first_fresh_entry) {
  const SequenceId id = event.sequence;
  const std::uint32_t table = event.table;
  const std::vector<std::int32_t> before = books_.table_of(id, table).blocks;
  const Books::SetMoves moves = books_.apply(event);
  if (books_.at(id).watched) {
    MemoryWork work;
    work.kind = kind;
    const auto slots = static_cast<std::int32_t>(first_fresh_entry * books_.block_size());
    for (const std::uint32_t number : memory_.tables()) {
      work.tables.emplace_back();
      work.fresh.emplace_back();
      if (number != table) continue;
      const auto fresh = before.begin() + static_cast<std::ptrdiff_t>(first_fresh_entry);
      work.tables.back().assign(before.begin(), first_fresh_entry > 0 ? fresh : before.end());
      if (first_fresh_entry > 0) work.fresh.back().assign(fresh, before.end());
    }
    for (int plane = 0; plane < memory_.planes(); ++plane) {
      work.moves.emplace_back();
      if (memory_.tables()[static_cast<std::size_t>(memory_.table_of(plane))] != table) continue;
      work.moves.back() = moves[memory_.set_of(plane)];
      for (Books::Move& move : work.moves.back())
        move.target -= slots;
    }
    memory_.move(std::move(work));
  }
  compare_table(id, table);
  compare_all_rows(id);
}

void Verifier::follow(const TablePacked& event) {
  move(MemoryWork::Kind::pack, event);
}
void Verifier::follow(const TableCopiedOut& event) {
  move(MemoryWork::Kind::copy_out, event, event.target_slot / books_.block_size());
}
void Verifier::follow(const TokensMoved& event) {
  move(MemoryWork::Kind::move, event);
}

void Verifier::follow(const BlocksReleased& event) {
  books_.apply(event);
  for (const BlockId block : event.blocks)
    if (block != null_block) compare_holders(block, event.table);
  if (event.cause == FreeCause::eviction || event.cause == FreeCause::window)
    compare_table(event.sequence, event.table);
}

void Verifier::follow(const BlockCopied& event) {
  books_.apply(event);
  const std::uint32_t last = std::max(event.from.value(), event.to.value());
  if (known_.size() <= last) known_.resize(last + 1);
  const bool watched = books_.at(event.sequence).watched;
  known_[event.to.value()] = known_[event.from.value()] && watched;
  compare_holders(event.from, event.table);
  compare_holders(event.to, event.table);
  const auto& held = memory_.tables();
  const auto found = std::find(held.begin(), held.end(), event.table);
  if (!watched || found == held.end() || waits(event.sequence)) return;
  memory_.copy_blocks(MemoryWork::Kind::copy_block, {{static_cast<std::int32_t>(event.from.value()),
                                                      static_cast<std::int32_t>(event.to.value()),
                                                      static_cast<std::int32_t>(event.slots)}});
  std::vector<std::uint32_t> firsts(held.size(), event.entry * books_.block_size());
  compare_rows(event.sequence, firsts, event.slots);
}

void Verifier::follow(const SequenceForked& event) {
  books_.apply(event);
  ++counts_.sequences;
  counts_.watched_sequences += books_.at(event.child).watched;
  compare_tables(event.child);
}

void Verifier::follow(const RoundFinished& event) {
  books_.apply(event);
  compare_tables(event.sequence);
  const auto before = before_.find(event.sequence);
  if (before != before_.end()) {
    const std::vector<float> after = attend(event.sequence);
    for (std::size_t i = 0; i < after.size(); ++i) {
      const double apart = std::abs(double{after[i]} - double{before->second[i]});
      if (!(apart <= attention_tolerance)) {
        const auto plane = static_cast<int>(i) / KvMemory::head_dim;
        throw BookFault{memory_.tables()[static_cast<std::size_t>(memory_.table_of(plane))],
                        {},
                        {},
                        "attention over the survivors as before the compaction, " +
                            std::to_string(before->second[i]),
                        std::to_string(after[i]) + " in element " +
                            std::to_string(static_cast<int>(i) % KvMemory::head_dim) +
                            " of layer " + std::to_string(memory_.real_layer(plane)) +
                            ", KV head " + std::to_string(memory_.real_head(plane))};
      }
      counts_.worst_attention = std::max(counts_.worst_attention, apart);
    }
    ++counts_.attention;
    before_.erase(before);
  }
  compare_when_due();
}

void Verifier::leave(SequenceId id) {
  books_.leave(id);
  before_.erase(id);
  if (subject_.keep_sets) subject_.keep_sets->forget(id);
  if (subject_.cache.sequences().count(id) > 0)
    throw BookFault::of("the sequence out of the cache", "its tables");
  compare_when_due();
}

void Verifier::follow(const StepComposed& event) {
  auto& scheduled = in_flight_[event.step];
  for (const ScheduledTokens& part : event.scheduled)
    scheduled.emplace_back(part.sequence, part.tokens);
}

std::vector<float> Verifier::attend(SequenceId id) {
  const Books::Sequence& sequence = books_.at(id);
  std::vector<std::vector<std::int32_t>> tables, positions;
  std::vector<std::uint32_t> lengths;
  for (const std::uint32_t number : memory_.tables()) {
    tables.push_back(sequence.tables[number].blocks);
    lengths.push_back(sequence.tables[number].length);
    attended_slots_ += sequence.tables[number].length;
  }
  for (int plane = 0; plane < memory_.planes(); ++plane)
    positions.push_back(
        sequence.tables[memory_.tables()[static_cast<std::size_t>(memory_.table_of(plane))]]
            .token_at[memory_.set_of(plane)]);
  return memory_.attention(tables, lengths, positions, counts_.rounds);
}

}  // namespace vacancy::verify
