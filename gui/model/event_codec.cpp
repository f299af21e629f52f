// SPDX-License-Identifier: Apache-2.0
#include "gui/model/event_codec.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "gui/model/bit_runs.hpp"
#include "gui/model/byte_stream.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/overloaded.hpp"

namespace vacancy::gui {

namespace {

// The fields of each event once, for writing and for reading: `a` takes references to them.
// TokensEvicted and TokensMoved, which refer to objects, have functions of their own below.

template <class A, class E>
void fields(A& a, E& e) {
  using T = std::remove_const_t<E>;
  if constexpr (std::is_same_v<T, ClockAdvanced>) {
    a(e.now);
  } else if constexpr (std::is_same_v<T, SequenceStarted>) {
    a(e.sequence, e.prompt_tokens);
  } else if constexpr (std::is_same_v<T, BlocksAllocated>) {
    a(e.sequence, e.table, e.first_entry, e.blocks);
  } else if constexpr (std::is_same_v<T, BlocksAdopted>) {
    a(e.sequence, e.table, e.blocks);
  } else if constexpr (std::is_same_v<T, BlocksCached>) {
    a(e.sequence, e.table, e.first_entry, e.blocks, e.contents);
  } else if constexpr (std::is_same_v<T, BlocksUncached>) {
    a(e.cause, e.blocks);
  } else if constexpr (std::is_same_v<T, BlockOffloaded>) {
    a(e.table, e.block, e.other, e.stored);
  } else if constexpr (std::is_same_v<T, BlockOnboarded>) {
    a(e.table, e.block, e.other);
  } else if constexpr (std::is_same_v<T, TokensAppended>) {
    a(e.sequence, e.first, e.count);
  } else if constexpr (std::is_same_v<T, RoundStarted>) {
    a(e.sequence, e.round);
  } else if constexpr (std::is_same_v<T, TablePacked>) {
    a(e.sequence, e.table, e.first_slot, e.length, e.moved_set_tokens);
  } else if constexpr (std::is_same_v<T, TableCopiedOut>) {
    a(e.sequence, e.table, e.first_slot, e.target_slot, e.length, e.moved_set_tokens);
  } else if constexpr (std::is_same_v<T, BlocksReleased>) {
    a(e.sequence, e.table, e.cause, e.shifted, e.entries, e.blocks, e.freed);
  } else if constexpr (std::is_same_v<T, BlockCopied>) {
    a(e.sequence, e.table, e.entry, e.from, e.to, e.slots);
  } else if constexpr (std::is_same_v<T, SequenceForked>) {
    a(e.parent, e.child);
  } else if constexpr (std::is_same_v<T, RoundFinished>) {
    a(e.sequence, e.round, e.blocks_freed, e.bytes_moved, e.cause, e.blocks_taken);
  } else if constexpr (std::is_same_v<T, RoundSkipped>) {
    a(e.sequence, e.cause);
  } else if constexpr (std::is_same_v<T, FaultDamage>) {
    a(e.fault, e.sequence, e.count);
  } else if constexpr (std::is_same_v<T, QualityMeasured>) {
    a(e.sequence, e.round, e.retained_attention_mass, e.attention_output_error,
      e.next_token_agreement);
  } else if constexpr (std::is_same_v<T, SequenceSwappedOut> ||
                       std::is_same_v<T, SequenceSwappedIn> ||
                       std::is_same_v<T, HostBlocksLoaded>) {
    a(e.sequence, e.blocks);
  } else if constexpr (std::is_same_v<T, HostBlocksStored>) {
    a(e.sequence, e.blocks, e.evicted);
  } else if constexpr (std::is_same_v<T, RequestQueued>) {
    a(e.sequence, e.arrival, e.prompt_tokens, e.output_tokens);
  } else if constexpr (std::is_same_v<T, PrefixLookedUp>) {
    a(e.sequence, e.known, e.hit);
  } else if constexpr (std::is_same_v<T, RequestAdmitted>) {
    a(e.sequence, e.known, e.hit, e.again, e.restored);
  } else if constexpr (std::is_same_v<T, StepComposed>) {
    a(e.step, e.scheduled, e.waiting, e.running);
  } else if constexpr (std::is_same_v<T, StepCompleted>) {
    a(e.step, e.produced);
  } else if constexpr (std::is_same_v<T, OutOfMemory>) {
    a(e.sequence, e.position, e.blocks_needed, e.blocks_free);
  } else if constexpr (std::is_same_v<T, SequenceCompleted> ||
                       std::is_same_v<T, SequenceFinished> ||
                       std::is_same_v<T, SequencePreempted> || std::is_same_v<T, RequestRejected>) {
    a(e.sequence);
  } else {
    static_assert(std::is_same_v<T, CacheCleared>, "an event without fields");
  }
}

std::uint32_t plain(std::uint32_t value) {
  return value;
}
template <class Tag>
std::uint32_t plain(StrongType<Tag, std::uint32_t> value) {
  return value.value();
}

/// How a keep set is written.
enum class MaskForm : std::uint8_t { words, runs, all };

/// Calls f(length) for the runs of a mask of `size` bits: dropped, kept, dropped, … in turn.
template <class F>
void for_each_length(std::span<const std::uint64_t> mask, std::uint32_t size, F&& f) {
  std::size_t end = 0;
  for_each_run(mask, 0, size, [&](std::size_t first, std::size_t last) {
    f(static_cast<std::uint32_t>(first - end));
    f(static_cast<std::uint32_t>(last - first));
    end = last;
  });
  if (end < size) f(static_cast<std::uint32_t>(size - end));
}

class EventWriting {
 public:
  explicit EventWriting(std::vector<std::uint8_t>& out) : out_(out) {}

