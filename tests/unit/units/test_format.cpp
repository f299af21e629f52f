// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

using namespace vacancy;

namespace {
constexpr std::uint64_t max_u64 = std::numeric_limits<std::uint64_t>::max();
}

TEST_CASE("counts have commas between thousands") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1'000) == "1,000");
  CHECK(format_count(262'144) == "262,144");
  CHECK(format_count(max_u64) == "18,446,744,073,709,551,615");
}

TEST_CASE("decimals are fixed, rounded to nearest, with commas") {
  CHECK(format_decimal(7074.345, 2) == "7,074.35");
  CHECK(format_decimal(-1234.5, 1) == "-1,234.5");
  CHECK(format_decimal(-123.0, 0) == "-123");
  CHECK(format_decimal(1e21, 0) == "1,000,000,000,000,000,000,000");
  CHECK(format_decimal(std::numeric_limits<double>::quiet_NaN(), 1) == "nan");
  CHECK(format_decimal(-std::numeric_limits<double>::infinity(), 1) == "-inf");
  CHECK(format_decimal(std::numeric_limits<double>::max(), 60).size() > 400);
}

TEST_CASE("ratios are shown as percent") {
  CHECK(format_percent(0.11794) == "11.8 %");
  CHECK(format_percent(1.0, 0) == "100 %");
}

TEST_CASE("bytes are shown in binary units") {
  CHECK(format_bytes(Bytes(0)) == "0 B");
  CHECK(format_bytes(Bytes(1'023)) == "1,023 B");
  CHECK(format_bytes(Bytes(1'024)) == "1 KiB");
  CHECK(format_bytes(Bytes(70'272)) == "68.62 KiB");  // exactly 68.625: half to even
  CHECK(format_bytes(Bytes(544ull << 20)) == "544 MiB");
  CHECK(format_bytes(Bytes(6ull << 30)) == "6 GiB");
  CHECK(format_bytes(Bytes(32'768'000'000)) == "30.52 GiB");
  CHECK(format_bytes(Bytes(max_u64)) == "16 EiB");
}

TEST_CASE("durations are shown in the unit that fits") {
  CHECK(format_duration(SimTime(0)) == "0 ns");
  CHECK(format_duration(SimTime(999)) == "999 ns");
  CHECK(format_duration(SimTime(126'000)) == "126 µs");
  CHECK(format_duration(SimTime(3'495'253)) == "3.495 ms");
  CHECK(format_duration(SimTime(2'500'000'000)) == "2.5 s");
  CHECK(format_duration(SimTime(90'000'000'000)) == "1 min 30 s");
  CHECK(format_duration(SimTime(7'500'000'000'000)) == "2 h 5 min");
  CHECK(format_duration(SimTime(-1'500)) == "-1.5 µs");
  CHECK(format_duration(SimTime(std::numeric_limits<std::int64_t>::min())) ==
        "-2,562,047 h 47 min");
}

TEST_CASE("sizes are read in decimal and binary units") {
  CHECK(parse_bytes("1024") == Bytes(1'024));
  CHECK(parse_bytes("0") == Bytes(0));
  CHECK(parse_bytes("7B") == Bytes(7));
  CHECK(parse_bytes("6GiB") == Bytes(6ull << 30));
  CHECK(parse_bytes("6 GB") == Bytes(6'000'000'000));
  CHECK(parse_bytes("512MiB") == Bytes(512ull << 20));
  CHECK(parse_bytes("24 gib") == Bytes(24ull << 30));
  CHECK(parse_bytes("2kB") == Bytes(2'000));
  CHECK(parse_bytes("3PiB") == Bytes(3ull << 50));
}

TEST_CASE("a fraction of a unit is exact, a fraction of a byte is dropped") {
  CHECK(parse_bytes("1.5GiB") == Bytes(3ull << 29));
  CHECK(parse_bytes("0.25 kB") == Bytes(250));
  CHECK(parse_bytes("0.1KiB") == Bytes(102));
  CHECK(parse_bytes("0.9999999999999999999999999999999999999999PiB") == Bytes((1ull << 50) - 1));
  CHECK(parse_bytes("1.9") == Bytes(1));
}

TEST_CASE("the largest size is 2^64 - 1 bytes") {
  CHECK(parse_bytes("18446744073709551615") == Bytes(max_u64));
  CHECK_THROWS_AS(parse_bytes("18446744073709551616"), UserError);
  CHECK(parse_bytes("16383PiB") == Bytes(16'383ull << 50));
  CHECK(parse_bytes("16383.9PiB").value() > 16'383ull << 50);
  CHECK_THROWS_AS(parse_bytes("16384PiB"), UserError);
  CHECK_THROWS_AS(parse_bytes("99999999999999999999999999GiB"), UserError);
}

TEST_CASE("what is no size is refused with a sentence that quotes it") {
  for (const char* text : {"", " 6GiB", "GiB", "-6GiB", "+6GiB", "6G", "6 gigs", "6.GiB", ".5GiB",
                           "6,000", "1e9", "0x10", "6GiB ", "nan", "6 6GiB"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_bytes(text), UserError);
    CHECK_THROWS_WITH(parse_bytes(text),
                      Catch::Contains("\"" + std::string(text) + "\"") && Catch::Contains("6GiB"));
  }
}
