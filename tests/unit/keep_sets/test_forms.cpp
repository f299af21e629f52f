// SPDX-License-Identifier: Apache-2.0
// The same keep sets in every form that is read, and what the reader and KeepHistory make of them.
#include <catch2/catch.hpp>
#include <sstream>

#include "sim/keep_sets/keep_history.hpp"
#include "sim/keep_sets/keep_set_file.hpp"
#include "sim/keep_sets/keep_set_writer.hpp"
#include "tests/support/random.hpp"
#include "tests/support/temporary_file.hpp"
#include "tests/unit/keep_sets/keep_files.hpp"

using namespace vacancy;
using test::Members;
using test::TemporaryFile;

namespace {

TemporaryFile file_of(const std::string& name, const test::FileBytes& bytes) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  return {name, {text, text + bytes.size()}};
}
TemporaryFile file_of(const std::string& name, const std::string& text) {
  return {name, {text.begin(), text.end()}};
}

/// Everything that a file says, as text.
std::string told(const TemporaryFile& file) {
  const auto reader = open_keep_sets(file.path());
  const KeepSetAxes& axes = reader->axes();
  std::ostringstream out;
  out << axes.layers << '/' << axes.model_layers << ' ' << axes.heads << '/' << axes.model_heads;
  RecordedStep step;
  while (reader->next(step)) {
    out << " | " << step.length;
    for (std::uint32_t set = 0; step.evicts && set < axes.sets(); ++set) {
      out << " [";
      bits::for_each(step.mask(set), 0, step.length,
                     [&](std::size_t token) { out << ' ' << token; });
      out << " ]";
    }
  }
  return out.str();
}

/// [steps][sets][tokens] flags.
using Flags = std::vector<std::vector<std::vector<int>>>;

struct Sample {
  std::uint32_t layers, heads, tokens;
  std::vector<std::int64_t> length;
  Flags keep;
};

Sample sample(std::uint32_t seed, std::uint32_t layers, std::uint32_t heads, std::uint32_t steps) {
  test::Random random(seed);
  Sample made{layers, heads, 150, {}, {}};
  std::int64_t length = 40;
  for (std::uint32_t step = 0; step < steps; ++step) {
    made.length.push_back(length);
    std::vector<std::vector<int>> sets;
    for (std::uint32_t set = 0; set < layers * heads; ++set) {
      std::vector<int> row(made.tokens, 0);
      for (std::int64_t token = 0; token < length; ++token)
        row[static_cast<std::size_t>(token)] = random.one_in(3);
      sets.push_back(row);
    }
    made.keep.push_back(sets);
    length += random.below(30);
  }
  return made;
}

test::FileBytes flags(const Sample& s, const std::string& type, bool fortran) {
  std::vector<std::int64_t> all;
  const auto steps = s.keep.size();
  if (!fortran) {
    for (const auto& sets : s.keep)
      for (const auto& row : sets)
        all.insert(all.end(), row.begin(), row.end());
  } else {
    for (std::size_t token = 0; token < s.tokens; ++token)
      for (std::size_t head = 0; head < s.heads; ++head)
        for (std::size_t layer = 0; layer < s.layers; ++layer)
          for (std::size_t step = 0; step < steps; ++step)
            all.push_back(s.keep[step][layer * s.heads + head][token]);
  }
  return test::npy(type, {steps, s.layers, s.heads, s.tokens}, test::numbers(type, all), fortran);
}

Members ragged(const Sample& s, const std::string& type) {
  std::vector<std::int64_t> indices, offsets{0};
  for (const auto& sets : s.keep)
    for (const auto& row : sets) {
      for (std::size_t token = row.size(); token-- > 0;)  // any order will do
        if (row[token]) indices.push_back(static_cast<std::int64_t>(token));
      offsets.push_back(static_cast<std::int64_t>(indices.size()));
    }
  return {{"offsets", test::list("<i8", offsets)},
          {"heads", test::number("<u2", s.heads)},
          {"layers", test::number("|u1", s.layers)},
          {"indices", test::list(type, indices)},
          {"length", test::list(">i4", s.length)}};
}

std::string lines(const Sample& s) {
  std::ostringstream out;
  const auto writer = write_keep_lines(out, {s.layers, s.heads, s.layers, s.heads});
  for (std::size_t step = 0; step < s.keep.size(); ++step) {
    std::vector<std::vector<std::uint32_t>> kept(s.layers * s.heads);
    for (std::size_t set = 0; set < kept.size(); ++set)
      for (std::uint32_t token = 0; token < s.tokens; ++token)
        if (s.keep[step][set][token]) kept[set].push_back(token);
    writer->step(static_cast<std::uint32_t>(s.length[step]), kept);
  }
  writer->finish(static_cast<std::uint32_t>(s.length.back()));
  return out.str();
}

}  // namespace

