// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace vacancy {

/// The values that a tensor file's pickle may hold. Containers refer to values of the document that
/// owns them; a hostile file can make such references circular, so walk them by schema, never
/// recursively.
struct PickleValue {
  using Ref = const PickleValue*;

  struct List {
    std::vector<Ref> items;
  };
  struct Tuple {
    std::vector<Ref> items;
  };
  struct Dict {
    std::vector<std::pair<Ref, Ref>> items;  // in file order
  };
  struct Global {  // a name that the file wants to import
    std::string module, name;
  };
  struct Storage {  // float32 numbers in another member of the archive
    std::string key;
    std::uint64_t count = 0;
  };
  struct Tensor {
    Storage storage;
    std::uint64_t offset = 0;
    std::vector<std::uint64_t> size, stride;  // in elements
  };

  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Tuple, Dict, Global,
               Storage, Tensor>
      data;

  template <class T>
  const T* get() const {
    return std::get_if<T>(&data);
  }
};

/// The value of a string key in a dict (the last one that was set), or nullptr.
const PickleValue* find(const PickleValue::Dict& dict, std::string_view key);

/// Owns all values of one pickle.
class PickleDocument {
 public:
  const PickleValue& root() const { return *root_; }

 private:
  friend PickleDocument read_pickle(std::span<const std::byte>, const std::string&);
  std::deque<PickleValue> values_;
  const PickleValue* root_ = nullptr;
};

/// Runs the part of Python's pickle machine (protocols 2 to 5) that torch.save needs for dicts,
/// lists, tuples, strings, numbers, booleans, None and float32 tensors. Nothing is imported or
/// executed: torch._utils._rebuild_tensor_v2, torch.FloatStorage and collections.OrderedDict are
/// known by name, every other global and opcode is refused by name. Time and memory are linear in
/// the number of bytes. Any fault is a UserError with `name` and the byte.
PickleDocument read_pickle(std::span<const std::byte> bytes, const std::string& name);

}  // namespace vacancy
