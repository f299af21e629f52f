// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>

#include "sim/units/error.hpp"
#include "sim/zip/zip_archive.hpp"
#include "sim/zip/zip_writer.hpp"
#include "tests/unit/attention/file_builders.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;
using test::FileBytes;

namespace {

FileBytes bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

std::string text_of(const FileBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string written() {
  std::ostringstream out;
  ZipWriter zip(out);
  zip.begin("first.txt", 4);
  zip.write(bytes_of("one "));
  zip.write(bytes_of("two"));
  zip.end("head");
  zip.begin("empty");
  zip.end();
  zip.begin("second.txt");
  zip.write(bytes_of("three"));
  zip.end();
  zip.finish();
  return out.str();
}

}  // namespace

TEST_CASE("what is written is read again, and the same bytes come of it") {
  const std::string text = written();
  CHECK(written() == text);
  const FileBytes bytes = bytes_of(text);
  const ZipArchive zip(bytes, "made.zip");
  REQUIRE(zip.members().size() == 3);
  CHECK(text_of(zip.read(*zip.find("first.txt"))) == "headone two");
  CHECK(zip.read(*zip.find("empty")).empty());
  CHECK(text_of(zip.read(*zip.find("second.txt"))) == "three");
  CHECK(zip.find("third.txt") == nullptr);

  // Two members side by side.
  ZipStream first(zip, zip.members()[0]), second(zip, zip.members()[2]);
  FileBytes piece(3);
  std::string a, b;
  for (std::size_t got_a = 1, got_b = 1; got_a + got_b > 0;) {
    got_a = first.read(piece);
    a += text_of(piece).substr(0, got_a);
    got_b = second.read(piece);
    b += text_of(piece).substr(0, got_b);
  }
  CHECK(a == "headone two");
  CHECK(b == "three");
}

TEST_CASE("a cut or changed archive is a sentence, never a crash") {
  const std::string text = written();
  const auto read = [](const FileBytes& bytes) {
    const ZipArchive zip(bytes, "made.zip");
    for (const ZipMember& member : zip.members())
      zip.read(member);
  };
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK_THROWS_AS(read(bytes_of(std::string_view(text).substr(0, size))), UserError);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    FileBytes changed = bytes_of(text);
    changed[i] ^= std::byte{0x40};
    try {
      read(changed);
    } catch (const UserError&) {
      ++refused;
    }
  }
  CHECK(refused > text.size() / 2);
}

TEST_CASE("an archive that claims too much, or a name twice, is refused") {
  const FileBytes content = bytes_of("abc");
  const std::uint32_t crc = test::crc32_of(content);
  const FileBytes huge = test::zip_of({{"a", content, 8, crc, std::size_t{1} << 31}});
  CHECK_THROWS_WITH(ZipArchive(huge, "made.zip"), Contains("claims more bytes"));
  const FileBytes twice = test::stored_zip({{"a", content}, {"a", content}});
  CHECK_THROWS_WITH(ZipArchive(twice, "made.zip"), Contains("made.zip: has two members a, and"));
}

TEST_CASE("a member that cannot be read says what stands in the way") {
  const FileBytes content = bytes_of("abc");
  const auto obstacle = [&](std::uint16_t method, std::uint16_t flags) {
    const FileBytes bytes = test::zip_of({{"a", content, method, 0, 3, flags}});
    return ZipArchive(bytes, "made.zip").find("a")->obstacle;
  };
  CHECK(obstacle(0, 0).empty());
  CHECK(obstacle(8, 0).empty());
  CHECK(obstacle(12, 0) == "is packed by bzip2");
  CHECK(obstacle(93, 0) == "is packed by zstd");
  CHECK(obstacle(7, 0) == "is packed by the method 7");
  CHECK(obstacle(8, 1) == "is encrypted");
}
