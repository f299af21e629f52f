// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "sim/attention/byte_reader.hpp"
#include "sim/attention/calibration.hpp"
#include "sim/attention/pickle.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"
#include "sim/zip/zip_archive.hpp"

namespace vacancy {

namespace {

/// A ZIP archive in memory whose members are stored, as torch.save writes them: what is read never
/// exceeds the archive's own size.
class StoredArchive {
 public:
  StoredArchive(std::span<const std::byte> bytes, const std::string& name) : zip_(bytes, name) {}

  /// The folder in which the archive keeps everything, found by the one member data.pkl.
  std::string root() const {
    constexpr std::string_view pickle = "data.pkl";
    for (const ZipMember& member : zip_.members())
      if (member.name.ends_with("/data.pkl"))
        return member.name.substr(0, member.name.size() - pickle.size());
    fail("has no member data.pkl; it is not a file of torch.save");
  }

  bool has(const std::string& member) const { return zip_.find(member) != nullptr; }

  std::vector<std::byte> read(const std::string& name) const {
    const ZipMember* const member = zip_.find(name);
    if (!member) fail("has no member " + printable(name) + "; it is damaged");
    if (member->packing != ZipPacking::stored)
      fail("member " + printable(name) + ' ' +
           (member->obstacle.empty() ? "is packed by deflate" : member->obstacle) +
           "; torch.save stores it plainly, save it again");
    return zip_.read(*member);
  }

  std::uint64_t size() const { return zip_.size(); }

  [[noreturn]] void fail(const std::string& fault) const { zip_.fail(fault); }

 private:
  ZipArchive zip_;
};

struct HeadKey {
  std::uint32_t layer, head;
  auto operator<=>(const HeadKey&) const = default;
};

/// "layer05_head17"
std::optional<HeadKey> parse_head(std::string_view key) {
  const auto number = [&](std::string_view prefix) -> std::optional<std::uint32_t> {
    if (!key.starts_with(prefix)) return std::nullopt;
    key.remove_prefix(prefix.size());
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), value);
    const auto digits = static_cast<std::size_t>(end - key.data());
    if (error != std::errc{} || digits < 2 || value >= (1 << 12)) return std::nullopt;
    key.remove_prefix(digits);
    return value;
  };
  const auto layer = number("layer");
  const auto head = layer ? number("_head") : std::nullopt;
  if (!head || !key.empty()) return std::nullopt;
  return HeadKey{*layer, *head};
}

/// Turns the tool's {metadata, stats} into a Calibration.
class PtReader {
 public:
  PtReader(std::span<const std::byte> bytes, const std::string& name)
      : archive_(bytes, name), root_(archive_.root()) {}

  Calibration read(const std::string& name) {
    if (archive_.has(root_ + "byteorder")) {
      const auto order = archive_.read(root_ + "byteorder");
      if (!order.empty() && order.front() != std::byte{'l'})
        archive_.fail("holds big-endian numbers, which are not read; save it on another machine");
    }
    const auto pickle = archive_.read(root_ + "data.pkl");
    const auto document = read_pickle(pickle, name + " (data.pkl)");
    const auto& file = dict(&document.root(), "the file");
    const auto& metadata = dict(find(file, "metadata"), "metadata");
    const auto heads = stats(dict(find(file, "stats"), "stats"));
    check_sampled_heads(metadata, heads);

    std::uint32_t layers = 0, query_heads = 0;
    for (const auto& [key, value] : heads) {
      layers = std::max(layers, key.layer + 1);
      query_heads = std::max(query_heads, key.head + 1);
    }
    const std::uint32_t head_dim = read_head_dim(metadata);
    // A head's key costs few bytes but claims room for every head before it.
    const std::uint64_t claimed = 12 * std::uint64_t{layers} * query_heads * (head_dim / 2);
    if (claimed / 64 > archive_.size())
      archive_.fail("has " + counted(heads.size(), "head") + " of a model of " +
                    counted(layers, "layer") + " of " + std::to_string(query_heads) +
                    ", too few for its size");
    Calibration calibration(name, layers, query_heads, head_dim);
    calibration.model_name = text(metadata, "model_name");
    calibration.rope_style = text(metadata, "rope_style");
    for (const auto& [key, value] : heads)
      read_head(calibration, key, dict(value, "a head's statistics"));
    return calibration;
  }

 private:
  const PickleValue::Dict& dict(const PickleValue* value, const char* what) const {
    const auto* data = value ? value->get<PickleValue::Dict>() : nullptr;
    if (!data)
      archive_.fail(std::string("has no dictionary as ") + what +
                    "; it is not a calibration of TriAttention");
    return *data;
  }

  static std::string text(const PickleValue::Dict& metadata, std::string_view key) {
    const auto* value = find(metadata, key);
    const auto* data = value ? value->get<std::string>() : nullptr;
    return data ? *data : std::string();
  }

