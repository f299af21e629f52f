// SPDX-License-Identifier: Apache-2.0
// What is wrong with a trace is a sentence with its place; what is tolerated is listed in
// docs/formats/traces.md and read as if it were not there.
#include <catch2/catch.hpp>
#include <string>

#include "sim/units/error.hpp"
#include "tests/unit/workload/trace/trace_files.hpp"

using namespace vacancy;

namespace {

const std::string mooncake_row =
    R"({"timestamp": 5, "input_length": 600, "output_length": 7, "hash_ids": [1, 2]})"
    "\n";
const std::string azure_header = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n";
const std::string burst_header =
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n";
const std::string csv_header = "arrival_s,prompt_tokens,output_tokens\n";
const std::string serving_row =
    R"({"input_toks": 2, "output_toks": 1, "arrival_time_ns": 9, "input_tok_ids": [5, 6], "output_tok_ids": [7]})"
    "\n";

std::string mooncake(const std::string& timestamp, const std::string& input,
                     const std::string& output, const std::string& ids) {
  return R"({"timestamp": )" + timestamp + R"(, "input_length": )" + input +
         R"(, "output_length": )" + output + R"(, "hash_ids": )" + ids + "}\n";
}

std::string claude(const std::string& requests, const std::string& block_size = "64") {
  return R"({"id": "c", "block_size": )" + block_size + R"(, "requests": [)" + requests + "]}\n";
}

struct Bad {
  const char* what;
  std::string bytes;
  std::vector<std::string> parts;  // of the message, in any order
  TraceOptions options = {};
};

TraceOptions as(const char* format) {
  TraceOptions options;
  options.format = format;
  return options;
}

std::vector<Bad> bad_traces() {
  const std::string zipped = test::gzip(mooncake_row + mooncake_row);
  std::string flipped = test::gzip(std::string(2000, ' ') + mooncake_row);
  flipped[flipped.size() - 5] ^= 1;  // in the check sum
  std::string deep = mooncake("5", "600", "7", "[1, 2]");
  deep.insert(1, R"("extra": )" + std::string(5000, '[') + std::string(5000, ']') + ", ");
  TraceOptions twelve_tokens;
  twelve_tokens.block_size = 12;
  return {
      // The file.
      {"empty", "", {"no requests"}},
      {"only blank lines", "\n \r\n\t\n", {"no requests"}},
      {"only a byte order mark", "\xEF\xBB\xBF", {"no requests"}},
      {"empty, format named", "", {"no requests"}, as("azure")},
      {"only a header", azure_header, {"no requests"}},
      {"binary",
       std::string("\x7f"
                   "ELF\0\1\2\3\n",
                   9),
       {":1:", "?ELF????", "mooncake (timestamp, input_length"}},
      {"unknown text", "once upon a time\n", {":1:", "\"once upon a time\"", "csv ("}},
      {"a JSON list", "[1, 2]\n", {":1:", "does not tell"}},
      {"another object", "{\"a\": 1}\n", {":1:", "does not tell"}},
      {"a zstd file", "\x28\xb5\x2f\xfd....", {"is a zstd file", "unpack"}},
      {"a very long line",
       std::string(std::size_t{40} << 20, 'x'),
       {":1:", "longer than 16777216"}},
      {"truncated gzip",
       zipped.substr(0, zipped.size() - 9),
       {":", "gzip", "end too early", "byte"}},
      {"gzip of nothing more than a header", zipped.substr(0, 10), {"end too early, at byte 10"}},
      {"gzip with garbage behind", zipped + "garbage", {"other bytes follow", "byte"}},
      {"gzip with a wrong check sum", flipped, {"gzip", "damaged near byte"}},
      {"gzip with a damaged header", std::string("\x1f\x8b\xff\xff 0123456789"), {"damaged"}},
      // The format.
      {"another format than named",
       mooncake_row,
       {":1:", "not of the format azure", "mooncake"},
       as("azure")},
      {"no format of that name",
       mooncake_row,
       {"\"moonkake\"", "Did you mean \"mooncake\"?"},
       as("moonkake")},
      {"blocks of a format without contents",
       csv_header + "1,2,3\n",
       {"block size", "csv", "leave it out"},
       twelve_tokens},
      {"blocks of token ids that are not there",
       R"({"input_toks": 2, "output_toks": 1, "arrival_time_ns": 9})",
       {"no token ids"},
       twelve_tokens},
      // JSON.
      {"a line cut off", mooncake_row + mooncake_row.substr(0, 40), {":2:", "ends too early"}},
      {"two objects in a line",
       mooncake_row.substr(0, mooncake_row.size() - 1) + mooncake_row,
       {":1:", "no valid JSON from column"}},
      {"NaN", mooncake_row + mooncake("NaN", "600", "7", "[1, 2]"), {":2:", "no valid JSON"}},
      {"Infinity", mooncake_row + mooncake("5", "Infinity", "7", "[1, 2]"), {":2:"}},
      {"a leading zero", mooncake_row + mooncake("05", "600", "7", "[1, 2]"), {":2:"}},
      {"1e400",
       mooncake_row + mooncake("1e400", "600", "7", "[1, 2]"),
       {":2:", "\"1e400\" is too large"}},
      {"broken UTF-8", mooncake_row + "{\"\xff\": 1}\n", {":2:", "no valid JSON"}},
      {"deep nesting", deep, {":1:", "deeper than 32"}},
      {"a list for an object", mooncake_row + "[]\n", {":2:", "expected an object, got a list"}},
      {"a key twice",
       R"({"timestamp": 5, "input_length": 600, "input_length": 600, )"
       R"("output_length": 7, "hash_ids": [1, 2]})",
       {":1:", "\"input_length\"", "twice"}},
      {"an escaped key twice",
       R"({"timestamp": 5, "input_length": 600, "input\u005flength": 600, )"
       R"("output_length": 7, "hash_ids": [1, 2]})",
       {":1:", "\"input_length\"", "twice"}},
      // Mooncake.
      {"a missing field",
       mooncake_row + R"({"timestamp": 5, "input_length": 600, "hash_ids": []})",
       {":2:", "field \"output_length\"", "is missing"}},
      {"a text for a number",
       mooncake("5", "\"600\"", "7", "[1, 2]"),
       {":1:", "\"input_length\"", "expected an integer", "the text \"600\""}},
      {"null for a number", mooncake("5", "null", "7", "[1, 2]"), {"got null"}},
      {"a boolean for a number", mooncake("5", "true", "7", "[1, 2]"), {"got a boolean"}},
      {"a negative count",
       mooncake("5", "600", "-7", "[1, 2]"),
       {":1:", "\"output_length\"", "got -7"}},
      {"a fraction", mooncake("5", "600.5", "7", "[1, 2]"), {"\"input_length\"", "got 600.5"}},
      {"a whole number written as a fraction",
       mooncake("5", "600.0", "7", "[1, 2]"),
       {"\"input_length\"", "got 600.0"}},
      {"a fraction of a millisecond",
       mooncake("5.5", "600", "7", "[1, 2]"),
       {"\"timestamp\"", "got 5.5"}},
      {"a negative time", mooncake("-5", "600", "7", "[1, 2]"), {"\"timestamp\"", "got -5"}},
      {"a count beyond 2^30",
       mooncake("5", "1073741825", "7", "[1, 2]"),
       {"from 0 to 1073741824", "got 1073741825"}},
      {"a count beyond 64 bits",
       mooncake("5", "99999999999999999999", "7", "[1, 2]"),
       {"\"input_length\"", "got 99999999999999999999"}},
      {"a time beyond 292 years",
       mooncake("9223372036855", "600", "7", "[1, 2]"),
       {"\"timestamp\"", "to 9223372036854"}},
      {"time that runs backwards",
       mooncake_row + mooncake("4", "600", "7", "[1, 2]"),
       {":2:", "\"timestamp\"", "1 ms before the one above", "sort"}},
      {"too few ids",
       mooncake("5", "600", "7", "[1]"),
       {":1:", "\"hash_ids\"", "has 1 ids", "600 tokens in blocks of 512", "needs 2"}},
      {"too many ids", mooncake("5", "512", "7", "[1, 2]"), {"has 2 ids", "needs 1"}},
      {"no list of ids", mooncake("5", "600", "7", "12"), {"\"hash_ids\"", "expected a list"}},
      {"a negative id", mooncake("5", "600", "7", "[1, -2]"), {"\"hash_ids[1]\"", "got -2"}},
      {"a list among the ids",
       mooncake("5", "600", "7", "[1, [2]]"),
       {"\"hash_ids[1]\"", "got a list"}},
      // Bailian.
      {"Bailian: a number of ids that is neither",
       R"({"chat_id": 1, "parent_chat_id": -1, )"
       R"("timestamp": 0.5, "input_length": 40, "output_length": 1, "hash_ids": [1]})",
       {":1:", "\"hash_ids\"", "has 1 ids", "needs 2"}},
      {"Bailian: no chat",
       R"({"timestamp": 0.5, "input_length": 4, "output_length": 1, )"
       R"("hash_ids": []})",
       {":1:", "not of the format bailian"},
       as("bailian")},
      // Claude Code.
      {"no block size",
       "{\"id\": \"c\", \"requests\": []}\n",
       {"\"block_size\"", "missing"},
       as("claude_code")},
      {"a block size of 0", claude("", "0"), {"\"block_size\"", "positive"}},
      {"no requests", claude(""), {"no requests"}},
      {"ids that disagree with the length",
       claude(R"({"t": 0, "type": "n", "in": 200, "out": 1, "hash_runs": [[1, 4]]})"),
       {":1:", "request 0", "has 4 ids", "200 tokens in blocks of 64", "needs 3"}},
      {"a run of three numbers",
       claude(R"({"t": 0, "type": "n", "in": 200, "out": 1, "hash_runs": [[1, 3, 5]]})"),
       {"\"requests[0].hash_runs[0]\"", "has 3 numbers"}},
      {"an empty run",
       claude(R"({"t": 0, "type": "n", "in": 2, "out": 1, "hash_runs": [[1, 0]]})"),
       {"\"requests[0].hash_runs[0]\"", "empty"}},
      {"a request of no known type",
       claude(R"({"t": 0, "type": "x", "in": 2, "out": 1, "hash_runs": []})"),
       {"\"requests[0].type\"", "got \"x\""}},
      {"a request without lengths",
       claude(R"({"t": 0, "type": "n", "hash_runs": []})"),
       {"\"requests[0]\"", "in, out and hash_runs"}},
      {"a sub-task without requests",
       claude(R"({"t": 0, "type": "subagent"})"),
       {"\"requests[0]\"", "a sub-task has requests"}},
      {"a sub-task with tokens",
       claude(R"({"t": 0, "type": "subagent", "in": 5, "requests": []})"),
       {"\"requests[0]\"", "a sub-task"}},
      {"a fault inside a sub-task",
       claude(R"({"t": 1, "type": "subagent", "requests": [{"t": -1, "type": "n"}]})"),
       {"\"requests[0].requests[0].t\"", "seconds", "got -1"}},
      {"ids of another scope",
       R"({"id": "c", "block_size": 64, "hash_id_scope": "global", "requests": []})",
       {"\"hash_id_scope\"", "got \"global\""}},
      {"two block sizes",
       claude("") + claude("", "32"),
       {":2:", "\"block_size\"", "is 32, but 64"}},
      // LLMServingSim.
      {"fewer token ids than tokens",
       R"({"input_toks": 3, "output_toks": 1, "arrival_time_ns": 9, "input_tok_ids": [5, 6], )"
       R"("output_tok_ids": [7]})",
       {":1:", "\"input_tok_ids\"", "has 2 ids", "input_toks needs 3"}},
      {"one list of token ids",
       R"({"input_toks": 2, "output_toks": 1, "arrival_time_ns": 9, "input_tok_ids": [5, 6]})",
       {":1:", "\"output_tok_ids\"", "missing"}},
      {"token ids in some rows only",
       serving_row + R"({"input_toks": 2, "output_toks": 1, "arrival_time_ns": 9})",
       {":2:", "no token ids"}},
      {"a fraction of a nanosecond",
       R"({"input_toks": 2, "output_toks": 1, "arrival_time_ns": 9.5})",
       {"\"arrival_time_ns\"", "got 9.5"}},
      // CSV.
      {"a missing column",
       "Timestamp,Request tokens\n5,4\n",
       {":1:", "\"Response tokens\"", "does not name"},
       as("burstgpt")},
      {"a column twice",
       "arrival_s,prompt_tokens,prompt_tokens,output_tokens\n1,2,2,3\n",
       {":1:", "\"prompt_tokens\" twice"}},
      {"no arrival", "prompt_tokens,output_tokens\n2,3\n", {":1:", "\"arrival_s\""}},
      {"two arrivals",
       "arrival_s,arrival_ms,prompt_tokens,output_tokens\n1,1000,2,3\n",
       {":1:", "\"arrival_ms\"", "arrival_s"}},
      {"too few fields", csv_header + "1,2,3\n2,2\n", {":3:", "has 2 fields", "names 3"}},
      {"too many fields", csv_header + "1,2,3,4\n", {":2:", "has 4 fields"}},
      {"an open quote", csv_header + "1,\"2,3\n", {":2:", "quotes"}},
      {"an empty field", csv_header + "1,,3\n", {":2:", "\"prompt_tokens\"", "got \"\""}},
      {"a word", csv_header + "1,two,3\n", {":2:", "\"prompt_tokens\"", "got \"two\""}},
      {"a fraction of a token", csv_header + "1,2.5,3\n", {":2:", "\"prompt_tokens\"", "2.5"}},
      {"a negative token count", csv_header + "1,2,-3\n", {":2:", "\"output_tokens\"", "-3"}},
      {"nan seconds", csv_header + "nan,2,3\n", {":2:", "\"arrival_s\"", "got \"nan\""}},
      {"infinite seconds", csv_header + "inf,2,3\n", {":2:", "\"arrival_s\""}},
      {"1e400 seconds", csv_header + "1e400,2,3\n", {":2:", "\"arrival_s\"", "292 years"}},
      {"hexadecimal", csv_header + "0x10,2,3\n", {":2:", "\"arrival_s\""}},
      {"negative seconds", csv_header + "-0.5,2,3\n", {":2:", "\"arrival_s\"", "-0.5"}},
      {"a decimal comma", csv_header + "\"0,5\",2,3\n", {":2:", "\"arrival_s\"", "0,5"}},
      {"rows out of order", csv_header + "2,2,3\n1.5,2,3\n", {":3:", "500 ms before"}},
      {"a total that disagrees",
       burst_header + "5,ChatGPT,472,18,491,API log\n",
       {":2:", "\"Total tokens\"", "is 491", "490"}},
      {"no time of day", azure_header + "2023-11-16,4808,10\r\n", {":2:", "\"TIMESTAMP\""}},
      {"a day that is not",
       azure_header + "2023-02-29 18:17:03.0,4808,10\r\n",
       {":2:", "\"TIMESTAMP\"", "2023-02-29"}},
      {"an hour that is not", azure_header + "2023-11-16 24:00:00,4808,10\r\n", {":2:"}},
      {"ten decimals", azure_header + "2023-11-16 18:17:03.1234567891,4808,10\r\n", {":2:"}},
      {"two columns only", azure_header + "2023-11-16 18:17:03.0,4808\r\n", {":2:", "2 fields"}},
  };
}

std::string fault(const std::filesystem::path& path, const TraceOptions& options) {
  try {
    test::read_all(path, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("what is wrong with a trace is told with its place", "[trace]") {
  const test::TemporaryFolder folder;
  for (const Bad& bad : bad_traces()) {
    const auto path = folder.write("bad.trace", bad.bytes);
    const std::string message = fault(path, bad.options);
    INFO(bad.what << ": " << message);
    REQUIRE_FALSE(message.empty());
    CHECK((message.starts_with(path.string() + ":") || bad.options.format == "moonkake"));
    CHECK((message.ends_with('.') || message.ends_with('?')));
    CHECK(message.size() < 600 + path.string().size());
    for (const std::string& part : bad.parts)
      CHECK_THAT(message, Catch::Contains(part));
  }
}

TEST_CASE("a file that is not there, and a folder", "[trace]") {
  const test::TemporaryFolder folder;
  CHECK_THAT(fault(folder.path() / "none", {}), Catch::EndsWith("no such file; check the path."));
  CHECK_THAT(fault(folder.path(), {}), Catch::EndsWith("is a folder; name a file in it."));
  CHECK_THAT(fault("", {}), Catch::Contains("empty"));
}

TEST_CASE("what comes before a fault is given", "[trace]") {
  const test::TemporaryFolder folder;
  const auto reader =
      open_trace(folder.write("t", mooncake_row + mooncake_row + "{\"timestamp\": -1}\n"), {});
  TraceRequest request;
  CHECK(reader->next(request));
  CHECK(reader->next(request));
  CHECK_THROWS_AS(reader->next(request), UserError);
}

TEST_CASE("documented tolerances change nothing", "[trace]") {
  const test::TemporaryFolder folder;
  const auto plain = test::read_all(folder.write("plain", mooncake_row + mooncake_row));
  REQUIRE(plain.size() == 2);
  const auto same = [&](const char* what, const std::string& bytes) {
    INFO(what);
    const auto read = test::read_all(folder.write("other", bytes));
    REQUIRE(read.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(read[i].arrival == plain[i].arrival);
      CHECK(read[i].prompt_tokens == plain[i].prompt_tokens);
      CHECK(read[i].output_tokens == plain[i].output_tokens);
      CHECK(read[i].block_keys == plain[i].block_keys);
    }
  };
  const std::string row = mooncake_row.substr(0, mooncake_row.size() - 1);
  same("a byte order mark", "\xEF\xBB\xBF" + mooncake_row + mooncake_row);
  same("CRLF", row + "\r\n" + row + "\r\n");
  same("no line end at the end", mooncake_row + row);
  same("blank lines", "\n\n" + mooncake_row + "  \n\t\r\n" + mooncake_row + "\n");
  same("blanks around", "  " + row + "\t \n" + mooncake_row);
  same("unknown members, in any order",
       R"({"hash_ids": [1, 2], "who": {"a": [1, {"timestamp": 3}]}, "output_length": 7, )"
       R"("input_length": 600, "x": null, "timestamp": 5})"
       "\n" +
           mooncake_row);
  same("gzip", test::gzip(mooncake_row + mooncake_row));
  same("gzip in two members", test::gzip(mooncake_row) + test::gzip(mooncake_row));
  same("gzip members that split a line",
       test::gzip(mooncake_row + mooncake_row.substr(0, 30)) + test::gzip(mooncake_row.substr(30)));
}