TEST_CASE("all forms of the same keep sets say the same") {
  for (const auto& [layers, heads] :
       {std::pair(3u, 2u), std::pair(1u, 4u), std::pair(5u, 1u), std::pair(1u, 1u)}) {
    const Sample s = sample(layers * 10 + heads, layers, heads, 4);
    const std::string expected = told(file_of(
        "dense.npz",
        test::npz({{"keep", flags(s, "|b1", false)}, {"length", test::list("<i8", s.length)}})));
    INFO(expected);
    CHECK(std::count(expected.begin(), expected.end(), '|') == 4);
    for (const std::string type : {"|b1", "|u1", "<i2", ">u4", "<i8", "|i1", ">i8"})
      for (const bool fortran : {false, true})
        for (const bool packed : {false, true})
          CHECK(told(file_of("other.npz", test::npz({{"length", test::list("<u2", s.length)},
                                                     {"keep", flags(s, type, fortran)}},
                                                    packed))) == expected);
    for (const std::string type : {"|u1", "|i1", "<i2", ">i2", "<u4", ">u8", "=i4"}) {
      if (type == "|i1") continue;  // tokens beyond 127
      CHECK(told(file_of("ragged.npz", test::npz(ragged(s, type), type == "<u4"))) == expected);
    }
    CHECK(told(file_of("lines.jsonl", lines(s))) == expected);
  }
}

TEST_CASE("forms with fewer axes mean what the page says") {
  const test::FileBytes row = test::numbers("|u1", {1, 0, 1, 0, 0, 1});
  const auto npy = [&](const std::vector<std::uint64_t>& shape) {
    return told(file_of("few.npy", test::npy("|b1", shape, row)));
  };
  CHECK(npy({6}) == "1/1 1/1 | 6 [ 0 2 5 ]");
  CHECK(npy({1, 6}) == "1/1 1/1 | 6 [ 0 2 5 ]");
  CHECK(npy({3, 2}) == "1/1 1/1 | 2 [ 0 ] | 2 [ 0 ] | 2 [ 1 ]");
  CHECK(npy({3, 1, 2}) == "3/3 1/1 | 2 [ 0 ] [ 0 ] [ 1 ]");
  CHECK(npy({1, 3, 2}) == "1/1 3/3 | 2 [ 0 ] [ 0 ] [ 1 ]");
  CHECK(npy({1, 1, 3, 2}) == "1/1 3/3 | 2 [ 0 ] [ 0 ] [ 1 ]");
  CHECK(npy({3, 1, 1, 2}) == "1/1 1/1 | 2 [ 0 ] | 2 [ 0 ] | 2 [ 1 ]");

  const std::string model =
      told(file_of("model.npz", test::npz({{"keep", test::npy("|b1", {2, 3, 1, 1}, row)},
                                           {"length", test::number("<i4", 1)},
                                           {"model_layers", test::number("<i4", 3)},
                                           {"model_heads", test::number("<i4", 8)},
                                           {"end_length", test::list("<i4", {7})}})));
  CHECK(model == "3/3 1/8 | 1 [ 0 ] [ ] [ 0 ] | 1 [ ] [ ] [ 0 ] | 7");
  CHECK(told(file_of("small.npz", test::small_ragged())) ==
        "2/2 3/3 | 5 [ 0 4 ] [ ] [ 1 2 3 ] [ 0 ] [ 4 ] [ ] | 8 [ ] [ ] [ 3 7 ] [ 5 ] [ ] [ 6 7 ] | "
        "9");
  CHECK(told(file_of("one.jsonl",
                     "{\"length\": 4, \"keep\": [3, 0], \"model_heads\": 8}\n\n"
                     "{\"keep\": [], \"length\": 4}\n{\"length\": 6}")) ==
        "1/1 1/8 | 4 [ 0 3 ] | 4 [ ] | 6");
}

TEST_CASE("what is written is read again, with the same bytes each time") {
  const Sample s = sample(7, 2, 2, 3);
  const KeepSetAxes axes{2, 2, 2, 2};
  const auto written = [&] {
    std::ostringstream out;
    const auto writer = write_keep_npz(out, axes);
    std::vector<std::vector<std::uint32_t>> kept(4);
    for (std::uint32_t step = 0; step < 3; ++step) {
      for (std::uint32_t set = 0; set < 4; ++set)
        kept[set] = {set, 5 + step, 39};
      writer->step(40 + step, kept);
    }
    writer->finish(50);
    return out.str();
  };
  const std::string bytes = written();
  CHECK(written() == bytes);
  CHECK(told(file_of("written.npz", bytes)) ==
        "2/2 2/2 | 40 [ 0 5 39 ] [ 1 5 39 ] [ 2 5 39 ] [ 3 5 39 ]"
        " | 41 [ 0 6 39 ] [ 1 6 39 ] [ 2 6 39 ] [ 3 6 39 ]"
        " | 42 [ 0 7 39 ] [ 1 7 39 ] [ 2 7 39 ] [ 3 7 39 ] | 50");
}

TEST_CASE("decisions speak for the tokens that are still live") {
  const TemporaryFile file =
      file_of("history.jsonl", std::string(R"({"length": 6, "keep": [1, 3, 5]}
{"length": 8, "keep": [1, 5, 6]}
{"length": 9}
)"));
  const auto reader = open_keep_sets(file.path());
  KeepHistory history(*reader);
  REQUIRE(history.next());
  CHECK((history.appended() == 6 && history.decision()->live(0) == 6));
  CHECK(history.decision()->mask(0)[0] == 0b101010);
  REQUIRE(history.next());
  CHECK((history.appended() == 2 && history.decision()->live(0) == 5));  // 1 3 5 6 7
  CHECK(history.decision()->mask(0)[0] == 0b01101);
  REQUIRE(history.next());
  CHECK((history.appended() == 1 && history.decision() == nullptr));
  CHECK(!history.next());
  CHECK((history.length() == 9 && history.steps() == 3));
}
