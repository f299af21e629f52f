// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/json/embedded_presets.hpp"
#include "sim/json/object_reader.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;
using Catch::Contains;
using nlohmann::json;

TEST_CASE("members that are absent give nothing and no fault") {
  const json object = json::object();
  ObjectReader in(object, "x: ");
  CHECK_FALSE(in.integer("a", 0, 1));
  CHECK_FALSE(in.number("a", 0, 1));
  CHECK_FALSE(in.boolean("a"));
  CHECK_FALSE(in.bytes("a"));
  CHECK_FALSE(in.bandwidth("a"));
  CHECK_FALSE(in.object("a"));
  CHECK(in.text("a").empty());
  CHECK(in.texts("a").empty());
  CHECK_NOTHROW(in.finish());
}

TEST_CASE("a name is one line without control characters") {
  const json object = {{"good", "vLLM 0.10 (mine), größer"},
                       {"escape", "a\x1b[31mb"},
                       {"lines", "a\nb"},
                       {"empty", ""},
                       {"long", std::string(101, 'x')},
                       {"number", 7}};
  ObjectReader in(object, "x: ");
  CHECK(in.label("absent", "the model") == "the model");
  CHECK(in.label("good", "") == "vLLM 0.10 (mine), größer");
  CHECK(in.faults().empty());
  for (const std::string key : {"escape", "lines", "empty", "long", "number"}) {
    ObjectReader bad(object, "x: ");
    bad.label(key, "");
    INFO(key);
    CHECK_THAT(bad.faults(), Contains("x: /" + key + ": "));
  }
}

TEST_CASE("bandwidths are bytes per second, plain or with a unit") {
  const json object = {
      {"a", 1'008'000'000'000u}, {"b", "1008 GB/s"}, {"c", "2 GiB/s"}, {"d", 7}, {"e", "1 B/s"}};
  ObjectReader in(object, "x: ");
  CHECK(in.bandwidth("a") == Bytes(1'008'000'000'000));
  CHECK(in.bandwidth("b") == Bytes(1'008'000'000'000));
  CHECK(in.bandwidth("c") == Bytes(std::uint64_t{2} << 30));
  CHECK(in.bandwidth("d") == Bytes(7));
  CHECK(in.bandwidth("e") == Bytes(1));
  CHECK_NOTHROW(in.finish());
}

TEST_CASE("what is no bandwidth is refused and quoted") {
  for (const json& value : {json(0), json(-1), json(1.5), json("1008 GB"), json("0 GB/s"),
                            json("/s"), json(""), json("fast/s"), json(nullptr), json(true)}) {
    const json object = {{"rate", value}};
    ObjectReader in(object, "my.json: ");
    CHECK_FALSE(in.bandwidth("rate"));
    INFO(in.faults());
    CHECK_THAT(in.faults(), Contains("my.json: /rate: "));
  }
}

TEST_CASE("true and false are no numbers, numbers no truth") {
  const json object = {{"a", true}, {"b", 1}, {"c", "true"}};
  ObjectReader in(object, "x: ");
  CHECK(in.boolean("a") == true);
  CHECK_FALSE(in.boolean("b"));
  CHECK_FALSE(in.boolean("c"));
  CHECK_FALSE(in.integer("a", 0, 5));
  CHECK_FALSE(in.number("a", 0, 5));
  CHECK_THROWS_WITH(in.finish(), Contains("x: /b: expected true or false, got 1."));
}

TEST_CASE("faults of an inner object carry its pointer") {
  const json object = {{"outer", {{"inner", 5}}}, {"other", 3}};
  ObjectReader in(object, "x: ");
  auto outer = *in.object("outer");
  CHECK_FALSE(outer.integer("inner", 0, 4));
  in.add(outer);
  in.add(*in.object("other", "an object of things"));
  CHECK_THAT(in.faults(), Contains("x: /outer/inner: expected an integer from 0 to 4, got 5.") &&
                              Contains("x: /other: expected an object of things, got 3."));
}

TEST_CASE("an unknown preset is refused with what there is") {
  constexpr EmbeddedPreset presets[] = {{"alpha", "{}"}, {"beta", "[]"}};
  CHECK(text_of(presets, "beta", "thing") == "[]");
  CHECK(names_of(presets) == std::vector<std::string>{"alpha", "beta"});
  CHECK_THROWS_WITH(text_of(presets, "alpa", "thing"),
                    Contains("There is no built-in thing \"alpa\". Did you mean \"alpha\"?") &&
                        Contains("Built in: alpha, beta. Other things are given"));
}
