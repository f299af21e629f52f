// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "gui/model/form/json_edit.hpp"

using vacancy::gui::keys_of_pointer;
using vacancy::gui::with_value;
using vacancy::gui::without_value;

TEST_CASE("A value that is there is replaced, and nothing else") {
  const std::string text =
      "\xEF\xBB\xBF{ // top\n  \"a\" : /* one */ 1,\n  \"b\":{\"c\":[1,{}]}\n}\n";
  CHECK(with_value(text, {"a"}, "22") ==
        "\xEF\xBB\xBF{ // top\n  \"a\" : /* one */ 22,\n  \"b\":{\"c\":[1,{}]}\n}\n");
  CHECK(with_value(text, {"b", "c"}, "\"}\"") ==
        "\xEF\xBB\xBF{ // top\n  \"a\" : /* one */ 1,\n  \"b\":{\"c\":\"}\"}\n}\n");
}

TEST_CASE("A new key joins the end of its object in the object's style") {
  CHECK(with_value("{}", {"a"}, "1") == "{\"a\": 1}");
  CHECK(with_value("{\"a\": 1}", {"b"}, "2") == "{\"a\": 1, \"b\": 2}");
  CHECK(with_value("{\n  \"a\": 1\n}\n", {"b"}, "2") == "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
  SECTION("behind the comment of the last one") {
    CHECK(with_value("{\n\t\"a\": 1 // why\n}", {"b"}, "2") ==
          "{\n\t\"a\": 1, // why\n\t\"b\": 2\n}");
    CHECK(with_value("{\r\n  \"a\": 1 // why\r\n}", {"b"}, "2") ==
          "{\r\n  \"a\": 1, // why\r\n  \"b\": 2\r\n}");
  }
  SECTION("with the objects on the way") {
    CHECK(with_value("{\n  \"a\": 1\n}", {"b", "c", "d"}, "2") ==
          "{\n  \"a\": 1,\n  \"b\": {\"c\": {\"d\": 2}}\n}");
    CHECK(with_value("{\"a\": 7}", {"a", "b"}, "2") == "{\"a\": {\"b\": 2}}");
  }
  SECTION("where the last brace shares its line") {
    CHECK(with_value("{\n  \"a\": 1}", {"b"}, "2") == "{\n  \"a\": 1,\n  \"b\": 2}");
  }
}

TEST_CASE("A key that goes takes its line or its comma along") {
  CHECK(without_value("{\n  \"a\": 1,\n  \"b\": 2\n}\n", {"a"}) == "{\n  \"b\": 2\n}\n");
  CHECK(without_value("{\n  \"a\": 1,\n  \"b\": 2\n}\n", {"b"}) == "{\n  \"a\": 1\n}\n");
  CHECK(without_value("{\"a\": 1, \"b\": 2, \"c\": 3}", {"b"}) == "{\"a\": 1, \"c\": 3}");
  CHECK(without_value("{\"a\": 1, \"b\": 2}", {"b"}) == "{\"a\": 1}");
  CHECK(without_value("{\"a\": 1}", {"a"}) == "{}");
  CHECK(without_value("{\"a\": 1}", {"b"}) == "{\"a\": 1}");
  CHECK(without_value("{\"a\": 1}", {"a", "b"}) == "{\"a\": 1}");
  SECTION("comments stay") {
    CHECK(without_value("{\n  \"a\": 1, // one\n  // two\n  \"b\": 2\n}", {"b"}) ==
          "{\n  \"a\": 1 // one\n  // two\n}");
  }
  SECTION("an object that held nothing else goes too") {
    CHECK(without_value("{\"a\": {\"b\": {\"c\": 1}}, \"d\": 2}", {"a", "b", "c"}) == "{\"d\": 2}");
    CHECK(without_value("{\"a\": {/* keep */ \"b\": 1}}", {"a", "b"}) == "{\"a\": {/* keep */ }}");
  }
}

TEST_CASE("Adding a key and taking it away gives the same text back") {
  for (const std::string text :
       {"{}", "{\"a\": 1}", "{\n  \"a\": 1 // why\n}", "{\n  \"a\": {\"x\": 1}\n}\n"}) {
    const auto longer = with_value(text, {"q", "r"}, "[1, 2]");
    CHECK(longer != text);
    CHECK(without_value(longer, {"q", "r"}) == text);
  }
}

TEST_CASE("Keys of a pointer are unescaped") {
  CHECK(keys_of_pointer("").empty());
  CHECK(keys_of_pointer("/a~1b/~01") == std::vector<std::string>{"a/b", "~1"});
}
