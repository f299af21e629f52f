// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "sim/run_log/files.hpp"
#include "sim/workload/lengths.hpp"
#include "sim/workload/trace/decimal.hpp"
#include "sim/workload/trace/json_line.hpp"

namespace vacancy {
namespace {

enum Field : std::size_t {
  request_id,
  input_toks,
  output_toks,
  arrival_time,
  queued_ts,
  scheduled_ts,
  first_token_ts,
  last_token_ts
};
constexpr JsonField fields[] = {{"request_id"},     {"input_toks"},   {"output_toks"},
                                {"arrival_time"},   {"queued_ts"},    {"scheduled_ts"},
                                {"first_token_ts"}, {"last_token_ts"}};

/// A row with its stamps as they are written: two clocks.
MeasuredRequest read_row(JsonLine& json) {
  MeasuredRequest row;
  json.load();
  JsonObject object(json, fields);
  while (const auto field = object.next()) {
    switch (*field) {
      case request_id:
        row.id = json.text();
        break;
      case input_toks:
        row.prompt_tokens = static_cast<std::uint32_t>(json.integer(max_length_tokens));
        break;
      case output_toks:
        row.output_tokens = static_cast<std::uint32_t>(json.integer(max_length_tokens));
        break;
      case arrival_time:
        row.arrival = json.time(seconds_to_nanoseconds);
        break;
      case queued_ts:
        row.queued = json.time(seconds_to_nanoseconds);
        break;
      case scheduled_ts:
        row.scheduled = json.time(seconds_to_nanoseconds);
        break;
      case first_token_ts:
        row.first_token = json.time(seconds_to_nanoseconds);
        break;
      case last_token_ts:
        row.last_token = json.time(seconds_to_nanoseconds);
        break;
    }
  }
  return row;
}

void check_row(const LineReader& lines, const MeasuredRequest& row,
               const MeasuredRequest* previous) {
  const auto check = [&](bool holds, Field field, const char* sentence) {
    if (!holds) lines.fail(fields[field].name, sentence);
  };
  check(row.output_tokens > 0, output_toks, "is 0; a request of the log has at least one token.");
  check(row.queued <= row.scheduled, scheduled_ts, "lies before queued_ts; correct the line.");
  check(row.scheduled < row.first_token, first_token_ts,
        "does not lie after scheduled_ts; correct the line.");
  check(
      row.output_tokens == 1 ? row.first_token == row.last_token : row.first_token < row.last_token,
      last_token_ts,
      row.output_tokens == 1 ? "differs from first_token_ts, but there is one token."
                             : "does not lie after first_token_ts; correct the line.");
  check(previous == nullptr || previous->queued <= row.queued, queued_ts,
        "lies before that of the line above; sort the lines by queued_ts.");
}

}  // namespace

std::vector<MeasuredRequest> read_measured_requests(const std::filesystem::path& file) {
  LineReader lines(file);
  JsonLine json(lines);
  std::vector<MeasuredRequest> requests;
  while (lines.next()) {
    MeasuredRequest row = read_row(json);
    check_row(lines, row, requests.empty() ? nullptr : &requests.back());
    requests.push_back(std::move(row));
  }
  if (requests.empty()) lines.fail_file("is empty; a line for each request is expected.");

  const SimTime zero = requests.front().queued;
  SimTime lag = zero - requests.front().arrival;
  for (const MeasuredRequest& request : requests)
    lag = std::min(lag, request.queued - request.arrival);
  for (MeasuredRequest& request : requests) {
    request.arrival = request.arrival + lag - zero;
    for (SimTime MeasuredRequest::*stamp :
         {&MeasuredRequest::queued, &MeasuredRequest::scheduled, &MeasuredRequest::first_token,
          &MeasuredRequest::last_token})
      request.*stamp = request.*stamp - zero;
  }
  return requests;
}

}  // namespace vacancy
