// SPDX-License-Identifier: Apache-2.0
#include "gui/model/two_runs.hpp"

#include <algorithm>
#include <utility>

#include "gui/model/announcer.hpp"
#include "gui/model/number_format.hpp"

namespace vacancy::gui {

namespace {

std::optional<Mark> next_mark(const Recording& run, std::uint64_t event) {
  const std::uint64_t i = run.marks().from_event(event);
  if (i == run.marks().size()) return std::nullopt;
  return run.marks()[i];
}

bool is_round(const Mark& mark) {
  return mark.kind == MarkKind::evict || mark.kind == MarkKind::reclaim;
}

std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string come_back(const Mark& mark) {
  if (mark.blocks < 0)
    return counted(static_cast<std::uint64_t>(-mark.blocks), "block") + " more are taken.";
  const auto blocks = static_cast<std::uint64_t>(mark.blocks);
  return counted(blocks, "block") + (blocks == 1 ? " comes back." : " come back.");
}

std::string what_follows(const Recording& run, std::uint64_t event) {
  const auto mark = next_mark(run, event);
  if (!mark) return run.over() ? "the run ends." : "nothing more is recorded yet.";
  return sequence_name(mark->sequence) + " " + mark_text(*mark) + " at " + seconds(mark->time_ns) +
         ".";
}

std::string sentence_of(const Recording& a, const Recording& b, std::uint64_t event) {
  const auto in_a = next_mark(a, event), in_b = next_mark(b, event);
  if (in_a && in_b && is_round(*in_a) && is_round(*in_b) && in_a->sequence == in_b->sequence &&
      in_a->tokens == in_b->tokens)
    return capital(sequence_name(in_a->sequence)) + " evicts " + counted(in_a->tokens, "token") +
           " in both runs. A: " + come_back(*in_a) + " B: " + come_back(*in_b);
  return "A: " + what_follows(a, event) + " B: " + what_follows(b, event);
}

}  // namespace

std::optional<Divergence> first_divergence(const Recording& a, const Recording& b) {
  HistoryReader in_a(a.history()), in_b(b.history());
  const std::uint64_t size_a = a.events(), size_b = b.events();
  const std::uint64_t common = std::min(size_a, size_b);
  std::uint64_t n = 0;
  while (n < common && in_a.same(n, in_b))
    ++n;
  // One that is still running may yet do what the other did.
  if (n == common && (size_a == size_b || !(size_a < size_b ? a : b).over())) return std::nullopt;
  Divergence divergence;
  divergence.event = n;
  divergence.time_ns = n == size_a ? in_b.time_ns(n) : in_a.time_ns(n);
  if (n < common) divergence.time_ns = std::min(in_a.time_ns(n), in_b.time_ns(n));
  divergence.sentence = sentence_of(a, b, n);
  return divergence;
}

PoolDifference difference(const PoolView& a, const PoolView& b) {
  PoolDifference result;
  const std::size_t blocks = std::max(a.references.size(), b.references.size());
  result.blocks.resize(blocks, BlockDifference::same);
  for (std::size_t i = 0; i < blocks; ++i) {
    const bool in_a = i < a.references.size() && a.references[i] > 0;
    const bool in_b = i < b.references.size() && b.references[i] > 0;
    BlockDifference& d = result.blocks[i];
    if (in_a && in_b) {
      const bool same = a.owner[i] == b.owner[i] && a.live[i] == b.live[i] &&
                        a.fill[i] == b.fill[i] && a.references[i] == b.references[i];
      d = same ? BlockDifference::same : BlockDifference::content;
    } else if (in_a || in_b) {
      d = in_a ? BlockDifference::only_a : BlockDifference::only_b;
    }
    ++result.counts[static_cast<std::size_t>(d)];
  }
  return result;
}

std::string PoolDifference::sentence() const {
  const auto count = [&](BlockDifference d) {
    return number(static_cast<std::int64_t>(counts[static_cast<std::size_t>(d)]));
  };
  const std::uint64_t same = counts[static_cast<std::size_t>(BlockDifference::same)];
  if (same == blocks.size()) return "All " + counted(blocks.size(), "block") + " are the same";
  return part_of(blocks.size() - same, blocks.size(), "block") +
         " differ: " + count(BlockDifference::only_a) + " held only in A, " +
         count(BlockDifference::only_b) + " only in B, " + count(BlockDifference::content) +
         " in both with other content";
}

TwoRuns::TwoRuns(std::shared_ptr<const Recording> a, std::shared_ptr<const Recording> b)
    : a_(std::move(a)), b_(std::move(b)) {}

std::int64_t TwoRuns::end_ns() const {
  return std::max(a_.recording().end_ns(), b_.recording().end_ns());
}

void TwoRuns::seek_time(std::int64_t time_ns) {
  time_ns_ = std::clamp<std::int64_t>(time_ns, 0, end_ns());
  a_.seek_time(time_ns_);
  b_.seek_time(time_ns_);
}

std::optional<std::int64_t> TwoRuns::next_time(Cursor& cursor, StepUnit unit, bool back) const {
  const Recording& run = cursor.recording();
  HistoryReader& reader = cursor.reader();
  if (unit == StepUnit::round) {
    const Marks& marks = run.marks();
    const auto mark = back ? marks.previous(MarkKind::reclaim, reader.before(time_ns_))
                           : marks.next(MarkKind::reclaim, reader.until(time_ns_));
    if (!mark) return std::nullopt;
    return mark->time_ns;
  }
  // Both stand between two times, where an event and an iteration are the same: all of one time.
  if (back) {
    const std::uint64_t first = reader.before(time_ns_);
    if (first == 0) return std::nullopt;
    return reader.time_ns(first - 1);
  }
  const std::uint64_t next = reader.until(time_ns_);
  if (next == run.events()) return std::nullopt;
  return reader.time_ns(next);
}

bool TwoRuns::step(StepUnit unit, std::int64_t count) {
  const bool back = count < 0;
  for (std::int64_t left = back ? -count : count; left > 0; --left) {
    const auto in_a = next_time(a_, unit, back), in_b = next_time(b_, unit, back);
    if (!in_a && !in_b) return false;
    if (in_a && in_b)
      seek_time(back ? std::max(*in_a, *in_b) : std::min(*in_a, *in_b));
    else
      seek_time(in_a ? *in_a : *in_b);
  }
  return true;
}

const std::optional<Divergence>& TwoRuns::divergence() {
  const std::uint64_t events = a_.recording().events() + b_.recording().events();
  if (!divergence_ && events != compared_) {
    compared_ = events;
    divergence_ = first_divergence(a_.recording(), b_.recording());
  }
  return divergence_;
}

bool TwoRuns::seek_divergence() {
  if (!divergence()) return false;
  time_ns_ = divergence_->time_ns;
  a_.seek(divergence_->event + 1);
  b_.seek(divergence_->event + 1);
  return true;
}

}  // namespace vacancy::gui
