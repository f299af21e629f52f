// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vacancy::test {

using FileBytes = std::vector<std::byte>;

/// Appends little-endian values to a file being made up.
class FileBuilder {
 public:
  template <class T>
  FileBuilder& add(T value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
    return *this;
  }
  FileBuilder& text(std::string_view text) {
    for (const char c : text)
      bytes_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  FileBuilder& append(const FileBytes& other) {
    bytes_.insert(bytes_.end(), other.begin(), other.end());
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  const FileBytes& bytes() const { return bytes_; }

 private:
  FileBytes bytes_;
};

inline std::uint32_t crc32_of(const FileBytes& bytes) {
  std::uint32_t crc = ~0u;
  for (const std::byte b : bytes) {
    crc ^= std::to_integer<std::uint32_t>(b);
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

/// A member of a ZIP archive as it is written: what its headers say and what its bytes are.
struct ZipEntry {
  std::string name;
  FileBytes packed;
  std::uint16_t method;  // 0: stored, 8: deflated
  std::uint32_t crc;     // of the unpacked bytes
  std::size_t size;
  std::uint16_t flags = 0;  // 1: encrypted
};

inline FileBytes zip_of(const std::vector<ZipEntry>& members) {
  const auto u16 = [](std::size_t n) { return static_cast<std::uint16_t>(n); };
  const auto u32 = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  FileBuilder zip, directory;
  for (const ZipEntry& member : members) {
    const auto offset = zip.size();
    FileBuilder common;  // what the local header and the directory entry share
    common.add(u16(20))
        .add(member.flags)
        .add(member.method)
        .add(u16(0))
        .add(u16(33))
        .add(member.crc);
    common.add(u32(member.packed.size())).add(u32(member.size));
    common.add(u16(member.name.size())).add(u16(0));
    zip.text("PK\3\4").append(common.bytes()).text(member.name).append(member.packed);
    directory.text("PK\1\2").add(u16(20)).append(common.bytes());
    directory.add(u16(0)).add(u16(0)).add(u16(0)).add(u32(0)).add(u32(offset)).text(member.name);
  }
  const auto offset = zip.size();
  zip.append(directory.bytes()).text("PK\5\6").add(u16(0)).add(u16(0));
  zip.add(u16(members.size())).add(u16(members.size()));
  zip.add(u32(directory.size())).add(u32(offset)).add(u16(0));
  return zip.bytes();
}

/// A ZIP archive of stored members.
inline FileBytes stored_zip(const std::vector<std::pair<std::string, FileBytes>>& members) {
  std::vector<ZipEntry> entries;
  for (const auto& [name, content] : members)
    entries.push_back({name, content, 0, crc32_of(content), content.size()});
  return zip_of(entries);
}

/// A llama2.c checkpoint whose weights are small and varied.
struct CheckpointSpec {
  std::int32_t dim = 8, hidden = 12, layers = 2, heads = 4, kv_heads = 2, vocab = 16, seq_len = 32;
  bool shared_classifier = true;
};

inline FileBytes checkpoint_bytes(const CheckpointSpec& c = {}) {
  FileBuilder file;
  file.add(c.dim).add(c.hidden).add(c.layers).add(c.heads).add(c.kv_heads);
  file.add(c.shared_classifier ? c.vocab : -c.vocab).add(c.seq_len);
  const std::int32_t head_dim = c.dim / c.heads, kv_dim = head_dim * c.kv_heads;
  const std::int32_t floats =
      c.vocab * c.dim * (c.shared_classifier ? 1 : 2) + c.dim + c.seq_len * head_dim +
      c.layers * (2 * c.dim + 2 * c.dim * c.dim + 2 * kv_dim * c.dim + 3 * c.hidden * c.dim);
  for (std::int32_t i = 0; i < floats; ++i)
    file.add(static_cast<float>((i * 37) % 101 - 50) * 0.01f);
  return file.bytes();
}

/// A tokenizer of 3 control tokens, the 256 byte tokens and `pieces`.
inline FileBytes tokenizer_bytes(const std::vector<std::pair<std::string, float>>& pieces) {
  FileBuilder file;
  file.add(std::int32_t{16});
  const auto piece = [&](std::string_view text, float score) {
    file.add(score).add(static_cast<std::int32_t>(text.size())).text(text);
  };
  piece("<unk>", 0.0f);
  piece("\n<s>\n", 0.0f);
  piece("\n</s>\n", 0.0f);
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (std::size_t b = 0; b < 256; ++b)
    piece(std::string("<0x") + digits[b / 16] + digits[b % 16] + ">", 0.0f);
  for (const auto& [text, score] : pieces)
    piece(text, score);
  return file.bytes();
}

/// A TRIA file whose head (l, h) has in every band the mean 0.5 + 0.25 i and the modulus 1 + h.
inline FileBytes tria_bytes(std::uint32_t version = 1, std::uint32_t layers = 2,
                            std::uint32_t query_heads = 4, std::uint32_t kv_heads = 2,
                            std::uint32_t bands = 4) {
  FileBuilder file;
  file.add(std::uint32_t{0x54524941}).add(version).add(layers).add(query_heads).add(kv_heads);
  file.add(2 * bands).add(bands).add(10'000.0f).add(1.0f).append(FileBytes(28));
  if (version >= 2)
    for (std::uint32_t layer = 0; layer < layers; ++layer)
      file.add(0.5f + static_cast<float>(layer));
  for (std::uint32_t head = 0; head < layers * query_heads; ++head)
    for (const float value : {0.5f, 0.25f, 1.0f + static_cast<float>(head % query_heads), 0.5f})
      for (std::uint32_t f = 0; f < bands; ++f)
        file.add(value);
  return file.bytes();
}

/// Writes pickle opcodes.
class PickleBuilder {
 public:
  PickleBuilder() { op(0x80).raw(std::uint8_t{2}); }

  PickleBuilder& op(std::uint8_t opcode) { return raw(opcode); }
  template <class T>
  PickleBuilder& raw(T value) {
    file_.add(value);
    return *this;
  }
  PickleBuilder& text(std::string_view text) {
    op('X').raw(static_cast<std::uint32_t>(text.size()));
    file_.text(text);
    return *this;
  }
  PickleBuilder& integer(std::int32_t value) { return op('J').raw(value); }
  PickleBuilder& global(std::string_view module, std::string_view name) {
    op('c');
    file_.text(module).text("\n").text(name).text("\n");
    return *this;
  }
  /// A one-dimensional float tensor in storage `key`.
  PickleBuilder& tensor(std::string_view key, std::int32_t count, std::int32_t offset,
                        std::int32_t size, std::int32_t stride = 1) {
    global("torch._utils", "_rebuild_tensor_v2").op('(').op('(').text("storage");
    global("torch", "FloatStorage").text(key).text("cpu").integer(count).op('t').op('Q');
    integer(offset).integer(size).op(0x85).integer(stride).op(0x85).op(0x89);
    return global("collections", "OrderedDict").op(')').op('R').op('t').op('R');
  }
  FileBytes finish() {
    op('.');
    return file_.bytes();
  }

 private:
  FileBuilder file_;
};

/// The pickle of a calibration with one layer of two heads and head dimension 4; all tensors are
/// parts of storage "0" of 12 numbers.
inline FileBytes calibration_pickle() {
  PickleBuilder p;
  p.op('}').op('(').text("metadata").op('}').op('(');
  p.text("head_dim").integer(4).text("rope_style").text("half").text("sampled_heads").op(']');
  p.op('(').op(']').op('(').integer(0).integer(0).op('e').integer(0).integer(1).op(0x86).op('e');
  p.op('u').text("stats").op('}').op('(');
  for (std::int32_t head = 0; head < 2; ++head) {
    p.text("layer00_head0" + std::to_string(head)).op('}').op('(');
    p.text("q_mean_real").tensor("0", 12, 6 * head, 2);
    p.text("q_mean_imag").tensor("0", 12, 6 * head + 2, 2);
    p.text("q_abs_mean").tensor("0", 12, 6 * head + 4, 2).op('u');
  }
  return p.op('u').op('u').finish();
}

inline FileBytes calibration_zip(const FileBytes& pickle) {
  FileBuilder storage;
  for (const float value :
       {0.1f, 0.2f, 0.3f, 0.4f, 1.0f, 2.0f, -0.5f, 0.0f, 0.5f, 0.0f, 1.0f, 0.0f})
    storage.add(value);
  FileBuilder order;
  order.text("little");
  return stored_zip({{"archive/data.pkl", pickle},
                     {"archive/byteorder", order.bytes()},
                     {"archive/data/0", storage.bytes()}});
}

}  // namespace vacancy::test
