// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "sim/workload/lengths.hpp"
#include "sim/workload/trace/field_text.hpp"
#include "sim/workload/trace/file_trace.hpp"
#include "sim/workload/trace/json_line.hpp"
#include "sim/workload/trace/readers.hpp"

namespace vacancy {

namespace {

/// Lengths and arrivals, with token ids in all rows or in none (spec formats §4.6).
class LlmServingSim final : public FileTrace {
 public:
  LlmServingSim(std::unique_ptr<LineReader> lines, const TraceOptions& options)
      : FileTrace(std::move(lines), options, "llmservingsim", "arrival_time_ns"),
        json_(this->lines()) {
    TraceRequest first;
    if (read_row(first)) {
      info_.token_ids = row_has_ids_;
      this->lines().put_back();
    }
  }

 private:
  enum Field : std::size_t {
    input_toks,
    output_toks,
    arrival_time_ns,
    input_tok_ids,
    output_tok_ids
  };
  static constexpr JsonField fields[] = {{"input_toks"},
                                         {"output_toks"},
                                         {"arrival_time_ns"},
                                         {"input_tok_ids", false},
                                         {"output_tok_ids", false}};

  bool read(TraceRequest& request) override {
    if (!read_row(request)) return false;
    if (row_has_ids_ != info_.token_ids)
      lines().fail({}, row_has_ids_
                           ? "has token ids, but the rows above have none; make them alike."
                           : "has no token ids, but the rows above do; make them alike.");
    return true;
  }

  bool read_row(TraceRequest& request) {
    if (!lines().next()) return false;
    json_.load();
    JsonObject object(json_, fields);
    while (const auto field = object.next()) {
      switch (*field) {
        case input_toks:
          request.prompt_tokens = static_cast<std::uint32_t>(json_.integer(max_length_tokens));
          break;
        case output_toks:
          request.output_tokens = static_cast<std::uint32_t>(json_.integer(max_length_tokens));
          break;
        case arrival_time_ns:
          request.arrival = SimTime(
              static_cast<std::int64_t>(json_.integer(std::numeric_limits<std::int64_t>::max())));
          break;
        case input_tok_ids:
          json_.integers(request.prompt_ids, std::numeric_limits<std::uint32_t>::max());
          break;
        case output_tok_ids:
          json_.integers(request.output_ids, std::numeric_limits<std::uint32_t>::max());
          break;
      }
    }
    row_has_ids_ = object.has(input_tok_ids);
    if (object.has(output_tok_ids) != row_has_ids_)
      lines().fail(fields[row_has_ids_ ? output_tok_ids : input_tok_ids].name,
                   "is missing, but the other list of ids stands there; give both or none.");
    if (row_has_ids_) {
      check_ids(input_tok_ids, request.prompt_ids.size(), request.prompt_tokens);
      check_ids(output_tok_ids, request.output_ids.size(), request.output_tokens);
    }
    return true;
  }

  void check_ids(Field list, std::uint64_t ids, std::uint32_t tokens) {
    if (ids == tokens) return;
    const Field count = list == input_tok_ids ? input_toks : output_toks;
    lines().fail(fields[list].name, count_mismatch("ids", ids, tokens, fields[count].name));
  }

  JsonLine json_;
  bool row_has_ids_ = false;
};

}  // namespace

std::unique_ptr<TraceReader> read_llmservingsim(std::unique_ptr<LineReader> lines,
                                                const TraceOptions& options) {
  return std::make_unique<LlmServingSim>(std::move(lines), options);
}

}  // namespace vacancy