  template <class... T>
  void operator()(const T&... values) {
    (value(values), ...);
  }

  void evicted(const TokensEvicted& e) {
    (*this)(e.sequence, e.round, e.evicted_set_tokens, e.sets_per_table, e.vacated_tokens);
    out_.number(e.keep.size());
    for (std::size_t set = 0; set < e.keep.size(); ++set)
      mask(e.keep.mask(set), e.keep.live(set));
  }
  void moved(const TokensMoved& e) {
    (*this)(e.sequence, e.table, e.length, e.moved_set_tokens, e.moves.first_slot);
    out_.number(e.moves.sets());
    for (std::uint32_t set = 0; set < e.moves.sets(); ++set) {
      const auto moves = e.moves.of(set);
      out_.number(moves.size());
      SlotMove last{0, 0};
      for (const SlotMove& move : moves) {
        out_.difference(std::int64_t{move.source} - last.source);
        out_.difference(std::int64_t{move.target} - last.target);
        last = move;
      }
    }
  }

 private:
  template <class T>
  void value(const T& v) {
    if constexpr (std::is_enum_v<T> || std::is_unsigned_v<T>)
      out_.number(static_cast<std::uint64_t>(v));
    else if constexpr (std::is_integral_v<T>)
      out_.difference(v);
    else if constexpr (std::is_floating_point_v<T>)
      out_.bytes(&v, sizeof v);
    else
      value(v.value());
  }
  /// Runs: the distance from the end of the one before, then the length and whether ids ascend in
  /// it or stay, as null entries do.
  template <class T>
  void value(std::span<const T> ids) requires(sizeof(T) == sizeof(std::uint32_t)) {
    out_.number(ids.size());
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < ids.size();) {
      const std::uint32_t first = plain(ids[i]);
      std::size_t n = 1;
      const bool same = i + 1 < ids.size() && plain(ids[i + 1]) == first;
      while (i + n < ids.size() &&
             plain(ids[i + n]) == (same ? first : first + static_cast<std::uint32_t>(n)))
        ++n;
      out_.difference(std::int64_t{first} - expected);
      out_.number(n << 1 | static_cast<std::size_t>(same));
      expected = std::int64_t{first} + (same ? 0 : static_cast<std::int64_t>(n));
      i += n;
    }
  }
  void value(std::span<const ContentId> contents) {
    out_.number(contents.size());
    ContentId last{};
    for (const ContentId& content : contents) {
      out_.difference(static_cast<std::int64_t>(content.key - last.key));
      out_.difference(std::int64_t{content.index} - last.index);
      out_.difference(std::int64_t{content.space} - last.space);
      last = content;
    }
  }
  void value(std::span<const ScheduledTokens> scheduled) {
    out_.number(scheduled.size());
    std::int64_t last = 0;
    for (const ScheduledTokens& part : scheduled) {
      const bool usual = part.tokens == 1 && part.recomputed == 0 && part.produces;
      out_.number(folded(std::int64_t{part.sequence.value()} - last) << 1 |
                  static_cast<std::uint64_t>(usual));
      out_.number(part.context);
      if (!usual) (*this)(part.tokens, part.recomputed, part.produces);
      out_.number(part.candidate);
      last = part.sequence.value();
    }
  }
  void mask(std::span<const std::uint64_t> words, std::uint32_t live) {
    out_.number(live);
    std::size_t runs = 0, cost = 0;
    for_each_length(words, live, [&](std::uint32_t length) {
      ++runs;
      cost += (std::bit_width(length | 1u) + 6u) / 7u;
    });
    const std::size_t bytes = (std::size_t{live} + 7) / 8;
    if (bits::count(words) == live) {
      value(MaskForm::all);
    } else if (cost < bytes) {
      value(MaskForm::runs);
      out_.number(runs);
      for_each_length(words, live, [&](std::uint32_t length) { out_.number(length); });
    } else {
      value(MaskForm::words);
      out_.bytes(words.data(), bytes);
    }
  }

