// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/pickle.hpp"

#include <array>
#include <bit>
#include <optional>
#include <unordered_map>

#include "sim/attention/byte_reader.hpp"

namespace vacancy {

namespace {

// A pickle of 80 layers × 128 heads × 3 tensors has about 700,000 values.
constexpr std::size_t most_values = std::size_t{1} << 21;
constexpr std::size_t deepest_stack = std::size_t{1} << 16;
constexpr std::size_t deepest_marks = 1024;

bool is_known(const PickleValue::Global& global) {
  const auto is = [&](std::string_view module, std::string_view name) {
    return global.module == module && global.name == name;
  };
  return is("torch._utils", "_rebuild_tensor_v2") || is("torch", "FloatStorage") ||
         is("collections", "OrderedDict");
}

class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, const std::string& name,
                std::deque<PickleValue>& values)
      : in_(bytes, name), values_(values) {}

  const PickleValue* run() {
    while (true) {
      at_ = in_.offset();
      const std::uint8_t opcode = in_.u8();
      if (opcode == '.') return pop();
      step(opcode);
    }
  }

 private:
  using Value = PickleValue;
  using Ref = PickleValue*;

  void step(std::uint8_t opcode);
  void read_protocol();
  void append(std::span<const Ref> items);
  void set_items(std::span<const Ref> items);
  void import(std::string module, std::string name);
  void load_persistent();
  void reduce();
  Value::Tensor rebuild_tensor(const Value::Tuple& arguments) const;
  std::uint64_t size_argument(const Value& value) const;
  std::vector<std::uint64_t> sizes_argument(const Value& value) const;

  [[noreturn]] void fail(const std::string& fault) const { in_.fail_at(at_, fault); }

  template <class T>
  void push(T data) {
    if (values_.size() == most_values) fail("the pickle has more values than any calibration");
    values_.push_back({std::move(data)});
    push_ref(&values_.back());
  }
  void push_ref(Ref value) {
    if (stack_.size() == deepest_stack) fail("the pickle's stack is deeper than any calibration's");
    stack_.push_back(value);
  }
  void push_text(std::size_t length) { push(std::string(in_.text(length))); }

  Ref pop() {
    // Values below the last mark belong to an outer container.
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= floor) fail("the pickle takes a value from an empty stack");
    const Ref value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Ref top() {
    const Ref value = pop();
    stack_.push_back(value);
    return value;
  }
  std::vector<Ref> pop_to_mark() {
    if (marks_.empty()) fail("the pickle closes a group that it did not open");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Ref> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  void push_tuple(std::size_t count) {
    std::vector<const Value*> items(count);
    while (count > 0)
      items[--count] = pop();
    push(Value::Tuple{std::move(items)});
  }

  template <class T>
  const T& expect(const Value* value, const char* what) const {
    const T* data = value->get<T>();
    if (!data) fail(std::string("the pickle has no ") + what + " where one belongs");
    return *data;
  }

  void memoize(std::uint32_t index) { memo_[index] = top(); }
  void recall(std::uint32_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) fail("the pickle recalls a value that it did not store");
    push_ref(found->second);
  }

  ByteReader in_;
  std::deque<PickleValue>& values_;
  std::size_t at_ = 0;  // of the opcode that runs
  std::vector<Ref> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, Ref> memo_;
};

std::string line(ByteReader& in) {
  std::string text;
  for (char c; (c = static_cast<char>(in.u8())) != '\n';)
    text += c;
  return text;
}

