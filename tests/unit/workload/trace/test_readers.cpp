// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "sim/workload/trace/csv_table.hpp"
#include "sim/workload/trace/decimal.hpp"
#include "sim/workload/trace/formats.hpp"
#include "sim/workload/trace/line_reader.hpp"
#include "sim/workload/trace/timestamp.hpp"
#include "sim/workload/trace/token_keys.hpp"
#include "tests/unit/workload/trace/trace_files.hpp"

using namespace vacancy;

namespace {

using Keys = std::vector<std::uint64_t>;

std::int64_t exact(std::string_view text, int power) {
  const ScaledDecimal scaled = scaled_decimal(text, power);
  INFO(text);
  REQUIRE(scaled.fault == DecimalFault::none);
  return scaled.value;
}

DecimalFault fault(std::string_view text, int power = 9) {
  return scaled_decimal(text, power).fault;
}

}  // namespace

TEST_CASE("decimal seconds become nanoseconds without rounding", "[trace]") {
  CHECK(exact("0", 9) == 0);
  CHECK(exact("19.0", 9) == 19'000'000'000);
  CHECK(exact("134.227", 9) == 134'227'000'000);
  CHECK(exact("0.1", 9) == 100'000'000);
  CHECK(exact("4503599627.370497", 9) == 4'503'599'627'370'497'000);
  CHECK(exact("9007199.254740993", 9) == 9'007'199'254'740'993);  // 2^53 + 1: no double
  CHECK(exact("9223372036.854775807", 9) == 9'223'372'036'854'775'807);
  CHECK(exact("1.5e3", 6) == 1'500'000'000);
  CHECK(exact("15E-1", 0) == 2);  // 1.5, away from 0
  CHECK(exact("1e-400", 9) == 0);
  CHECK(exact("0e400", 9) == 0);
  CHECK(exact("-0.0", 9) == 0);
  CHECK(exact("0.00000000049", 9) == 0);
  CHECK(exact("0.0000000005", 9) == 1);
  CHECK(exact("123456789e-9", 9) == 123'456'789);
}

TEST_CASE("what is no decimal number, negative or too large is told apart", "[trace]") {
  for (const char* text : {"", " ", "-", ".", "1.", ".5", "1e", "1e+", "01", "+1", "1 ", "0x1",
                           "nan", "inf", "1,5", "1.5.2", "--1", "1e5.0"}) {
    INFO(text);
    CHECK(fault(text) == DecimalFault::malformed);
  }
  CHECK(fault("-1") == DecimalFault::negative);
  CHECK(fault("-0.0000000000001") == DecimalFault::negative);
  CHECK(fault("9223372036.854775808") == DecimalFault::too_large);
  CHECK(fault("9223372036.8547758075") == DecimalFault::too_large);  // rounds up
  CHECK(fault("1e400") == DecimalFault::too_large);
  CHECK(fault("1e99999999999999999999") == DecimalFault::too_large);
  CHECK(fault(std::string(5000, '9')) == DecimalFault::too_large);
}

TEST_CASE("timestamps are days, seconds and decimals in UTC", "[trace]") {
  CHECK(parse_timestamp("1970-01-01 00:00:00") == 0);
  CHECK(parse_timestamp("2023-11-16 18:17:03.9799600") == 1'700'158'623'979'960'000);
  CHECK(parse_timestamp("2024-05-10 00:00:00.009930+00:00") == 1'715'299'200'009'930'000);
  CHECK(parse_timestamp("2024-05-10T02:00:00.00993+02:00") == 1'715'299'200'009'930'000);
  CHECK(parse_timestamp("2024-05-09T23:30:00.00993-00:30") == 1'715'299'200'009'930'000);
  CHECK(parse_timestamp("2024-02-29 23:59:59Z") == 1'709'251'199'000'000'000);
  for (const char* text :
       {"", "2023", "2023-11-16", "2023-11-16 18:17", "2023-13-01 00:00:00", "2023-11-31 00:00:00",
        "1969-12-31 23:59:59", "2262-01-01 00:00:00", "2023-11-16 18:60:00", "2023-11-16 18:17:60",
        "2023-11-16 18:17:03.", "2023-11-16 18:17:03.0 ", "2023-11-16 18:17:03+2", "-023-11-16 0",
        "2023-11-16 18:17:03+24:00", "2023/11/16 18:17:03"}) {
    INFO(text);
    CHECK_FALSE(parse_timestamp(text));
  }
}

TEST_CASE("fields of a CSV line", "[trace]") {
  std::vector<std::string_view> fields;
  using Fields = std::vector<std::string_view>;
  REQUIRE(split_csv("a,b c,,d", fields));
  CHECK(fields == Fields{"a", "b c", "", "d"});
  REQUIRE(split_csv(R"( a , "b, ""c""" ,d,)", fields));
  CHECK(fields == Fields{"a", R"(b, ""c"")", "d", ""});
  CHECK_FALSE(split_csv(R"(a,"b)", fields));
  CHECK_FALSE(split_csv(R"(a,"b"c,d)", fields));
  CHECK_FALSE(split_csv(R"(")", fields));
}

TEST_CASE("lines of any length around the buffer's size come out whole", "[trace]") {
  const test::TemporaryFolder folder;
  for (const std::size_t length : {1u, 65'534u, 65'535u, 65'536u, 65'537u, 200'000u, 5'000'000u}) {
    const std::string line(length, 'x');
    for (const bool packed : {false, true}) {
      const std::string text = line + "\n" + line + "\r\nlast";
      LineReader lines(folder.write("lines", packed ? test::gzip(text) : text));
      REQUIRE(lines.next());
      CHECK(lines.line() == line);
      lines.put_back();
      REQUIRE(lines.next());
      CHECK(lines.number() == 1);
      REQUIRE(lines.next());
      CHECK(lines.line() == line);
      REQUIRE(lines.next());
      CHECK(lines.line() == "last");
      CHECK(lines.number() == 3);
      CHECK_FALSE(lines.next());
    }
  }
}

TEST_CASE("each format is told from its first line", "[trace]") {
  const test::TemporaryFolder folder;
  const std::pair<const char*, const char*> files[] = {
      {"mooncake", R"({"timestamp": 1, "input_length": 1, "output_length": 1, "hash_ids": [7]})"},
      {"bailian", R"({"chat_id": 1, "parent_chat_id": -1, "timestamp": 0.5, "input_length": 1, )"
                  R"("output_length": 1, "type": "text", "turn": 1, "hash_ids": [7]})"},
      {"claude_code", R"({"id": "a", "block_size": 64, "requests": [{"t": 0, "type": "n", )"
                      R"("in": 1, "out": 1, "hash_runs": []}]})"},
      {"llmservingsim", R"({"input_toks": 1, "output_toks": 1, "arrival_time_ns": 0})"},
      {"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,1,1"},
      {"burstgpt",
       "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
       "5,ChatGPT,1,1,2,API log"},
      {"csv", "prompt_tokens,output_tokens,arrival_us\n1,1,5"}};
  for (const auto& [format, text] : files) {
    INFO(format);
    const auto path = folder.write("trace", text);
    const auto reader = open_trace(path, {});
    CHECK(reader->info().format == format);
    const auto all = test::read_all(*reader);
    REQUIRE(all.size() == 1);
    CHECK(all[0].prompt_tokens == 1);
    CHECK(all[0].output_tokens == 1);
    TraceOptions named;
    named.format = format;
    CHECK(test::read_all(path, named).size() == 1);
  }
  CHECK(std::size(files) == trace_formats().size());
}

TEST_CASE("a limit ends the trace early, and 0 gives nothing", "[trace]") {
  const test::TemporaryFolder folder;
  std::string text = "arrival_ms,prompt_tokens,output_tokens\n";
  for (int i = 0; i < 10; ++i)
    text += std::to_string(i) + ",5,6\n";
  const auto path = folder.write("t.csv", text);
  for (const std::uint64_t limit : {0u, 1u, 9u, 10u, 11u}) {
    TraceOptions options;
    options.limit = limit;
    CHECK(test::read_all(path, options).size() == std::min<std::uint64_t>(limit, 10));
  }
}

TEST_CASE("both versions of BurstGPT read by their headers, failed requests stay", "[trace]") {
  const test::TemporaryFolder folder;
  const auto old = test::read_all(
      folder.write("1.csv",
                   "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                   "5,ChatGPT,472,18,490,Conversation log\n"
                   "45,ChatGPT,1087,230,1317,Conversation log\n"
                   "118,GPT-4,417,0,417,API log\n"));
  REQUIRE(old.size() == 3);
  CHECK(old[0].arrival == SimTime(5'000'000'000));
  CHECK(old[1].prompt_tokens == 1'087);
  CHECK(old[1].output_tokens == 230);
  CHECK(old[2].output_tokens == 0);
  const auto sessions = test::read_all(
      folder.write("3.csv",
                   "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total "
                   "tokens,Log Type\n5.25,\"a, b\",1.5,ChatGPT,472,18,490,Conversation log\n"));
  REQUIRE(sessions.size() == 1);
  CHECK(sessions[0].arrival == SimTime(5'250'000'000));
  CHECK(sessions[0].prompt_tokens == 472);
}

TEST_CASE("Bailian has an id for a partial last block or not", "[trace]") {
  const test::TemporaryFolder folder;
  const std::string head = R"({"chat_id": 1, "parent_chat_id": -1, "timestamp": 61.114, )"
                           R"("input_length": 40, "output_length": 3, "hash_ids": )";
  const auto all = test::read_all(
      folder.write("b", head + "[18446744073709551615, 2]}\n" + head + "[4, 5, 6]}\n"));
  REQUIRE(all.size() == 2);
  CHECK(all[0].arrival == SimTime(61'114'000'000));
  CHECK(all[0].block_keys == Keys{18'446'744'073'709'551'615u, 2});
  CHECK(all[1].block_keys.size() == 3);
}

TEST_CASE("Claude Code: ids are of their conversation, order is time, line, walk", "[trace]") {
  const test::TemporaryFolder folder;
  const auto path = folder.write(
      "c", R"({"requests": [{"t": 3, "type": "n", "in": 130, "out": 1, "hash_runs": [[1, 2]]},)"
           R"({"requests": [{"t": 0.0, "type": "s", "in": 64, "out": 2, "hash_ids": [7]},)"
           R"({"t": 1.5, "type": "n", "in": 64, "out": 3, "hash_runs": [[8, 1]]}], "t": 4.25,)"
           R"("type": "subagent"}, {"t": 3, "type": "n", "in": 63, "out": 4, "hash_runs": []}],)"
           R"("block_size": 64, "hash_id_scope": "local", "id": "a"})"
           "\n"
           R"({"id": "b", "block_size": 64, "requests": [)"
           R"({"t": 1.5, "type": "n", "in": 200, "out": 5, "hash_ids": [1, 2, 9]}]})"
           "\n");
  const auto outputs = [](const std::vector<TraceRequest>& all) {
    std::vector<std::uint32_t> order;
    for (const TraceRequest& request : all)
      order.push_back(request.output_tokens);
    return order;
  };
  const auto as_written = test::read_all(path);
  CHECK(outputs(as_written) == std::vector<std::uint32_t>{2, 3, 5, 1, 4});
  const std::uint64_t second = std::uint64_t{1} << 40;
  CHECK(as_written[2].block_keys == Keys{second + 1, second + 2, second + 9});
  CHECK(as_written[3].block_keys == Keys{1, 2});
  TraceOptions options;
  options.nested_time = NestedTime::absolute;
  const auto absolute = test::read_all(path, options);
  CHECK(outputs(absolute) == std::vector<std::uint32_t>{5, 1, 4, 2, 3});
  CHECK(absolute[3].arrival == SimTime(4'250'000'000));
  CHECK(absolute[4].arrival == SimTime(5'750'000'000));
  options.limit = 2;
  CHECK(outputs(test::read_all(path, options)) == std::vector<std::uint32_t>{5, 1});
}

TEST_CASE("a block size overrides the format's own", "[trace]") {
  const test::TemporaryFolder folder;
  const auto path = folder.write(
      "m", R"({"timestamp": 1, "input_length": 130, "output_length": 1, "hash_ids": [0, 1, 2]})");
  TraceOptions options;
  options.block_size = 64;
  const auto reader = open_trace(path, options);
  CHECK(reader->info().block_size == 64);
  CHECK(test::read_all(*reader)[0].block_keys == Keys{0, 1, 2});
}

TEST_CASE("keys from token ids: equal exactly if all tokens up to the block's end are", "[trace]") {
  TokenBlockNumbers numbers(2);
  const auto keys = [&](const std::vector<std::uint32_t>& tokens) {
    Keys result;
    numbers.append_keys(tokens, result);
    return result;
  };
  CHECK(keys({1, 2, 3, 4, 5}) == Keys{0, 1});
  CHECK(keys({1, 2, 3, 4}) == Keys{0, 1});
  CHECK(keys({3, 4, 3, 4}) == Keys{2, 3});  // same tokens, other prefix
  CHECK(keys({1, 2, 9, 4}) == Keys{0, 4});
  CHECK(keys({1}).empty());
}

TEST_CASE("every trace format describes itself and is found by name", "[trace]") {
  for (const TraceFormatEntry& entry : trace_formats()) {
    CHECK(find_trace_format(entry.info.name) == &entry);
    CHECK(entry.info.summary.ends_with('.'));
    CHECK_FALSE(entry.info.citation.empty());
    CHECK_FALSE(entry.marks.empty());
  }
  CHECK(find_trace_format("none") == nullptr);
}