  std::uint32_t read_head_dim(const PickleValue::Dict& metadata) const {
    const auto* value = find(metadata, "head_dim");
    const auto* number = value ? value->get<std::int64_t>() : nullptr;
    if (!number || *number < 2 || *number > (1 << 14) || *number % 2 != 0)
      archive_.fail("has no even metadata head_dim within 2..16384");
    return static_cast<std::uint32_t>(*number);
  }

  std::map<HeadKey, const PickleValue*> stats(const PickleValue::Dict& dict) const {
    std::map<HeadKey, const PickleValue*> heads;
    for (const auto& [key, value] : dict.items) {
      const auto* name = key->get<std::string>();
      const auto head = name ? parse_head(*name) : std::nullopt;
      if (!head)
        archive_.fail("has statistics under a key that is not of the form layerLL_headHH" +
                      (name ? ": " + printable(*name) : ""));
      if (!heads.emplace(*head, value).second) archive_.fail("has " + printable(*name) + " twice");
    }
    if (heads.empty()) archive_.fail("has no head's statistics");
    return heads;
  }

  /// metadata's list of [layer, head], where there is one, names heads that are there.
  void check_sampled_heads(const PickleValue::Dict& metadata,
                           const std::map<HeadKey, const PickleValue*>& heads) const {
    const auto* sampled = find(metadata, "sampled_heads");
    const auto* list = sampled ? sampled->get<PickleValue::List>() : nullptr;
    if (!list) return;
    for (const auto* item : list->items) {
      const auto pair = integers(*item);
      const auto limit = [](std::int64_t n) { return n >= 0 && n < (1 << 12); };
      if (pair.size() != 2 || !limit(pair[0]) || !limit(pair[1]) ||
          !heads.contains(
              {static_cast<std::uint32_t>(pair[0]), static_cast<std::uint32_t>(pair[1])}))
        archive_.fail("names a head in sampled_heads that has no statistics");
    }
  }

  static std::vector<std::int64_t> integers(const PickleValue& value) {
    const auto* list = value.get<PickleValue::List>();
    const auto* tuple = value.get<PickleValue::Tuple>();
    std::vector<std::int64_t> numbers;
    if (!list && !tuple) return numbers;
    for (const auto* item : list ? list->items : tuple->items) {
      const auto* number = item->get<std::int64_t>();
      if (!number || numbers.size() == 2) return {};
      numbers.push_back(*number);
    }
    return numbers;
  }

  void read_head(Calibration& calibration, HeadKey key, const PickleValue::Dict& arrays) {
    const std::string place =
        "layer " + std::to_string(key.layer) + ", query head " + std::to_string(key.head);
    if (arrays.items.size() > 64) archive_.fail(place + ": has more than 64 arrays");
    const auto vector = [&](std::string_view name) {
      const auto* value = find(arrays, name);
      const auto* tensor = value ? value->get<PickleValue::Tensor>() : nullptr;
      if (!tensor || tensor->size.size() != 1 || tensor->size[0] != calibration.bands())
        archive_.fail(place + ": " + std::string(name) + " is not a tensor of " +
                      std::to_string(calibration.bands()) + " numbers");
      return numbers(*tensor, place);
    };
    const auto real = vector("q_mean_real"), imag = vector("q_mean_imag");
    const auto modulus = vector("q_abs_mean");
    calibration.set_head(key.layer, key.head, {real, imag, modulus}, place);
  }

  std::vector<float> numbers(const PickleValue::Tensor& tensor, const std::string& place) {
    const auto& [key, storage_count] = tensor.storage;
    if (storage_key_ != key) {
      storage_ = archive_.read(root_ + "data/" + key);
      storage_key_ = key;
    }
    if (storage_.size() != 4 * storage_count)
      archive_.fail(place + ": storage " + printable(key) + " has " +
                    std::to_string(storage_.size()) + " bytes, not 4 for each of " +
                    std::to_string(storage_count) + " numbers");
    const std::uint64_t count = tensor.size[0], stride = tensor.stride[0];
    // Sizes, strides and offsets are below 2^41, counts below 2^14: no overflow.
    if (count > 0 && tensor.offset + (count - 1) * stride >= storage_count)
      archive_.fail(place + ": a tensor reaches beyond its storage " + printable(key));
    std::vector<float> values(count);
    for (std::uint64_t i = 0; i < count; ++i)
      std::memcpy(&values[i], &storage_[4 * (tensor.offset + i * stride)], sizeof(float));
    return values;
  }

  StoredArchive archive_;
  std::string root_;
  std::optional<std::string> storage_key_;  // the storage read last: tensors often share one
  std::vector<std::byte> storage_;
};

}  // namespace

Calibration read_pt(std::span<const std::byte> bytes, const std::string& name) {
  return PtReader(bytes, name).read(name);
}

}  // namespace vacancy
