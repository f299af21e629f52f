// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/workload/lengths.hpp"
#include "sim/workload/trace/decimal.hpp"
#include "sim/workload/trace/field_text.hpp"
#include "sim/workload/trace/file_trace.hpp"
#include "sim/workload/trace/json_line.hpp"
#include "sim/workload/trace/readers.hpp"

namespace vacancy {

namespace {

// A key is the conversation's index in the high bits and the id that the file gives in the low
// ones.
constexpr int id_bits = 40;
constexpr std::uint64_t largest_id = (std::uint64_t{1} << id_bits) - 1;
constexpr std::uint64_t most_conversations = std::uint64_t{1} << (64 - id_bits);

namespace conversation {
enum Field : std::size_t { id, block_size, hash_id_scope, requests };
constexpr JsonField fields[] = {{"id"}, {"block_size"}, {"hash_id_scope", false}, {"requests"}};
}  // namespace conversation

namespace entry {
enum Field : std::size_t { t, type, in, out, hash_runs, hash_ids, requests };
constexpr JsonField fields[] = {{"t"},
                                {"type"},
                                {"in", false},
                                {"out", false},
                                {"hash_runs", false},
                                {"hash_ids", false},
                                {"requests", false}};
}  // namespace entry

/// Conversations with coding agents, one a line (spec formats §4.2, published §8). All start at 0;
/// requests are served by time, then line, then order of appearance in a depth-first walk. What is
/// kept of a request is a few integers and its runs of ids, not the ids.
class ClaudeCode final : public FileTrace {
 public:
  ClaudeCode(std::unique_ptr<LineReader> lines, const TraceOptions& options)
      : FileTrace(std::move(lines), options, "claude_code", "t"),
        json_(this->lines()),
        nested_time_(options.nested_time) {
    info_.block_size = options.block_size.value_or(0);
    while (this->lines().next()) {
      json_.load();
      read_conversation();
      ++conversation_;
    }
    // Requests were stored in the order of lines and walks.
    std::stable_sort(requests_.begin(), requests_.end(),
                     [](const Stored& a, const Stored& b) { return a.time < b.time; });
  }

 private:
  struct Run {
    std::uint64_t first = 0;
    std::uint32_t count = 0;
  };
  struct Stored {
    SimTime time;
    std::uint32_t conversation = 0;
    std::uint32_t prompt_tokens = 0, output_tokens = 0;
    std::uint32_t runs = 0;
    std::size_t first_run = 0;
  };

  bool read(TraceRequest& request) override {
    if (next_ == requests_.size()) return false;
    const Stored& stored = requests_[next_++];
    request.arrival = stored.time;
    request.prompt_tokens = stored.prompt_tokens;
    request.output_tokens = stored.output_tokens;
    const std::uint64_t space = std::uint64_t{stored.conversation} << id_bits;
    for (std::uint32_t r = 0; r < stored.runs; ++r) {
      const Run& run = runs_[stored.first_run + r];
      for (std::uint64_t id = run.first; id < run.first + run.count; ++id)
        request.block_keys.push_back(space | id);
    }
    return true;
  }

  void read_conversation() {
    if (conversation_ == most_conversations)
      lines().fail({}, "has more than " + std::to_string(most_conversations) + " conversations.");
    const std::size_t first = requests_.size();
    std::optional<std::uint32_t> block_size;
    {
      JsonObject object(json_, conversation::fields);
      while (const auto field = object.next()) {
        switch (*field) {
          case conversation::id:
            json_.text();
            break;
          case conversation::block_size:
            block_size = static_cast<std::uint32_t>(json_.integer(max_length_tokens));
            break;
          case conversation::hash_id_scope:
            if (const auto scope = json_.text(); scope != "local")
              lines().fail("hash_id_scope", unexpected("\"local\"", quoted_excerpt(scope)));
            break;
          case conversation::requests:
            read_requests();
            break;
        }
      }
    }
    take_block_size(*block_size);
    for (std::size_t i = first; i < requests_.size(); ++i)
      check_keys(requests_[i], i - first);
  }

  void take_block_size(std::uint32_t size) {
    if (size == 0) lines().fail("block_size", unexpected("a positive integer", "0"));
    if (info_.block_size == 0) info_.block_size = size;
    if (info_.block_size != size)
      lines().fail("block_size", "is " + std::to_string(size) + ", but " +
                                     std::to_string(info_.block_size) +
                                     " was asked for or stands above; split the file.");
  }

