// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/attention/byte_reader.hpp"
#include "sim/attention/calibration.hpp"
#include "sim/attention/pickle.hpp"
#include "sim/units/error.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/unit/attention/file_builders.hpp"
#include "tests/unit/attention/mutations.hpp"

using namespace vacancy;
using test::PickleBuilder;

namespace {

PickleDocument read_made_pickle(const test::FileBytes& bytes) {
  return read_pickle(bytes, "made.pkl");
}

Calibration read_made_calibration(const test::FileBytes& pickle) {
  return read_calibration(test::calibration_zip(pickle), "made.pt");
}

}  // namespace

TEST_CASE("the pickle machine builds plain values") {
  PickleBuilder p;
  p.op('(').op('N').op(0x88).op(0x89).integer(-7).op('K').raw(std::uint8_t{200});
  p.op('M').raw(std::uint16_t{60'000});
  p.op(0x8a).raw(std::uint8_t{2}).raw(std::int16_t{-300});  // LONG1
  p.op('G').raw(std::uint64_t{0x000000000000F83F});         // 1.5, big-endian
  p.text("text").op(')').op(']').op('q').raw(std::uint8_t{9}).op('h').raw(std::uint8_t{9}).op('t');
  const auto document = read_made_pickle(p.finish());
  const auto* tuple = document.root().get<PickleValue::Tuple>();
  REQUIRE(tuple);
  REQUIRE(tuple->items.size() == 12);
  CHECK(tuple->items[0]->get<std::monostate>());
  CHECK(*tuple->items[1]->get<bool>());
  CHECK_FALSE(*tuple->items[2]->get<bool>());
  CHECK(*tuple->items[3]->get<std::int64_t>() == -7);
  CHECK(*tuple->items[4]->get<std::int64_t>() == 200);
  CHECK(*tuple->items[5]->get<std::int64_t>() == 60'000);
  CHECK(*tuple->items[6]->get<std::int64_t>() == -300);
  CHECK(*tuple->items[7]->get<double>() == 1.5);
  CHECK(*tuple->items[8]->get<std::string>() == "text");
  CHECK(tuple->items[9]->get<PickleValue::Tuple>()->items.empty());
  CHECK(tuple->items[10] == tuple->items[11]);  // recalled, not copied
}

TEST_CASE("a pickle that wants to import anything else is refused by name") {
  PickleBuilder p;
  p.global("os", "system").text("true").op(0x85).op('R');
  CHECK_THROWS_WITH(read_made_pickle(p.finish()), Catch::Contains("made.pkl: byte 2") &&
                                                      Catch::Contains("os.system") &&
                                                      Catch::Contains("refused"));
  PickleBuilder stack_global;
  stack_global.text("builtins").text("eval").op(0x93);
  CHECK_THROWS_WITH(read_made_pickle(stack_global.finish()), Catch::Contains("builtins.eval"));
  PickleBuilder half;
  half.global("torch", "HalfStorage");
  CHECK_THROWS_WITH(read_made_pickle(half.finish()), Catch::Contains("torch.HalfStorage"));
}

TEST_CASE("a pickle that misuses the machine is refused") {
  const auto refused = [](PickleBuilder& p, const std::string& why) {
    CHECK_THROWS_WITH(read_made_pickle(p.finish()), Catch::Contains(why));
  };
  PickleBuilder empty, unmarked, barrier, unknown, build, no_list, odd, endless;
  refused(empty, "empty stack");
  refused(unmarked.op('t'), "did not open");
  refused(barrier.op('N').op('(').op(0x85), "empty stack");  // may not reach below the mark
  refused(unknown.op('h').raw(std::uint8_t{1}), "did not store");
  refused(build.op('}').op('}').op('b'), "opcode 98");
  refused(no_list.op('}').op('N').op('a'), "no list");
  refused(odd.op('}').op('(').op('N').op('u'), "without a value");
  for (int i = 0; i < 2000; ++i)
    endless.op('(');
  refused(endless, "too many groups");
  PickleBuilder deep;
  for (int i = 0; i < 100'000; ++i)
    deep.op('N');
  refused(deep, "deeper");
  PickleBuilder long_text;
  long_text.op('X').raw(std::uint32_t{0xFFFFFFFF});
  refused(long_text, "truncated");
}

TEST_CASE("a list that holds itself does no harm") {
  PickleBuilder p;
  p.op(']').op('q').raw(std::uint8_t{0}).op('h').raw(std::uint8_t{0}).op('a');
  const auto document = read_made_pickle(p.finish());
  CHECK(document.root().get<PickleValue::List>()->items[0] == &document.root());
}

TEST_CASE("a .pt calibration is read through its pickle and storages") {
  const auto calibration = read_made_calibration(test::calibration_pickle());
  CHECK(calibration.layers() == 1);
  CHECK(calibration.query_heads() == 2);
  CHECK(calibration.head_dim() == 4);
  CHECK(calibration.rope_style == "half");
  const auto second = calibration.head(0, 1);
  CHECK(second.mean_real[0] == -0.5f);
  CHECK(second.mean_imag[0] == 0.5f);
  CHECK(second.mean_abs[0] == 1.0f);
}

TEST_CASE("tensors that leave their storage, or are no vectors, are refused") {
  const auto with_tensor = [](std::int32_t count, std::int32_t offset, std::int32_t size,
                              std::int32_t stride) {
    PickleBuilder p;
    p.op('}').op('(').text("metadata").op('}').text("head_dim").integer(4).op('s');
    p.text("stats").op('}').op('(').text("layer00_head00").op('}').op('(');
    for (const auto* name : {"q_mean_real", "q_mean_imag", "q_abs_mean"})
      p.text(name).tensor("0", count, offset, size, stride);
    return p.op('u').op('u').op('u').finish();
  };
  CHECK_THROWS_WITH(read_made_calibration(with_tensor(12, 11, 2, 1)),
                    Catch::Contains("beyond its storage"));
  CHECK_THROWS_WITH(read_made_calibration(with_tensor(12, 0, 2, 0x7FFFFFFF)),
                    Catch::Contains("beyond its storage"));
  CHECK_THROWS_WITH(read_made_calibration(with_tensor(13, 0, 2, 1)),
                    Catch::Contains("not 4 for each"));
  CHECK_THROWS_WITH(read_made_calibration(with_tensor(12, 0, 3, 1)),
                    Catch::Contains("not a tensor of 2"));
  CHECK_THROWS_WITH(read_made_calibration(with_tensor(12, -1, 2, 1)),
                    Catch::Contains("impossible size"));
}

TEST_CASE("a few bytes cannot claim a huge model") {
  PickleBuilder p;
  p.op('}').op('(').text("metadata").op('}').text("head_dim").integer(16'384).op('s');
  p.text("stats").op('}').text("layer4000_head4000").op('}').op('s').op('u');
  CHECK_THROWS_WITH(read_made_calibration(p.finish()), Catch::Contains("too few"));
}

TEST_CASE("no damage to a .pt file does more than a UserError") {
  const auto pickle = test::calibration_pickle();
  const auto zip = test::calibration_zip(pickle);
  CHECK(test::read_damaged(zip, 1000, [](const test::FileBytes& bytes) {
          read_calibration(bytes, "made.pt");
        }) > 500);
  // With the checksum made right, so that the damage reaches the pickle machine.
  CHECK(test::read_damaged(pickle, 3000, [](const test::FileBytes& bytes) {
          read_made_calibration(bytes);
        }) > 1500);
}

TEST_CASE("damage to a TRIA file is refused with file and byte, or harmless") {
  const auto whole = test::tria_bytes(2);
  const auto calibration = read_calibration(whole, "made.bin");
  CHECK(calibration.layer_budget_scale == std::vector<float>{0.5f, 1.5f});
  CHECK(calibration.head(1, 3).mean_abs[2] == 4.0f);
  const auto refused = [&](std::size_t at, std::uint32_t value, const std::string& place) {
    auto bytes = whole;
    std::memcpy(&bytes[at], &value, 4);
    CHECK_THROWS_WITH(read_tria(bytes, "made.bin"), Catch::Contains("made.bin: byte " + place));
  };
  refused(0, 0x41495254, "0");    // the other byte order
  refused(4, 3, "4");             // version
  refused(8, 0xFFFFFFFF, "8");    // layers
  refused(16, 3, "16");           // 4 query heads, 3 KV heads
  refused(24, 5, "24");           // bands are not half of the head dimension
  refused(64, 0x7FC00000, "64");  // a budget scale that is no number
  refused(72, 0x7F800000, "72");  // an infinite mean
  refused(72, 0x41200000, "72");  // a mean larger than the mean modulus
  auto reserved = whole;
  std::fill(reserved.begin() + 36, reserved.begin() + 64, std::byte{0xAB});
  CHECK(read_tria(reserved, "made.bin").layers() == 2);
  CHECK(test::read_damaged(whole, 1000, [](const test::FileBytes& bytes) {
          read_calibration(bytes, "made.bin");
        }) > 500);
}

TEST_CASE("zero-filled heads of a TRIA file are absent") {
  auto bytes = test::tria_bytes(1);
  std::fill(bytes.begin() + 64, bytes.begin() + 64 + 64, std::byte{0});  // 4 arrays of 4 floats
  const auto calibration = read_calibration(bytes, "made.bin");
  CHECK_FALSE(calibration.present(0, 0));
  CHECK(calibration.present(0, 1));
  CHECK(calibration.present_heads() == 7);
}

TEST_CASE("truncations of the real .pt file are refused") {
  const auto path = test::shared_file("data/triattention-stats/aime24_qwen3_8b.pt");
  if (!path) return;
  const auto bytes = read_bytes(*path, 1 << 22);
  for (const std::size_t length : {100u, 40'000u, 1'000'000u, 1'919'004u})
    CHECK_THROWS_AS(read_calibration(std::span(bytes).first(length), "cut.pt"), UserError);
}