/// Opcodes of Python's pickletools, by their names there.
void PickleMachine::step(std::uint8_t opcode) {
  switch (opcode) {
    case 0x80:
      return read_protocol();  // PROTO
    case 0x95:
      static_cast<void>(in_.u64());
      return;  // FRAME: its length is a hint
    case '(':  // MARK
      if (marks_.size() == deepest_marks) fail("the pickle opens too many groups");
      return marks_.push_back(stack_.size());
    case '0':
      static_cast<void>(pop());
      return;  // POP
    case 'N':
      return push(std::monostate{});  // NONE
    case 0x88:
      return push(true);  // NEWTRUE
    case 0x89:
      return push(false);  // NEWFALSE
    case 'K':
      return push(std::int64_t{in_.u8()});  // BININT1
    case 'M':
      return push(std::int64_t{in_.u16()});  // BININT2
    case 'J':
      return push(std::int64_t{in_.i32()});  // BININT
    case 0x8a: {                             // LONG1
      const auto bytes = in_.take(in_.u8());
      if (bytes.size() > 8) fail("the pickle has an integer of more than 64 bits");
      std::uint64_t value = 0;
      for (std::size_t i = 0; i < bytes.size(); ++i)
        value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
      if (!bytes.empty() && bytes.size() < 8 && (bytes.back() & std::byte{0x80}) != std::byte{0})
        value |= ~std::uint64_t{0} << (8 * bytes.size());
      return push(static_cast<std::int64_t>(value));
    }
    case 'G': {  // BINFLOAT: big-endian
      std::uint64_t bits = 0;
      for (const std::byte b : in_.take(8))
        bits = bits << 8 | std::to_integer<std::uint64_t>(b);
      return push(std::bit_cast<double>(bits));
    }
    case 'X':
      return push_text(in_.u32());  // BINUNICODE
    case 0x8c:
      return push_text(in_.u8());  // SHORT_BINUNICODE
    case ')':
      return push_tuple(0);  // EMPTY_TUPLE
    case 0x85:
      return push_tuple(1);  // TUPLE1
    case 0x86:
      return push_tuple(2);  // TUPLE2
    case 0x87:
      return push_tuple(3);  // TUPLE3
    case 't': {              // TUPLE
      const auto items = pop_to_mark();
      return push(Value::Tuple{{items.begin(), items.end()}});
    }
    case ']':
      return push(Value::List{});  // EMPTY_LIST
    case 'a': {                    // APPEND
      const Ref item = pop();
      return append(std::span(&item, 1));
    }
    case 'e':
      return append(pop_to_mark());  // APPENDS
    case '}':
      return push(Value::Dict{});  // EMPTY_DICT
    case 's': {                    // SETITEM
      const Ref value = pop(), key = pop();
      return set_items(std::array{key, value});
    }
    case 'u':
      return set_items(pop_to_mark());  // SETITEMS
    case 'q':
      return memoize(in_.u8());  // BINPUT
    case 'r':
      return memoize(in_.u32());  // LONG_BINPUT
    case 0x94:
      return memoize(static_cast<std::uint32_t>(memo_.size()));  // MEMOIZE
    case 'h':
      return recall(in_.u8());  // BINGET
    case 'j':
      return recall(in_.u32());  // LONG_BINGET
    case 'c': {                  // GLOBAL
      auto module = line(in_);
      return import(std::move(module), line(in_));
    }
    case 0x93: {  // STACK_GLOBAL
      const Ref name = pop(), module = pop();
      return import(expect<std::string>(module, "name"), expect<std::string>(name, "name"));
    }
    case 'Q':
      return load_persistent();  // BINPERSID
    case 'R':
      return reduce();  // REDUCE
    default:
      fail("the pickle's opcode " + std::to_string(opcode) +
           " is not needed for tensors and is refused");
  }
}

void PickleMachine::read_protocol() {
  const auto protocol = in_.u8();
  if (protocol < 2 || protocol > 5)
    fail("pickle protocol " + std::to_string(protocol) + " is not read; 2 to 5 are");
}

void PickleMachine::append(std::span<const Ref> items) {
  auto* list = std::get_if<Value::List>(&top()->data);
  if (!list) fail("the pickle appends to a value that is no list");
  list->items.insert(list->items.end(), items.begin(), items.end());
}

