// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/codecs/integer_groups.hpp"
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/value_access.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 128, kBlocks = 4;

/// A thread's group. Keys have a line a channel, so that neighbouring threads read neighbouring
/// elements.
struct Group {
  int line;
  std::int64_t element;  // its first, of the values
  std::int64_t number;   // of all groups, line by line

  template <class Operation>
  __device__ __forceinline__ explicit Group(const Operation& op) {
    const int of_a_line = op.line_elements / op.group, index = int(blockIdx.x) % of_a_line;
    line = int(blockIdx.x) / of_a_line * kThreads + int(threadIdx.x);
    element = line * op.line_stride + std::int64_t{index} * op.group * op.step;
    number = std::int64_t{line} * of_a_line + index;
  }
};

__global__ void __launch_bounds__(kThreads, kBlocks)
    encode_kivi_kernel(__grid_constant__ const EncodeKivi op) {
  const Group group(op);
  if (group.line >= op.lines) return;
  float low = INFINITY, high = -INFINITY;
  for (int i = 0; i < op.group; ++i) {
    const float x = load_value(op.values, op.type, group.element + i * op.step);
    low = smaller(low, x);
    high = larger(high, x);
  }
  if (low > high) low = high = 0.0f;  // nothing but NaN
  const KiviGroup stored = kivi_group(low, high, op.bits);
  op.zeros[group.number] = stored.zero;
  op.steps[group.number] = stored.step;
  const int in_word = 32 / op.bits;
  std::uint32_t* const words = op.codes + group.number * (op.group / in_word);
  for (int w = 0; w < op.group / in_word; ++w) {
    std::uint32_t word = 0;
    for (int j = 0; j < in_word; ++j) {
      const float x = load_value(op.values, op.type, group.element + (w * in_word + j) * op.step);
      word |= encode_kivi(x, stored, op.bits) << op.bits * j;
    }
    words[w] = word;
  }
}

__global__ void __launch_bounds__(kThreads, kBlocks)
    decode_kivi_kernel(__grid_constant__ const DecodeKivi op) {
  const Group group(op);
  if (group.line >= op.lines) return;
  const KiviGroup stored{__ldg(&op.zeros[group.number]), __ldg(&op.steps[group.number])};
  const int in_word = 32 / op.bits;
  for (int i = 0; i < op.group; ++i) {
    const std::uint32_t word = __ldg(&op.codes[group.number * (op.group / in_word) + i / in_word]);
    const std::uint32_t code = word >> i % in_word * op.bits & ((1u << op.bits) - 1u);
    store_value(op.values, op.type, group.element + i * op.step, decode_kivi(code, stored));
  }
}

template <class Operation>
void check(const Operation& op) {
  const bool bits = op.bits == 2 || op.bits == 4 || op.bits == 8;
  if (!bits || op.group < 1 || op.group % (32 / op.bits) != 0 || op.line_elements % op.group != 0)
    throw std::invalid_argument(
        "KIVI: codes have 2, 4 or 8 bits, a group fills whole words, a line has whole groups");
}

/// As Group has it.
template <class Operation>
unsigned grid_of(const Operation& op) {
  return blocks_for(op.lines, kThreads) * unsigned(op.line_elements / op.group);
}

}  // namespace

void run(const EncodeKivi& op, Stream stream) {
  check(op);
  if (op.lines <= 0 || op.line_elements <= 0) return;
  simt::launch({grid_of(op), kThreads, 0, stream}, encode_kivi_kernel, op);
}
void run(const DecodeKivi& op, Stream stream) {
  check(op);
  if (op.lines <= 0 || op.line_elements <= 0) return;
  simt::launch({grid_of(op), kThreads, 0, stream}, decode_kivi_kernel, op);
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