  ByteWriter out_;
};

}  // namespace

class EventReading {
 public:
  EventReading(EventDecoder& own, std::span<const std::uint8_t> bytes) : own_(own), in_(bytes) {}

  void read() {
    const auto kind = static_cast<std::size_t>(in_.number());
    read_kind(kind, std::make_index_sequence<event_kinds>());
  }

  template <class... T>
  void operator()(T&... values) {
    (value(values), ...);
  }

 private:
  template <std::size_t... I>
  void read_kind(std::size_t kind, std::index_sequence<I...>) {
    using Read = void (*)(EventReading&);
    static constexpr Read table[] = {[](EventReading& reading) {
      reading.event<std::variant_alternative_t<I, vacancy::Event>>();
    }...};
    table[kind](*this);
  }
  template <class E>
  void event() {
    if constexpr (std::is_same_v<E, TokensEvicted>) {
      evicted();
    } else if constexpr (std::is_same_v<E, TokensMoved>) {
      moved();
    } else {
      fields(*this, own_.event_.emplace<E>());
    }
  }
  void evicted() {
    SequenceId sequence;
    std::uint32_t round = 0, sets_per_table = 0;
    std::uint64_t evicted = 0, vacated = 0;
    (*this)(sequence, round, evicted, sets_per_table, vacated);
    const auto sets = static_cast<std::size_t>(in_.number());
    own_.keep_.reset(sets);
    for (std::size_t set = 0; set < sets; ++set)
      mask(set);
    own_.event_.emplace<TokensEvicted>(
        TokensEvicted{sequence, round, own_.keep_, evicted, sets_per_table, vacated});
  }
  void moved() {
    SequenceId sequence;
    std::uint32_t table = 0, length = 0;
    std::uint64_t moved = 0;
    (*this)(sequence, table, length, moved, own_.moves_.first_slot);
    own_.moves_.clear();
    for (std::uint64_t sets = in_.number(); sets > 0; --sets) {
      SlotMove last{0, 0};
      for (std::uint64_t left = in_.number(); left > 0; --left) {
        last.source = static_cast<std::uint32_t>(last.source + in_.difference());
        last.target = static_cast<std::uint32_t>(last.target + in_.difference());
        own_.moves_.add(last);
      }
      own_.moves_.end_set();
    }
    own_.event_.emplace<TokensMoved>(TokensMoved{sequence, table, own_.moves_, length, moved});
  }

