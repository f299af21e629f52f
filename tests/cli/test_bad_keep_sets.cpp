// SPDX-License-Identifier: Apache-2.0
// Files of keep sets that are wrong: each is refused by the program with exit code 2 and one
// sentence that names the file, the place and what to do.
#include <catch2/catch.hpp>

#include "tests/cli/process.hpp"
#include "tests/unit/keep_sets/keep_files.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using vacancy::test::list;
using vacancy::test::Members;
using vacancy::test::npy;
using vacancy::test::npz;
using vacancy::test::number;
using vacancy::test::numbers;
using vacancy::test::TemporaryFolder;

namespace {

using File = vacancy::test::FileBytes;

struct Bad {
  const char* what;
  std::string name;
  File bytes;
  std::vector<std::string> parts;  // of the message
};

File text(const std::string& text) {
  return vacancy::test::FileBuilder().text(text).bytes();
}

/// Two steps of one set of 4 tokens.
File keep_bits(const std::vector<std::int64_t>& bits = {1, 0, 1, 1, 1, 0, 0, 1}) {
  return npy("|b1", {2, 4}, numbers("|u1", bits));
}

/// A good ragged file with one member changed, added, or (without bytes) left out.
File ragged(const std::string& member, const File& bytes) {
  Members members{{"indices", list("<i4", {0, 1, 2, 0, 2})},
                  {"offsets", list("<i8", {0, 2, 3, 4, 5})},
                  {"layers", number("<i8", 1)},
                  {"heads", number("<i8", 2)},
                  {"length", list("<i8", {3, 3})}};
  bool found = false;
  for (auto it = members.begin(); it != members.end(); ++it)
    if (it->first == member) {
      found = true;
      it->second = bytes;
      if (bytes.empty()) members.erase(it);
      break;
    }
  if (!found) members.emplace_back(member, bytes);
  return npz(members);
}

/// An .npy file with a header of its own, in version 1.0.
File headed(const std::string& dictionary, std::size_t content) {
  const std::string header = dictionary + '\n';
  return vacancy::test::FileBuilder()
      .text("\x93NUMPY\x01")
      .add(std::uint8_t{0})
      .add(static_cast<std::uint16_t>(header.size()))
      .text(header)
      .append(File(content))
      .bytes();
}

std::vector<Bad> bad_files() {
  const File good = npz({{"keep", keep_bits()}, {"length", list("<i8", {4, 4})}});
  File cut = good, flipped = good;
  cut.resize(cut.size() - 30);
  flipped[30 + 8 + 128] ^= std::byte{1};  // local header, name, .npy header: the first flag
  const auto packed_by = [](std::uint16_t method, std::uint16_t flags = 0) {
    return vacancy::test::zip_of({{"keep.npy", keep_bits(), method, 0, 136, flags}});
  };
  const File flags = npz({{"keep", keep_bits()}}, true);
  File broken_off =
      vacancy::test::zip_of({{"keep.npy", File(flags.begin() + 38, flags.begin() + 60), 8,
                              vacancy::test::crc32_of(keep_bits()), 136}});
  const File length = list("<i8", {4, 4});
  const File twice = vacancy::test::stored_zip(
      {{"keep.npy", keep_bits()}, {"length.npy", length}, {"length.npy", length}});
  File lied = vacancy::test::zip_of({{"keep.npy", keep_bits(), 8, 0, 1u << 30}});
  File damaged = npz({{"keep", keep_bits()}, {"length", list("<i8", {4, 4})}}, true);
  damaged[30 + 8] = std::byte{0xff};  // no such kind of deflate block
  File short_npy = keep_bits();
  short_npy.pop_back();
  File long_npy = keep_bits();
  long_npy.push_back(std::byte{0});
  const auto npy_text = [](const std::string& dictionary) { return headed(dictionary, 4); };
  const std::string shape4 = "'shape': (4,), }";
  return {
      // The file.
      {"empty", "a.jsonl", {}, {"a.jsonl: is empty", "a line for each step"}},
      {"blank lines", "a.jsonl", text("\n\n"), {"is empty"}},
      {"neither form", "a.txt", text("once upon a time\n"), {"a.txt:1: is not JSON"}},
      {"a cut archive", "a.npz", cut, {"a.npz: ", "truncated or damaged", "write it again"}},
      {"only a magic",
       "a.npz",
       text("PK\3\4"),
       {"a.npz: is no ZIP archive", "none are the directory that ends an archive"}},
      {"an archive cut after a byte", "a.npz", text("P"), {"a.npz: is no ZIP archive", "again."}},
      {"an array cut after a byte", "a.npy", text("\x93"), {"a.npy: "}},
      {"bzip2", "a.npz", packed_by(12), {"member keep.npy is packed by bzip2", "numpy.savez"}},
      {"zstd", "a.npz", packed_by(93), {"member keep.npy is packed by zstd", "numpy.savez"}},
      {"LZMA", "a.npz", packed_by(14), {"member keep.npy is packed by LZMA", "numpy.savez"}},
      {"a method of nobody", "a.npz", packed_by(77), {"is packed by the method 77", "numpy.savez"}},
      {"a password", "a.npz", packed_by(0, 1), {"member keep.npy is encrypted", "numpy.savez"}},
      {"a member twice", "a.npz", twice, {"has two members length.npy", "with one of them"}},
      {"a member cut off",
       "a.npz",
       broken_off,
       {"member keep.npy breaks off: ", " of its 136 bytes", "write the archive"}},
      {"a size that cannot be", "a.npz", lied, {"keep.npy", "claims more bytes"}},
      {"damaged deflate data",
       "a.npz",
       damaged,
       {"member keep.npy has deflated bytes that mean nothing"}},
      {"a wrong checksum", "a.npz", flipped, {"keep.npy has another checksum", "again"}},
      {"an unknown array",
       "a.npz",
       npz({{"keeps", keep_bits()}}),
       {"keeps.npy", "Did you mean \"keep\"?", "Leave it out"}},
      {"another file in it",
       "a.npz",
       vacancy::test::stored_zip({{"readme.txt", text("hello")}}),
       {"readme.txt", "no array of keep sets"}},
      {"no keep sets",
       "a.npz",
       npz({{"length", list("<i8", {4})}}),
       {"neither keep nor indices", "keep_sets.md"}},
      {"both forms", "a.npz", ragged("keep", keep_bits()), {"both keep and indices", "leave one"}},
      // .npy headers.
      {"a header cut off",
       "a.npy",
       File(good.begin() + 38, good.begin() + 60),
       {"a.npy: ends inside its .npy header"}},
      {"a version from the future", "a.npy", text("\x93NUMPY\x09\x01"), {"version of .npy"}},
      {"a header of a gigabyte",
       "a.npy",
       vacancy::test::FileBuilder().text("\x93NUMPY\x02\x01").add(1u << 30).bytes(),
       {"claims 1073741824 bytes", "10000"}},
      {"floats",
       "a.npy",
       npy_text("{'descr': '<f4', 'fortran_order': False, " + shape4),
       {"type \"<f4\"", "astype(bool)"}},
      {"strings",
       "a.npy",
       npy_text("{'descr': '<U1', 'fortran_order': False, " + shape4),
       {"type \"<U1\"", "astype"}},
      {"records",
       "a.npy",
       npy_text("{'descr': [('a', '<i4')], 'fortran_order': False, " + shape4),
       {"records with fields", "plain array"}},
      {"objects",
       "a.npy",
       npy_text("{'descr': '|O', 'fortran_order': False, " + shape4),
       {"type \"|O\"", "astype"}},
      {"a missing key", "a.npy", npy_text("{'descr': '|b1', " + shape4), {"lacks one of descr"}},
      {"a key twice",
       "a.npy",
       npy_text("{'descr': '|b1', 'descr': '|b1', " + shape4),
       {"key \"descr\" twice"}},
      {"an unknown key",
       "a.npy",
       npy_text("{'dtype': '|b1', " + shape4),
       {"unknown key \"dtype\""}},
      {"a negative shape",
       "a.npy",
       npy_text("{'descr': '|b1', 'fortran_order': False, 'shape': (-4,), }"),
       {"no whole number in its shape"}},
      {"a shape beyond counting",
       "a.npy",
       npy_text("{'descr': '|b1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"),
       {"too many elements to count"}},
      {"no order",
       "a.npy",
       npy_text("{'descr': '|b1', 'fortran_order': 0, " + shape4),
       {"neither True nor False"}},
      {"a header that goes on",
       "a.npy",
       npy_text("{'descr': '|b1', 'fortran_order': False, 'shape': (4,), } x"),
       {"goes on behind its dictionary"}},
      {"a byte too few", "a.npy", short_npy, {"a.npy: has 135 bytes", "asks for 136"}},
      {"a byte too many", "a.npy", long_npy, {"a.npy: has 137 bytes", "asks for 136"}},
      // keep.
      {"no axis", "a.npy", npy("|b1", {}, numbers("|u1", {1})), {"shape ()", "[steps, tokens]"}},
      {"five axes",
       "a.npy",
       npy("|b1", {1, 1, 1, 1, 1}, numbers("|u1", {1})),
       {"shape (1, 1, 1, 1, 1)", "is expected"}},
      {"no tokens", "a.npy", npy("|b1", {3, 0}, {}), {"has 0 tokens", "1 to 16,777,216"}},
      {"no steps", "a.npy", npy("|b1", {0, 8}, {}), {"a.npy: has no steps"}},
      {"no heads", "a.npy", npy("|b1", {4, 0, 8}, {}), {"says 0 heads", "1 to 4,096"}},
      {"neither 0 nor 1",
       "a.npz",
       npz({{"keep", keep_bits({1, 0, 1, 1, 1, 0, 2, 1})}}),
       {"keep.npy: step 1, token 2: is neither 0 nor 1"}},
      {"neither 0 nor 1, in Fortran order",
       "a.npy",
       npy("|u1", {2, 2, 1, 2}, numbers("|u1", {1, 1, 1, 1, 1, 1, 7, 1}), true),
       {"a.npy: step 0, layer 1, token 1: is neither 0 nor 1"}},
      {"a token that returns",
       "a.npy",
       keep_bits({1, 0, 1, 1, 1, 1, 0, 1}),
       {"a.npy: step 1, token 1: is kept, but a step before evicted it", "never returns"}},
      {"a layer's head's token that returns",
       "a.npy",
       npy("|b1", {2, 2, 2, 1}, numbers("|u1", {1, 1, 1, 0, 1, 1, 1, 1})),
       {"step 1, layer 1, head 1, token 0"}},
      {"lengths of other steps",
       "a.npz",
       npz({{"keep", keep_bits()}, {"length", list("<i8", {4, 4, 4})}}),
       {"has 2 steps, and length 3 numbers", "one for all"}},
      {"a length beyond keep",
       "a.npz",
       npz({{"keep", keep_bits()}, {"length", list("<i8", {4, 5})}}),
       {"length.npy: step 1: says a length of 5", "4 tokens on its last axis"}},
      {"a length of nothing",
       "a.npz",
       npz({{"keep", keep_bits()}, {"length", list("<i8", {0, 4})}}),
       {"length.npy: step 0: says a length of 0", "1 to 16,777,216"}},
      {"a negative length",
       "a.npz",
       npz({{"keep", keep_bits()}, {"length", list("<i2", {-3, 4})}}),
       {"length.npy: step 0: says a length of -3"}},
      {"a token beyond the length",
       "a.npz",
       npz({{"keep", keep_bits()}, {"length", list("<i8", {3, 4})}}),
       {"keep.npy: step 0, token 3: is kept, but the step has 3 tokens"}},
      {"lengths that fall",
       "a.npz",
       npz({{"keep", keep_bits({1, 0, 1, 1, 1, 0, 0, 0})}, {"length", list("<i8", {4, 3})}}),
       {"length.npy: step 1: says 3 tokens, fewer than the 4 before", "never fall"}},
      {"an end before the end",
       "a.npz",
       npz({{"keep", keep_bits()}, {"end_length", number("<i8", 2)}}),
       {"end_length.npy: says 2 tokens, fewer than the 4 before"}},
      {"an end of nothing",
       "a.npz",
       npz({{"keep", keep_bits()}, {"end_length", number("<i8", -1)}}),
       {"end_length.npy: says a length of -1"}},
      {"a ragged end before the end",
       "a.npz",
       ragged("end_length", number("<i8", 2)),
       {"end_length.npy: says 2 tokens, fewer than the 3 before"}},
      {"a ragged length that falls",
       "a.npz",
       ragged("length", list("<i8", {5, 4})),
       {"length.npy: step 1: says 4 tokens, fewer than the 5 before"}},
      {"two ends",
       "a.npz",
       npz({{"keep", keep_bits()}, {"end_length", list("<i8", {5, 6})}}),
       {"end_length.npy: has the shape (2,)", "one number"}},
      {"lengths in two axes",
       "a.npz",
       npz({{"keep", keep_bits()}, {"length", npy("|u1", {2, 1}, numbers("|u1", {4, 4}))}}),
       {"length.npy: has the shape (2, 1)", "a list"}},
      {"layers beside keep",
       "a.npz",
       npz({{"keep", keep_bits()}, {"layers", number("<i8", 2)}}),
       {"keep and layers", "Leave it out"}},
      {"other layers than the model",
       "a.npz",
       npz({{"keep", npy("|b1", {2, 2, 2}, numbers("|u1", {1, 1, 1, 1, 1, 1, 1, 1}))},
            {"model_layers", number("<i8", 3)}}),
       {"keep.npy: has keep sets of 2 layers and says model_layers 3", "one for each"}},
      {"too much in all",
       "a.jsonl",
       text("{\"length\": 65537, \"keep\": [0], \"model_layers\": 64, \"model_heads\": 64}\n"),
       {"a.jsonl:1: says 65,537 tokens, which in 64 layers of 64 heads", "record fewer"}},
      {"sets of a few bytes that need gigabytes",
       "a.npz",
       npz({{"indices", list("|u1", {})},
            {"offsets", list("|u1", {0, 0})},
            {"layers", number("<i8", 1)},
            {"heads", number("<i8", 1)},
            {"model_layers", number("<i8", 4096)},
            {"model_heads", number("<i8", 4096)},
            {"length", list("<i8", {4096})}}),
       {"a.npz: has 4,096 tokens in keep sets of 1 layer × 1 KV head, of a model of 4,096 layers × "
        "4,096 KV heads, which may need ",
        "the limit is 4 GiB", "record fewer layers or heads", "--memory"}},
      {"a step that needs gigabytes later",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [0], \"model_layers\": 128, \"model_heads\": 128}\n"
            "{\"length\": 16384, \"keep\": [0]}\n"),
       {"a.jsonl:2: has 16,384 tokens in keep sets of 1 layer × 1 KV head", "the limit is 4 GiB"}},
      {"more steps than are read",
       "a.npz",
       npz({{"keep", keep_bits()}, {"length", npy("|u1", {(1u << 24) + 1}, File((1u << 24) + 1))}},
           true),
       {"length.npy: has 16,777,217 numbers, more than the 16,777,216 that are read"}},
      // indices and offsets.
      {"no offsets", "a.npz", ragged("offsets", {}), {"lacks the array offsets"}},
      {"no lengths", "a.npz", ragged("length", {}), {"lacks the array length"}},
      {"no layers", "a.npz", ragged("layers", {}), {"lacks layers or heads"}},
      {"negative heads",
       "a.npz",
       ragged("heads", number("<i8", -2)),
       {"heads.npy: is -2", "not negative"}},
      {"a model without layers",
       "a.npz",
       ragged("model_layers", number("<i8", 0)),
       {"a.npz: says model_layers 0; 1 to 4,096 are read"}},
      {"indices in two axes",
       "a.npz",
       ragged("indices", npy("|u1", {1, 5}, numbers("|u1", {0, 1, 2, 0, 1}))),
       {"indices.npy: has the shape (1, 5)", "flatten it"}},
      {"bools as indices",
       "a.npz",
       ragged("indices", npy("|b1", {5}, numbers("|u1", {0, 1, 1, 0, 1}))),
       {"indices.npy: has bools"}},
      {"offsets of other steps",
       "a.npz",
       ragged("offsets", list("<i8", {0, 2, 5})),
       {"offsets.npy: has 3 numbers", "2 steps of 1 × 2 sets ask for 5"}},
      {"a late beginning",
       "a.npz",
       ragged("offsets", list("<i8", {1, 2, 3, 4, 5})),
       {"offsets.npy: begins with 1"}},
      {"offsets that fall",
       "a.npz",
       ragged("offsets", list("<i8", {0, 2, 1, 4, 5})),
       {"indices.npy: step 0, head 1: its list ends at 1, before it begins at 2"}},
      {"offsets beyond indices",
       "a.npz",
       ragged("offsets", list("<i8", {0, 2, 3, 4, 9})),
       {"step 1, head 1: its list ends at 9, and indices has 5"}},
      {"indices left over",
       "a.npz",
       ragged("offsets", list("<i8", {0, 2, 3, 4, 4})),
       {"offsets.npy: ends with 4, and indices has 5"}},
      {"a negative token",
       "a.npz",
       ragged("indices", list("<i4", {0, -1, 2, 0, 1})),
       {"indices.npy: step 0, head 0: keeps the token -1", "counted from 0"}},
      {"a token beyond its step",
       "a.npz",
       ragged("indices", list("<i4", {0, 1, 3, 0, 1})),
       {"step 0, head 1, token 3: is kept, but the step has 3 tokens"}},
      {"a token beyond numbers",
       "a.npz",
       ragged("indices", list("<u8", {0, 1, 2, 0, std::int64_t{-1}})),
       {"step 1, head 1, token 9223372036854775807: is kept, but the step has 3"}},
      {"a token twice",
       "a.npz",
       ragged("indices", list("<i4", {1, 1, 2, 0, 1})),
       {"step 0, head 0, token 1: is kept twice"}},
      {"a ragged token that returns",
       "a.npz",
       ragged("indices", list("<i4", {0, 1, 2, 2, 1})),
       {"indices.npy: step 1, head 0, token 2: is kept, but a step before"}},
      // JSON lines.
      {"no JSON", "a.jsonl", text("{\"length\": 4, \"keep\": [1}\n"), {"a.jsonl:1: is not JSON"}},
      {"a list as a line", "a.jsonl", text("[1, 2]\n"), {"a.jsonl:1: is no object", "write {"}},
      {"an unknown key in a line",
       "a.jsonl",
       text("{\"length\": 4, \"keeps\": [1]}\n"),
       {"a.jsonl:1: has the unknown key \"keeps\"", "Did you mean \"keep\"?"}},
      {"a key twice in a line",
       "a.jsonl",
       text("{\"length\": 4, \"length\": 4}\n"),
       {"a.jsonl:1: ", "twice"}},
      {"no length in a line", "a.jsonl", text("{\"keep\": [1]}\n"), {"a.jsonl:1: lacks length"}},
      {"half a token",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [0, 1.5]}\n"),
       {"a.jsonl:1: entry 1 of its list is no whole number"}},
      {"half a length",
       "a.jsonl",
       text("{\"length\": 4.0, \"keep\": [0]}\n"),
       {"a.jsonl:1: length is no whole number"}},
      {"two levels",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [[0, 1], [2]]}\n"),
       {"a.jsonl:1: keep has another form", "a list of layers"}},
      {"no list", "a.jsonl", text("{\"length\": 4, \"keep\": null}\n"), {"keep has another form"}},
      {"a list among tokens",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [0, [1]]}\n"),
       {"a.jsonl:1: keep has another form"}},
      {"a token among layers",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [[[0]], 1]}\n"),
       {"a.jsonl:1: keep has another form"}},
      {"a token among heads",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [[[0], 1]]}\n"),
       {"a.jsonl:1: keep has another form"}},
      {"a layer without heads",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [[]]}\n"),
       {"a.jsonl:1: keep has another form"}},
      {"an object as a token",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [{\"length\": 0}]}\n"),
       {"a.jsonl:1: keep has another form"}},
      {"an object as a length",
       "a.jsonl",
       text("{\"length\": {\"keep\": [0]}}\n"),
       {"a.jsonl:1: length is no whole number"}},
      {"half a head's token",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [[[0], [1, \"2\"]]]}\n"),
       {"a.jsonl:1, head 1: entry 1 of its list is no whole number"}},
      {"layers of other heads",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [[[0], [1]], [[2]]]}\n"),
       {"a.jsonl:1: layer 1 has 1 head, and layer 0 has 2"}},
      {"another form later",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [[[0], [1]]]}\n{\"length\": 4, \"keep\": [0]}\n"),
       {"a.jsonl:2: keeps sets of 1 layer and 1 head, and the first line of 1 layer and 2 heads",
        "the same form"}},
      {"the model later",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [0]}\n{\"length\": 4, \"keep\": [0], \"model_heads\": 8}\n"),
       {"a.jsonl:2: says something of the model", "remove it"}},
      {"a line behind the last",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [0]}\n{\"length\": 5}\n{\"length\": 6, \"keep\": [0]}\n"),
       {"a.jsonl:3: follows a line without keep"}},
      {"a line's token that returns",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": [[[0], [1]]]}\n\n{\"length\": 4, \"keep\": [[[0], [0]]]}\n"),
       {"a.jsonl:3, head 1, token 0: is kept, but a step before"}},
      {"a length beyond memory",
       "a.jsonl",
       text("{\"length\": 18446744073709551615, \"keep\": [0]}\n"),
       {"a.jsonl:1: says a length of 9223372036854775807", "1 to 16,777,216"}},
      {"a deep line",
       "a.jsonl",
       text("{\"length\": 4, \"keep\": " + std::string(200, '[') + std::string(200, ']') + "}\n"),
       {"a.jsonl:1: keep has another form"}},
  };
}

}  // namespace

TEST_CASE("keep sets that are wrong are refused with file, place and remedy", "[keep_sets][slow]") {
  const auto files = bad_files();
  REQUIRE(files.size() >= 40);
  const TemporaryFolder folder;
  for (const Bad& bad : files) {
    INFO(bad.what);
    const std::string path =
        folder.write(bad.name, {reinterpret_cast<const char*>(bad.bytes.data()), bad.bytes.size()});
    const auto result = vacancy::test::vacancy({"replay", path});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, StartsWith("error: " + path));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    for (const std::string& part : bad.parts)
      CHECK_THAT(result.err, Contains(part));
  }
}