void PickleMachine::set_items(std::span<const Ref> items) {
  auto* dict = std::get_if<Value::Dict>(&top()->data);
  if (!dict) fail("the pickle sets an item of a value that is no dict");
  if (items.size() % 2 != 0) fail("the pickle sets a key without a value");
  for (std::size_t i = 0; i < items.size(); i += 2)
    dict->items.emplace_back(items[i], items[i + 1]);
}

void PickleMachine::import(std::string module, std::string name) {
  Value::Global global{std::move(module), std::move(name)};
  if (!is_known(global))
    fail("the pickle asks for " + printable(global.module + "." + global.name) +
         ", which is refused: only float32 tensors in plain containers are read");
  push(std::move(global));
}

/// ('storage', torch.FloatStorage, key, device, element count)
void PickleMachine::load_persistent() {
  const auto& items = expect<Value::Tuple>(pop(), "tuple that names a storage").items;
  if (items.size() != 5 || expect<std::string>(items[0], "kind of storage") != "storage")
    fail("the pickle names a storage in an unknown way");
  const auto& kind = expect<Value::Global>(items[1], "class of a storage");
  if (kind.name != "FloatStorage") fail("the pickle has a storage that is not of float32 numbers");
  const auto& key = expect<std::string>(items[2], "key of a storage");
  // A key is copied into each tensor, so a long one could multiply the file's size.
  if (key.size() > 32) fail("the pickle names a storage by more than 32 characters");
  push(Value::Storage{key, size_argument(*items[4])});
}

void PickleMachine::reduce() {
  const Ref arguments = pop(), callable = pop();
  const auto& global = expect<Value::Global>(callable, "callable");
  const auto& tuple = expect<Value::Tuple>(arguments, "tuple of arguments");
  if (global.name == "OrderedDict" && tuple.items.empty()) return push(Value::Dict{});
  if (global.name == "_rebuild_tensor_v2") return push(rebuild_tensor(tuple));
  fail("the pickle calls " + global.module + "." + global.name + " in an unknown way");
}

/// (storage, offset, size, stride, requires_grad, backward hooks, [metadata]); only the first four
/// matter for the numbers.
PickleValue::Tensor PickleMachine::rebuild_tensor(const Value::Tuple& arguments) const {
  const auto& items = arguments.items;
  if (items.size() < 6 || items.size() > 7) fail("the pickle rebuilds a tensor in an unknown way");
  Value::Tensor tensor{expect<Value::Storage>(items[0], "storage"), size_argument(*items[1]),
                       sizes_argument(*items[2]), sizes_argument(*items[3])};
  if (tensor.size.size() != tensor.stride.size())
    fail("the pickle has a tensor with more sizes than strides, or fewer");
  return tensor;
}

std::uint64_t PickleMachine::size_argument(const Value& value) const {
  const auto number = expect<std::int64_t>(&value, "integer");
  if (number < 0 || number > (std::int64_t{1} << 40)) fail("the pickle has an impossible size");
  return static_cast<std::uint64_t>(number);
}

std::vector<std::uint64_t> PickleMachine::sizes_argument(const Value& value) const {
  const auto& items = expect<Value::Tuple>(&value, "tuple of sizes").items;
  if (items.size() > 8) fail("the pickle has a tensor of more than 8 dimensions");
  std::vector<std::uint64_t> sizes;
  for (const auto* item : items)
    sizes.push_back(size_argument(*item));
  return sizes;
}

}  // namespace

const PickleValue* find(const PickleValue::Dict& dict, std::string_view key) {
  for (auto item = dict.items.rbegin(); item != dict.items.rend(); ++item)
    if (const auto* text = item->first->get<std::string>(); text && *text == key)
      return item->second;
  return nullptr;
}

PickleDocument read_pickle(std::span<const std::byte> bytes, const std::string& name) {
  PickleDocument document;
  document.root_ = PickleMachine(bytes, name, document.values_).run();
  return document;
}

}  // namespace vacancy