  template <class T>
  void value(T& v) {
    if constexpr (std::is_enum_v<T> || std::is_unsigned_v<T>) {
      v = static_cast<T>(in_.number());
    } else if constexpr (std::is_integral_v<T>) {
      v = static_cast<T>(in_.difference());
    } else if constexpr (std::is_floating_point_v<T>) {
      in_.bytes(&v, sizeof v);
    } else {
      typename T::rep number{};
      value(number);
      v = T(number);
    }
  }
  template <class T>
  void ids(std::vector<T>& out) {
    out.clear();
    const auto size = static_cast<std::size_t>(in_.number());
    std::int64_t expected = 0;
    while (out.size() < size) {
      const auto first = static_cast<std::uint32_t>(expected + in_.difference());
      const std::uint64_t run = in_.number();
      const bool same = (run & 1) != 0;
      for (std::uint32_t i = 0; i < run >> 1; ++i)
        out.push_back(T(same ? first : first + i));
      expected = std::int64_t{first} + (same ? 0 : static_cast<std::int64_t>(run >> 1));
    }
  }
  void value(std::span<const BlockId>& span) {
    ids(own_.blocks_);
    span = own_.blocks_;
  }
  void value(std::span<const std::uint32_t>& span) {
    ids(own_.numbers_);
    span = own_.numbers_;
  }
  void value(std::span<const SequenceId>& span) {
    ids(own_.sequences_);
    span = own_.sequences_;
  }
  void value(std::span<const ContentId>& span) {
    own_.contents_.resize(static_cast<std::size_t>(in_.number()));
    ContentId last{};
    for (ContentId& content : own_.contents_) {
      last.key += static_cast<std::uint64_t>(in_.difference());
      last.index = static_cast<std::uint32_t>(last.index + in_.difference());
      last.space = static_cast<std::uint32_t>(last.space + in_.difference());
      content = last;
    }
    span = own_.contents_;
  }
  void value(std::span<const ScheduledTokens>& span) {
    own_.scheduled_.resize(static_cast<std::size_t>(in_.number()));
    std::int64_t last = 0;
    for (ScheduledTokens& part : own_.scheduled_) {
      const std::uint64_t head = in_.number();
      last += unfolded(head >> 1);
      part = {SequenceId(static_cast<std::uint32_t>(last)), 0, 1, 0, true, 0};
      value(part.context);
      if ((head & 1) == 0) (*this)(part.tokens, part.recomputed, part.produces);
      value(part.candidate);
    }
    span = own_.scheduled_;
  }
  void mask(std::size_t set) {
    const auto live = static_cast<std::uint32_t>(in_.number());
    const auto words = own_.keep_.begin(set, live);
    MaskForm form{};
    value(form);
    if (form == MaskForm::all) {
      bits::set_range(words, 0, live);
    } else if (form == MaskForm::words) {
      in_.bytes(words.data(), (std::size_t{live} + 7) / 8);
    } else {
      std::size_t at = 0;
      bool kept = false;
      for (std::uint64_t runs = in_.number(); runs > 0; --runs, kept = !kept) {
        const auto end = at + static_cast<std::size_t>(in_.number());
        if (kept) bits::set_range(words, at, end);
        at = end;
      }
    }
  }

  EventDecoder& own_;
  ByteReader in_;
};

void encode(const vacancy::Event& event, std::vector<std::uint8_t>& out) {
  out.push_back(static_cast<EventKind>(event.index()));
  EventWriting writing(out);
  std::visit(Overloaded{[&](const TokensEvicted& e) { writing.evicted(e); },
                        [&](const TokensMoved& e) { writing.moved(e); },
                        [&](const auto& e) { fields(writing, e); }},
             event);
}

const vacancy::Event& EventDecoder::decode(std::span<const std::uint8_t> bytes) {
  EventReading(*this, bytes).read();
  return event_;
}

EventSequence sequence_of(const vacancy::Event& event) {
  return std::visit(
      [](const auto& e) -> EventSequence {
        if constexpr (requires { e.sequence; })
          return {true, e.sequence};
        else if constexpr (requires { e.child; })
          return {true, e.child};
        else
          return {};
      },
      event);
}

}  // namespace vacancy::gui
