// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/keep_set_file.hpp"

#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "sim/keep_sets/file_forms.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr std::array<std::string_view, 9> known_arrays = {
    "keep",   "indices",    "offsets",      "layers",     "heads",
    "length", "end_length", "model_layers", "model_heads"};

std::string head_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw UserError(file.string() + (std::filesystem::exists(file, error)
                                         ? ": is a folder or a device; name a file."
                                         : ": there is no such file; check the path."));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError(file.string() + ": cannot be opened; check its permissions.");
  std::string head(8, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head;
}

}  // namespace

std::unique_ptr<KeepSetReader> open_keep_sets(const std::filesystem::path& file) {
  const std::string head = head_of(file);
  const bool array = head.starts_with("\x93NUMPY"), archive = head.starts_with("PK");
  // A file cut within its first bytes is still what its name says.
  const std::filesystem::path ending = file.extension();
  if (array || (!archive && ending == ".npy")) return open_dense_npy(file);
  if (!archive && ending != ".npz") return open_keep_lines(file);
  NpzFile arrays(file, known_arrays);
  const bool dense = arrays.has("keep"), ragged = arrays.has("indices");
  if (dense == ragged)
    arrays.fail(dense ? "has both keep and indices, which say the same; leave one of them out."
                      : "has neither keep nor indices; docs/formats/keep_sets.md says what they "
                        "are.");
  return dense ? open_dense_npz(std::move(arrays), file) : open_ragged_npz(std::move(arrays), file);
}

}  // namespace vacancy
