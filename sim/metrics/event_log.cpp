// SPDX-License-Identifier: Apache-2.0
#include "sim/metrics/event_log.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "sim/pool/sequence_ids.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/overloaded.hpp"

namespace vacancy {

namespace {

constexpr std::size_t buffer_bytes = 1 << 16;

/// Appends JSON to a string without a document in between.
class JsonLine {
 public:
  JsonLine(std::string& text, std::string_view type, SimTime time) : text_(text) {
    text_ += "{\"type\":\"";
    text_ += type;
    text_ += '"';
    field("time_ns", time.value());
  }
  void end() { text_ += "}\n"; }

  void key(std::string_view name) {
    text_ += ",\"";
    text_ += name;
    text_ += "\":";
  }
  template <class T>
  void field(std::string_view name, const T& v) {
    key(name);
    value(v);
  }
  template <class Range>
  void list(std::string_view name, const Range& values) {
    key(name);
    list(values);
  }
  template <class Range>
  void list(const Range& values) {
    text_ += '[';
    bool first = true;
    for (const auto& v : values) {
      if (!first) text_ += ',';
      first = false;
      value(v);
    }
    text_ += ']';
  }

  void value(bool v) { text_ += v ? "true" : "false"; }
  void value(std::string_view v) {
    text_ += '"';
    text_ += v;
    text_ += '"';
  }
  void value(BlockId block) {
    if (block == null_block)
      text_ += "null";
    else
      value(block.value());
  }
  void value(SequenceId id) { value(id.value()); }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void value(Number v) {
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(v)) {
        text_ += "null";
        return;
      }
    }
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), v);
    text_.append(digits.data(), end.ptr);
  }

 private:
  std::string& text_;
};

/// Writes ascending positions as ranges [first,last] with both ends.
class RangeWriter {
 public:
  RangeWriter(std::string& text, JsonLine& json) : text_(text), json_(json) { text_ += '['; }

  void add(std::uint32_t position) {
    if (open_ && position == last_ + 1) {
      last_ = position;
      return;
    }
    close();
    open_ = true;
    first_ = last_ = position;
  }
  void end() {
    close();
    text_ += ']';
  }

 private:
  void close() {
    if (!open_) return;
    if (written_) text_ += ',';
    written_ = true;
    text_ += '[';
    json_.value(first_);
    text_ += ',';
    json_.value(last_);
    text_ += ']';
  }

  std::string& text_;
  JsonLine& json_;
  std::uint32_t first_ = 0, last_ = 0;
  bool open_ = false, written_ = false;
};

}  // namespace

void EventLog::on_event(const Event& event) {
  if (const auto* clock = std::get_if<ClockAdvanced>(&event)) now_ = clock->now;
  follow(event);
  write(event);
  if (line_.size() >= buffer_bytes) flush();
}

void EventLog::flush() {
  out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
  line_.clear();
}

void EventLog::follow(const Event& event) {
  if (const auto* started = std::get_if<SequenceStarted>(&event)) {
    live_[started->sequence] = {};
  } else if (const auto* appended = std::get_if<TokensAppended>(&event)) {
    live_[appended->sequence].next = appended->first + appended->count;
  } else if (const auto* forked = std::get_if<SequenceForked>(&event)) {
    live_[forked->child] = live_[forked->parent];
  } else if (const auto* finished = std::get_if<SequenceFinished>(&event)) {
    live_.erase(finished->sequence);
  } else if (const auto* preempted = std::get_if<SequencePreempted>(&event)) {
    live_.erase(preempted->sequence);
  }
}

void EventLog::write_moved(const TokensMoved& e) {
  JsonLine json(line_, "tokens_moved", now_);
  json.field("sequence", e.sequence);
  json.field("table", e.table);
  json.field("length", e.length);
  json.field("moved_set_tokens", e.moved_set_tokens);
  json.key("moves");
  line_ += '[';
  for (std::uint32_t set = 0; set < e.moves.sets(); ++set) {
    line_ += set > 0 ? ",[" : "[";
    bool first = true;
    for (const SlotMove& move : e.moves.of(set)) {
      line_ += std::exchange(first, false) ? "[" : ",[";
      line_ += std::to_string(move.source) + ',' + std::to_string(move.target) + ']';
    }
    line_ += ']';
  }
  line_ += ']';
  json.end();
}

