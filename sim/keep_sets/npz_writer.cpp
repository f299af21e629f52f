// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <string>

#include "sim/keep_sets/keep_set_writer.hpp"
#include "sim/keep_sets/npy_header.hpp"
#include "sim/zip/zip_writer.hpp"

namespace vacancy {

namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they are");

/// Indices go to the file at once; everything else is small and follows at the end.
class NpzWriter final : public KeepSetWriter {
 public:
  NpzWriter(std::ostream& out, const KeepSetAxes& axes) : axes_(axes), zip_(out) {
    zip_.begin("indices.npy", head_size);
  }

  void step(std::uint32_t length, std::span<const std::vector<std::uint32_t>> kept) override {
    length_.push_back(length);
    for (const auto& tokens : kept) {
      zip_.write(std::as_bytes(std::span(tokens)));
      offsets_.push_back(offsets_.back() + tokens.size());
    }
  }

  void finish(std::uint32_t end_length) override {
    const std::array shape{offsets_.back()};
    zip_.end(npy_header("<u4", shape, head_size));
    add_list("offsets", "<u8", std::span<const std::uint64_t>(offsets_));
    add_list("length", "<u4", std::span<const std::uint32_t>(length_));
    add_number("layers", axes_.layers);
    add_number("heads", axes_.heads);
    add_number("model_layers", axes_.model_layers);
    add_number("model_heads", axes_.model_heads);
    if (end_length > 0) add_number("end_length", end_length);
    zip_.finish();
  }

 private:
  static constexpr std::size_t head_size = 128;

  template <class T>
  void add_list(const std::string& name, const char* type, std::span<const T> values) {
    const std::array<std::uint64_t, 1> shape{values.size()};
    add(name, npy_header(type, shape), std::as_bytes(values));
  }
  void add_number(const std::string& name, std::uint32_t value) {
    add(name, npy_header("<u4", {}), std::as_bytes(std::span(&value, 1)));
  }
  void add(const std::string& name, const std::string& header, std::span<const std::byte> bytes) {
    zip_.begin(name + ".npy", header.size());
    zip_.write(bytes);
    zip_.end(header);
  }

  KeepSetAxes axes_;
  ZipWriter zip_;
  std::vector<std::uint32_t> length_;
  std::vector<std::uint64_t> offsets_ = {0};
};

}  // namespace

std::unique_ptr<KeepSetWriter> write_keep_npz(std::ostream& out, const KeepSetAxes& axes) {
  return std::make_unique<NpzWriter>(out, axes);
}

KeepSetWriterMaker keep_set_writer_for(std::string_view ending) {
  if (ending == ".npz") return write_keep_npz;
  if (ending == ".jsonl") return write_keep_lines;
  return nullptr;
}

}  // namespace vacancy
