// SPDX-License-Identifier: Apache-2.0
// The check itself: it must see a difference, and refuse what is not a case.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "sim/conformance/sglang.hpp"
#include "sim/units/error.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;
using nlohmann::json;

namespace {

json small_case() {
  return json::parse(R"({"case": 0, "profile": "sglang-2026-07", "page_size": 1, "slots": 6,
    "policy": "lru", "allocator": "token", "need_sort": false, "clock": "counter", "ops": [
    {"op": "insert", "tokens": [6, 7], "priority": 1, "chunked": false, "expect": {"ok": true,
      "matched": 0, "slots": [1, 2], "insert_matched": 0, "evictable": 2, "protected": 0,
      "free_list": [3, 4, 5, 6], "tree": [{"tokens": [6, 7], "slots": [1, 2], "lock_ref": 0,
      "hit_count": 1, "priority": 1, "access": 5, "created": 6, "children": []}]}},
    {"op": "begin", "req": 3, "tokens": [6, 8], "priority": 0, "expect": {"ok": true,
      "matched": 1, "slots": [1, 3], "protected_len": 1, "evictable": 1, "protected": 1,
      "free_list": [4, 5, 6], "tree": [{"tokens": [6], "slots": [1], "lock_ref": 1,
      "hit_count": 1, "priority": 1, "access": 8, "created": 9, "children": [{"tokens": [7],
      "slots": [2], "lock_ref": 0, "hit_count": 1, "priority": 1, "access": 7, "created": 6,
      "children": []}]}]}}]})");
}

/// The value at the n-th of all places of a document, in their order; n is lowered by the places
/// passed.
json* place(json& value, std::size_t& n) {
  if (n-- == 0) return &value;
  if (value.is_structured())
    for (json& child : value)
      if (json* found = place(child, n)) return found;
  return nullptr;
}

}  // namespace

TEST_CASE("a case that comes out as printed has no difference") {
  CHECK(check_sglang_case(small_case()) == std::nullopt);
}

TEST_CASE("the first difference is told with operation, field, value and expectation") {
  const auto difference = [](const char* pointer, const json& value) {
    json c = small_case();
    c[json::json_pointer(pointer)] = value;
    return check_sglang_case(c).value_or("none");
  };
  CHECK(difference("/ops/1/expect/free_list", {4, 6, 5}) ==
        "op 1 (begin, req 3): free_list is [4,5,6], the engine printed [4,6,5]");
  CHECK(difference("/ops/0/expect/insert_matched", 1) ==
        "op 0 (insert): insert_matched is 0, the engine printed 1");
  for (const char* pointer :
       {"/ops/0/expect/ok", "/ops/0/expect/slots/1", "/ops/1/expect/matched",
        "/ops/1/expect/protected_len", "/ops/1/expect/evictable", "/ops/1/expect/protected",
        "/ops/1/expect/tree/0/access", "/ops/1/expect/tree/0/children/0/created",
        "/ops/1/expect/tree/0/children/0/lock_ref"}) {
    INFO(pointer);
    CHECK(difference(pointer, 17) != "none");
  }
}

TEST_CASE("a malformed case is refused with a sentence") {
  const auto refused = [](const char* pointer, const json& value) {
    json c = small_case();
    c[json::json_pointer(pointer)] = value;
    CHECK_THROWS_AS(check_sglang_case(c), UserError);
  };
  refused("/page_size", 0);
  refused("/page_size", 4);
  refused("/slots", -1);
  refused("/slots", 1u << 30);
  refused("/policy", "best");
  refused("/allocator", "buddy");
  refused("/need_sort", 0);
  refused("/ops", "none");
  refused("/ops/0/op", "steal");
  refused("/ops/0/tokens", {1, -1});
  refused("/ops/0/tokens", {1, 1ull << 32});
  refused("/ops/0/priority", 1ull << 63);
  refused("/ops/0/extra_key", 5);
  refused("/ops/1/req", "3");
  refused("/ops/1", {{"op", "unlock"}, {"id", 4}, {"expect", json::object()}});
  refused("/ops/1", {{"op", "extend"}, {"req", 4}, {"tokens", {1}}, {"expect", json::object()}});
  refused("/ops/1", 7);
  refused("", json::array());
}

TEST_CASE("no change of a case ends the program") {
  const auto path = test::shared_file("conformance/sglang-radix.jsonl");
  if (!path) return;
  std::ifstream file(*path);
  std::mt19937 random(1);
  std::uint64_t different = 0, refused = 0;
  for (std::string line; std::getline(file, line);) {
    const json original = json::parse(line);
    for (int i = 0; i < 4; ++i) {
      json c = original;
      const std::vector<json> values = {
          json(), 0, 1, 7, 1u << 31, -1, 1.5, "lfu", json(true), json::array(), json::object()};
      std::size_t n = random() % 20000;
      json* at = place(c, n);
      if (at == nullptr) continue;
      *at = values[random() % values.size()];
      try {
        different += check_sglang_case(c).has_value();
      } catch (const UserError&) {
        ++refused;
      }
    }
  }
  CHECK(different > 0);
  CHECK(refused > 0);
}