void EventLog::write_evicted(const TokensEvicted& e) {
  JsonLine json(line_, "tokens_evicted", now_);
  json.field("sequence", e.sequence);
  json.field("round", e.round);
  json.field("evicted_set_tokens", e.evicted_set_tokens);
  json.field("sets_per_table", e.sets_per_table);
  json.field("vacated_tokens", e.vacated_tokens);
  json.key("evicted");
  line_ += '[';
  LiveTokens& live = live_[e.sequence];
  live.sets.resize(e.keep.size());
  for (std::size_t set = 0; set < e.keep.size(); ++set) {
    if (set > 0) line_ += ',';
    std::vector<std::uint32_t>& tokens = live.sets[set];
    for (std::uint32_t position = live.run_first; position < live.next; ++position)
      tokens.push_back(position);
    const auto mask = e.keep.mask(set);
    RangeWriter ranges(line_, json);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (bits::test(mask, i))
        tokens[kept++] = tokens[i];
      else
        ranges.add(tokens[i]);
    }
    tokens.resize(kept);
    ranges.end();
  }
  live.run_first = live.next;
  line_ += ']';
  json.end();
}

void EventLog::write_step(const StepComposed& e) {
  JsonLine json(line_, "step_composed", now_);
  json.field("step", e.step);
  json.field("waiting", e.waiting);
  json.field("running", e.running);
  json.key("scheduled");
  line_ += '[';
  for (std::size_t i = 0; i < e.scheduled.size(); ++i) {
    const ScheduledTokens& part = e.scheduled[i];
    if (i > 0) line_ += ',';
    json.list(std::array{candidate_id(part.sequence, part.candidate).value(), part.context,
                         part.tokens, part.recomputed, std::uint32_t{part.produces}});
  }
  line_ += ']';
  json.end();
}

