// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/npz_file.hpp"

#include <algorithm>

#include "sim/units/error.hpp"
#include "sim/units/format.hpp"
#include "sim/units/printable.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

namespace {

constexpr std::string_view ending = ".npy";

}  // namespace

NpzFile::NpzFile(const std::filesystem::path& file, std::span<const std::string_view> known)
    : name_(file.string()), archive_(std::make_unique<ZipArchive>(file)) {
  for (const ZipMember& found : archive_->members()) {
    const std::string_view name = found.name;
    const std::string_view array =
        name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : std::string_view();
    if (std::ranges::find(known, array) == known.end())
      fail("has the member " + printable(name) + ", which is no array of keep sets." +
           did_you_mean(std::string(array), known) + " Leave it out.");
    if (!found.obstacle.empty())
      fail("member " + printable(name) + ' ' + found.obstacle +
           ", which is not read; write it with numpy.savez or numpy.savez_compressed.");
  }
}

const ZipMember* NpzFile::member(std::string_view array) const {
  return archive_->find(std::string(array) + std::string(ending));
}

std::string NpzFile::place(std::string_view array) const {
  return name_ + ": " + std::string(array) + std::string(ending);
}

NpyArray NpzFile::open(std::string_view array) const {
  const ZipMember* const found = member(array);
  if (!found)
    fail("lacks the array " + std::string(array) + "; docs/formats/keep_sets.md says what it is.");
  const auto stream = std::make_shared<ZipStream>(*archive_, *found);
  return {[stream](std::span<std::byte> out) { return stream->read(out); }, found->size,
          place(array)};
}

std::vector<std::int64_t> NpzFile::list(std::string_view array, std::uint64_t most) const {
  NpyArray values = open(array);
  if (values.header().shape.size() > 1)
    values.fail("has the shape " + shape_text(values.header().shape) +
                "; a list or one number is expected.");
  if (values.count() > most)
    values.fail("has " + format_count(values.count()) + " numbers, more than the " +
                format_count(most) + " that are read; record fewer steps.");
  constexpr std::uint64_t piece = 1 << 16;
  std::vector<std::int64_t> numbers;
  for (std::uint64_t left = values.count(); left > 0;) {  // memory follows what is really there
    const auto now = static_cast<std::size_t>(std::min(left, piece));
    numbers.resize(numbers.size() + now);
    values.read(std::span(numbers).last(now));
    left -= now;
  }
  values.finish();
  return numbers;
}

std::optional<std::int64_t> NpzFile::number(std::string_view array) const {
  if (!has(array)) return std::nullopt;
  NpyArray value = open(array);
  if (value.count() != 1)
    value.fail("has the shape " + shape_text(value.header().shape) + "; one number is expected.");
  std::int64_t number = 0;
  value.read({&number, 1});
  value.finish();
  return number;
}

std::optional<std::uint64_t> NpzFile::count(std::string_view array) const {
  const auto value = number(array);
  if (!value) return std::nullopt;
  if (*value < 0)
    throw UserError(place(array) + ": is " + std::to_string(*value) +
                    "; a count is not negative, correct it.");
  return static_cast<std::uint64_t>(*value);
}

}  // namespace vacancy
