// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "sim/scenario/json_document.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

namespace {

std::optional<JsonNode> parse(std::string_view text, Diagnostics& faults) {
  return parse_json(text, 0, faults);
}

JsonNode parse_clean(std::string_view text) {
  Diagnostics faults("test.json");
  auto node = parse(text, faults);
  faults.throw_if_any();
  REQUIRE(node.has_value());
  return *node;
}

std::string parse_fault(std::string_view text) {
  Diagnostics faults("test.json");
  parse(text, faults);
  try {
    faults.throw_if_any();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

void check_place(const JsonNode& root, const std::string& pointer, std::uint32_t line,
                 std::uint32_t column) {
  INFO(pointer);
  const JsonNode* node = find_node(root, pointer);
  REQUIRE(node != nullptr);
  CHECK(node->place.line == line);
  CHECK(node->place.column == column);
}

}  // namespace

TEST_CASE("every value knows its line and column", "[json]") {
  const JsonNode root = parse_clean(
      "{\n"
      "  \"a\": 12,\n"
      "  \"b\": [true, null,\n"
      "    -3.5e2, \"x\\\"y\\\\\"],\n"
      "  \"c\": {\"d\" : {} , \"e\":\n"
      "false}\n"
      "}\n");
  check_place(root, "", 1, 1);
  check_place(root, "/a", 2, 8);
  check_place(root, "/b", 3, 8);
  check_place(root, "/b/0", 3, 9);
  check_place(root, "/b/1", 3, 15);
  check_place(root, "/b/2", 4, 5);
  check_place(root, "/b/3", 4, 13);
  check_place(root, "/c", 5, 8);
  check_place(root, "/c/d", 5, 15);
  check_place(root, "/c/e", 6, 1);
  CHECK(root.members[2].place.line == 5);
  CHECK(root.members[2].place.column == 3);
  CHECK(find_node(root, "/b/3")->text() == "x\"y\\");
  CHECK(std::get<double>(find_node(root, "/b/2")->scalar) == -350);
}

TEST_CASE("comments move no value", "[json]") {
  const JsonNode root = parse_clean(
      "// one: {\n"
      "/* two,\n"
      "   three: \"*/ { /**/ \"a\" /* : */ : // end [\n"
      "  7 /*,*/, \"b\"\t:/* \n */1}// last");
  check_place(root, "", 3, 15);
  check_place(root, "/a", 4, 3);
  check_place(root, "/b", 5, 4);
  CHECK(root.members[0].place.column == 22);
  CHECK(root.members[1].place.line == 4);
}

TEST_CASE("line ends of other systems and a byte order mark are no obstacle", "[json]") {
  const JsonNode root = parse_clean("\xEF\xBB\xBF{\r\n\"a\": 1,\r\n\"b\": 2}\r\n");
  check_place(root, "", 1, 1);
  check_place(root, "/b", 3, 6);
}

TEST_CASE("integers keep all their 64 bits", "[json]") {
  const JsonNode root = parse_clean(
      "[18446744073709551615, 9223372036854775807, 9223372036854775808, -9223372036854775808, 0]");
  CHECK(std::get<std::uint64_t>(root.items[0].scalar) == 18446744073709551615u);
  CHECK(std::get<std::int64_t>(root.items[1].scalar) == std::numeric_limits<std::int64_t>::max());
  CHECK(std::get<std::uint64_t>(root.items[2].scalar) == std::uint64_t{1} << 63);
  CHECK(std::get<std::int64_t>(root.items[3].scalar) == std::numeric_limits<std::int64_t>::min());
  CHECK(root.items[4].kind == JsonNode::Kind::integer);
}

TEST_CASE("numbers with a point or exponent are no integers", "[json]") {
  const JsonNode root = parse_clean("[1.0, 1e3, -0.0]");
  for (const JsonNode& item : root.items)
    CHECK(item.kind == JsonNode::Kind::number);
}

TEST_CASE("pointers escape and find again", "[json]") {
  CHECK(child_pointer("/a", "b/c~d") == "/a/b~1c~0d");
  const JsonNode root = parse_clean("{\"a\": {\"b/c~d\": [1, 2]}}");
  CHECK(find_node(root, child_pointer("/a", "b/c~d") + "/1") != nullptr);
  CHECK(find_node(root, "/a/b~1c~0d/2") == nullptr);
  CHECK(find_node(root, "/a/none") == nullptr);
  CHECK(place_of(root, "/a/none/deeper").column == 7);
}

TEST_CASE("a duplicate key names both lines and reading goes on", "[json]") {
  Diagnostics faults("test.json");
  const auto root = parse("{\"a\": 1,\n\"b\": {\"c\": 1,\n \"c\": 2},\n\"a\": 3}", faults);
  REQUIRE(root.has_value());
  CHECK(std::get<std::int64_t>(root->find("a")->scalar) == 1);
  CHECK(root->members.size() == 2);
  std::string message;
  try {
    faults.throw_if_any();
  } catch (const UserError& error) {
    message = error.what();
  }
  CHECK(message ==
        "test.json:3: /b/c: the key \"c\" stands twice in this object, first in line 2; remove one "
        "of them.\n"
        "test.json:4: /a: the key \"a\" stands twice in this object, first in line 1; remove one "
        "of them.");
}

TEST_CASE("one key in two objects is no duplicate", "[json]") {
  CHECK(parse_fault("[{\"a\": {\"a\": 1}}, {\"a\": 2}]").empty());
}

TEST_CASE("nesting is limited, at the limit exactly", "[json]") {
  const std::string allowed = std::string(max_json_depth, '[') + std::string(max_json_depth, ']');
  CHECK(parse_fault(allowed).empty());
  CHECK(parse_fault('[' + allowed + ']').find("deeper than 64 levels") != std::string::npos);
  CHECK(parse_fault(std::string(1'000'000, '[')).find("deeper than 64 levels") !=
        std::string::npos);
}

TEST_CASE("size is limited", "[json]") {
  std::string text(max_json_bytes, ' ');
  text.front() = '{';
  text.back() = '}';
  CHECK(parse_fault(text).empty());
  CHECK(parse_fault(text + ' ').find("larger than 4 MiB") != std::string::npos);
}

TEST_CASE("many keys in one object take no quadratic time", "[json]") {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i)
    text += "\"" + std::to_string(i) + "\":0,";
  text += "\"0\":1}";
  CHECK(parse_fault(text).find("/0: the key \"0\" stands twice") != std::string::npos);
}

TEST_CASE("long and foreign texts are cut and made printable in messages", "[json]") {
  CHECK(in_quotes(std::string(1000, 'x')).size() < 80);
  CHECK(in_quotes("a\nb\x01") == "\"a\\nb\\u0001\"");
  CHECK(in_quotes("\xff") == "\"\xEF\xBF\xBD\"");
}

TEST_CASE("faults come in the order of the file, overrides last", "[json]") {
  Diagnostics faults("test.json");
  const std::uint32_t set = faults.add_override("a=1");
  faults.add({set, 1, 1}, "/a", "third.");
  faults.add({0, 9, 1}, "/b", "second.");
  faults.add({0, 2, 5}, "/c", "first.");
  CHECK(faults.clean("/d"));
  CHECK(faults.clean("/ab"));
  CHECK_FALSE(faults.clean("/a/x"));
  CHECK_FALSE(faults.clean(""));
  CHECK_THROWS_WITH(faults.throw_if_any(),
                    "test.json:2: /c: first.\ntest.json:9: /b: second.\n--set a=1: /a: third.");
}

TEST_CASE("a flood of faults is cut", "[json]") {
  Diagnostics faults("test.json");
  for (std::uint32_t i = 0; i < 60; ++i)
    faults.add({0, i + 1, 1}, "/a", "wrong.");
  CHECK_THROWS_WITH(faults.throw_if_any(), Catch::Contains("test.json:50: ") &&
                                               !Catch::Contains("test.json:51: ") &&
                                               Catch::EndsWith("and 10 more."));
}