  void check_keys(const Stored& request, std::size_t index) {
    std::uint64_t ids = 0;
    for (std::uint32_t r = 0; r < request.runs; ++r)
      ids += runs_[request.first_run + r].count;
    const std::string field = "hash_runs (request " + std::to_string(index) + " of the walk)";
    check_key_count(lines(), field, ids, request.prompt_tokens / info_.block_size,
                    request.prompt_tokens, info_.block_size);
  }

  void read_requests() {
    JsonArray list(json_);
    while (list.next())
      read_entry();
  }

  /// A request, or a sub-task that has requests of its own.
  void read_entry() {
    Stored request{{}, static_cast<std::uint32_t>(conversation_), 0, 0, 0, runs_.size()};
    const std::size_t first_nested = requests_.size();
    bool is_subagent = false;
    JsonObject object(json_, entry::fields);
    while (const auto field = object.next()) {
      switch (*field) {
        case entry::t:
          request.time = json_.time(seconds_to_nanoseconds);
          break;
        case entry::type:
          is_subagent = read_type();
          break;
        case entry::in:
          request.prompt_tokens = static_cast<std::uint32_t>(json_.integer(max_length_tokens));
          break;
        case entry::out:
          request.output_tokens = static_cast<std::uint32_t>(json_.integer(max_length_tokens));
          break;
        case entry::hash_runs:
          request.first_run = runs_.size();
          read_runs();
          request.runs = static_cast<std::uint32_t>(runs_.size() - request.first_run);
          break;
        case entry::hash_ids:
          request.first_run = runs_.size();
          read_ids();
          request.runs = static_cast<std::uint32_t>(runs_.size() - request.first_run);
          break;
        case entry::requests:
          read_requests();
          break;
      }
    }
    check_fields(object, is_subagent);
    if (!is_subagent)
      requests_.push_back(request);
    else if (nested_time_ == NestedTime::absolute)
      move_by(first_nested, request.time);
  }

  void check_fields(const JsonObject& object, bool is_subagent) const {
    if (object.has(entry::hash_runs) && object.has(entry::hash_ids))
      json_.fail("has both hash_runs and hash_ids; remove one of them.");
    const bool ids = object.has(entry::hash_runs) || object.has(entry::hash_ids);
    const bool in = object.has(entry::in), out = object.has(entry::out);
    if (is_subagent && (in || out || ids || !object.has(entry::requests)))
      json_.fail(
          "a sub-task has requests, and no in, out, hash_runs of its own; correct the line.");
    if (!is_subagent && (!in || !out || !ids || object.has(entry::requests)))
      json_.fail("a request has in, out and hash_runs, and no requests; correct the line.");
  }

  bool read_type() {
    const std::string_view type = json_.text();
    if (type != "n" && type != "s" && type != "subagent")
      json_.fail(unexpected("\"n\", \"s\" or \"subagent\"", quoted_excerpt(type)));
    return type == "subagent";
  }

  void move_by(std::size_t first, SimTime start) {
    for (std::size_t i = first; i < requests_.size(); ++i) {
      if (requests_[i].time.value() > std::numeric_limits<std::int64_t>::max() - start.value())
        json_.fail("the times of the sub-task add up to more than 292 years.");
      requests_[i].time += start;
    }
  }

  void read_runs() {
    JsonArray list(json_);
    while (list.next()) {
      ids_.clear();
      json_.integers(ids_, largest_id);
      if (ids_.size() != 2)
        json_.fail(count_mismatch("numbers", ids_.size(), 2, "a run [first id, length]"));
      if (ids_[1] == 0 || ids_[1] > max_length_tokens || ids_[0] > largest_id - ids_[1])
        json_.fail("a run of " + std::to_string(ids_[1]) + " ids from " + std::to_string(ids_[0]) +
                   " is empty or too long; correct the line.");
      runs_.push_back({ids_[0], static_cast<std::uint32_t>(ids_[1])});
    }
  }

  /// The form of the public originals; successive ids become one run.
  void read_ids() {
    ids_.clear();
    json_.integers(ids_, largest_id);
    const std::size_t first = runs_.size();
    for (const std::uint64_t id : ids_) {
      if (runs_.size() > first && id == runs_.back().first + runs_.back().count)
        ++runs_.back().count;
      else
        runs_.push_back({id, 1});
    }
  }

  JsonLine json_;
  NestedTime nested_time_;
  std::uint64_t conversation_ = 0;
  std::vector<Stored> requests_;
  std::vector<Run> runs_;
  std::vector<std::uint64_t> ids_;  // of the list being read
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<TraceReader> read_claude_code(std::unique_ptr<LineReader> lines,
                                              const TraceOptions& options) {
  return std::make_unique<ClaudeCode>(std::move(lines), options);
}

}  // namespace vacancy