void EventLog::write(const Event& event) {
  const auto line = [this](std::string_view type, auto&&... fields) {
    JsonLine json(line_, type, now_);
    (json.field(fields.first, fields.second), ...);
    json.end();
  };
  const auto field = [](std::string_view name, const auto& value) {
    return std::pair<std::string_view, std::decay_t<decltype(value)>>(name, value);
  };
  std::visit(
      Overloaded{
          [&](const ClockAdvanced&) { line("clock_advanced"); },
          [&](const SequenceStarted& e) {
            line("sequence_started", field("sequence", e.sequence),
                 field("prompt_tokens", e.prompt_tokens));
          },
          [&](const BlocksAllocated& e) {
            JsonLine json(line_, "blocks_allocated", now_);
            json.field("sequence", e.sequence);
            json.field("table", e.table);
            json.field("first_entry", e.first_entry);
            json.list("blocks", e.blocks);
            json.end();
          },
          [&](const BlocksAdopted& e) {
            JsonLine json(line_, "blocks_adopted", now_);
            json.field("sequence", e.sequence);
            json.field("table", e.table);
            json.list("blocks", e.blocks);
            json.end();
          },
          [&](const BlocksCached& e) {
            JsonLine json(line_, "blocks_cached", now_);
            json.field("sequence", e.sequence);
            json.field("table", e.table);
            json.field("first_entry", e.first_entry);
            json.list("blocks", e.blocks);
            json.end();
          },
          [&](const BlocksUncached& e) {
            JsonLine json(line_, "blocks_uncached", now_);
            json.field("cause", enum_name(e.cause));
            json.list("blocks", e.blocks);
            json.end();
          },
          [&](const BlockOffloaded& e) {
            line("block_offloaded", field("table", e.table), field("block", e.block),
                 field("other", e.other), field("stored", e.stored));
          },
          [&](const BlockOnboarded& e) {
            line("block_onboarded", field("table", e.table), field("block", e.block),
                 field("other", e.other));
          },
          [&](const CacheCleared&) { line("cache_cleared"); },
          [&](const TokensAppended& e) {
            line("tokens_appended", field("sequence", e.sequence), field("first", e.first),
                 field("count", e.count));
          },
          [&](const RoundStarted& e) {
            line("round_started", field("sequence", e.sequence), field("round", e.round));
          },
          [&](const TokensEvicted& e) { write_evicted(e); },
          [&](const TablePacked& e) {
            line("table_packed", field("sequence", e.sequence), field("table", e.table),
                 field("first_slot", e.first_slot), field("length", e.length),
                 field("moved_set_tokens", e.moved_set_tokens));
          },
          [&](const TableCopiedOut& e) {
            line("table_copied_out", field("sequence", e.sequence), field("table", e.table),
                 field("first_slot", e.first_slot), field("target_slot", e.target_slot),
                 field("length", e.length), field("moved_set_tokens", e.moved_set_tokens));
          },
          [&](const TokensMoved& e) { write_moved(e); },
          [&](const BlocksReleased& e) {
            JsonLine json(line_, "blocks_released", now_);
            json.field("sequence", e.sequence);
            json.field("table", e.table);
            json.field("cause", enum_name(e.cause));
            json.field("shifted", e.shifted);
            json.list("entries", e.entries);
            json.list("blocks", e.blocks);
            json.field("freed", e.freed);
            json.end();
          },
          [&](const BlockCopied& e) {
            line("block_copied", field("sequence", e.sequence), field("table", e.table),
                 field("entry", e.entry), field("from", e.from), field("to", e.to),
                 field("slots", e.slots));
          },
          [&](const SequenceForked& e) {
            line("sequence_forked", field("parent", e.parent), field("child", e.child));
          },
          [&](const RoundFinished& e) {
            line("round_finished", field("sequence", e.sequence), field("round", e.round),
                 field("blocks_freed", e.blocks_freed), field("blocks_taken", e.blocks_taken),
                 field("bytes_moved", e.bytes_moved.value()));
          },
          [&](const RoundSkipped& e) {
            line("round_skipped", field("sequence", e.sequence),
                 field("cause", enum_name(e.cause)));
          },
          [&](const FaultDamage& e) {
            line("fault_damage", field("fault", enum_name(e.fault)), field("sequence", e.sequence),
                 field("count", e.count));
          },
          [&](const QualityMeasured& e) {
            line("quality_measured", field("sequence", e.sequence), field("round", e.round),
                 field("retained_attention_mass", e.retained_attention_mass),
                 field("attention_output_error", e.attention_output_error),
                 field("next_token_agreement", e.next_token_agreement));
          },
          [&](const SequenceCompleted& e) {
            line("sequence_completed", field("sequence", e.sequence));
          },
          [&](const SequenceFinished& e) {
            line("sequence_finished", field("sequence", e.sequence));
          },
          [&](const SequencePreempted& e) {
            line("sequence_preempted", field("sequence", e.sequence));
          },
          [&](const SequenceSwappedOut& e) {
            line("sequence_swapped_out", field("sequence", e.sequence), field("blocks", e.blocks),
                 field("tokens", e.tokens));
          },
          [&](const SequenceSwappedIn& e) {
            line("sequence_swapped_in", field("sequence", e.sequence), field("blocks", e.blocks));
          },
          [&](const HostBlocksStored& e) {
            JsonLine json(line_, "host_blocks_stored", now_);
            json.field("sequence", e.sequence);
            json.field("blocks", e.blocks);
            json.field("evicted", e.evicted);
            json.list("entries", e.entries);
            json.list("host_blocks", e.host_blocks);
            json.end();
          },
          [&](const HostBlocksLoaded& e) {
            JsonLine json(line_, "host_blocks_loaded", now_);
            json.field("sequence", e.sequence);
            json.field("blocks", e.blocks);
            json.field("first_entry", e.first_entry);
            json.list("host_blocks", e.host_blocks);
            json.end();
          },
          [&](const RequestQueued& e) {
            line("request_queued", field("sequence", e.sequence),
                 field("arrival", e.arrival.value()), field("prompt_tokens", e.prompt_tokens),
                 field("output_tokens", e.output_tokens));
          },
          [&](const PrefixLookedUp& e) {
            line("prefix_looked_up", field("sequence", e.sequence), field("known", e.known),
                 field("hit", e.hit));
          },
          [&](const RequestAdmitted& e) {
            line("request_admitted", field("sequence", e.sequence), field("known", e.known),
                 field("hit", e.hit), field("again", e.again), field("restored", e.restored));
          },
          [&](const StepComposed& e) { write_step(e); },
          [&](const StepCompleted& e) {
            JsonLine json(line_, "step_completed", now_);
            json.field("step", e.step);
            json.list("produced", e.produced);
            json.end();
          },
          [&](const RequestRejected& e) {
            line("request_rejected", field("sequence", e.sequence));
          },
          [&](const OutOfMemory& e) {
            line("out_of_memory", field("sequence", e.sequence), field("position", e.position),
                 field("blocks_needed", e.blocks_needed), field("blocks_free", e.blocks_free));
          },
      },
      event);
}

}  // namespace vacancy
