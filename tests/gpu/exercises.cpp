// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/exercises.hpp"

#include <cstdint>
#include <memory>

#include "gpu_backend/simt/host/memtrace.hpp"
#include "tests/gpu/move_case.hpp"

namespace vacancy::test {
namespace {

constexpr int tokens = 70, query_heads = 4, window = 3;
constexpr std::int64_t stride = 80;

/// A pool with one request of `tokens`, whose even tokens survive.
struct Setting {
  Setting(gpu::Device& on, gpu::ElementType type)
      : device(on),
        element(type),
        memory(
            on,
            {.layers = 1,
             .heads = 2,
             .head_dim = 128,
             .format = type == gpu::ElementType::bf16 ? gpu::RowFormat::bf16 : gpu::RowFormat::fp8},
            {tokens}, 1),
        last_page_len(on, std::vector<std::int32_t>{tokens % 16}),
        lengths(on, std::vector<std::int32_t>{tokens}),
        slots(on, std::vector<std::int64_t>{5, 40, -1, 22}),
        floats(on, std::vector<float>(1 << 16, 0.5f)),
        scores(on, std::vector<float>(1 << 16, 0.25f)),
        more(on, std::size_t{1} << 16),
        words(on, std::vector<std::uint32_t>(1 << 16)) {
    simt::host::trace_rows(memory.pool().parts()[0].base);
  }

  static std::vector<std::int32_t> survivors() {
    std::vector<std::int32_t> even;
    for (int i = 0; i < tokens; i += 2)
      even.push_back(i);
    return even;
  }
  gpu::MoveLists packing_moves() {
    const auto even = survivors();
    return memory.device_moves({packing({even.begin(), even.end()})}, {});
  }
  gpu::MoveLists filling_moves() {
    const auto even = survivors();
    std::mt19937 random(1);
    return memory.device_moves({hole_filling({even.begin(), even.end()}, random)}, {});
  }
  gpu::CachedRows rows() const {
    gpu::CachedRows rows{.pool = memory.pool().parts()[0],
                         .element = element,
                         .tables = memory.device_tables(),
                         .head_dim = 128};
    rows.tables.last_page_len = last_page_len.data();
    return rows;
  }
  gpu::ScoreRows score_rows(int per_request) const {
    return {.data = scores.data(),
            .stride = stride,
            .requests = 1,
            .per_request = per_request,
            .end = lengths.data()};
  }

  gpu::Device& device;
  gpu::ElementType element;
  MoveCase memory;
  gpu::Buffer<std::int32_t> last_page_len, lengths;
  gpu::Buffer<std::int64_t> slots;
  gpu::Buffer<float> floats, scores, more;
  gpu::Buffer<std::uint32_t> words;
};

using Body = void (*)(Setting&);
struct Named {
  const char* name;
  RowShares shares;
  Body body;
};

// No byte is carried in vain.
constexpr RowShares read{1.0, {}}, moved{1.0, 1.0}, untouched{};

/// Arrays that hold values or codes, beside the pool.
template <class... Buffers>
void bulk(const Buffers&... buffers) {
  (simt::host::trace_rows(buffers.data()), ...);
}

constexpr Named on_rows[] = {
    {"PackRows, columns", moved,
     [](Setting& s) {
       s.memory.pool().run(
           gpu::PackRows{.tables = s.memory.device_tables(), .moves = s.packing_moves()});
     }},
    {"PackRows, tiles", moved,
     [](Setting& s) {
       s.memory.pool().run(gpu::PackRows{.tables = s.memory.device_tables(),
                                         .moves = s.packing_moves(),
                                         .method = gpu::PackMethod::tiles});
     }},
    {"MoveRows, rounds", moved, [](Setting& s) { s.memory.run_rounds(s.packing_moves()); }},
    {"MoveRows, holes", moved,
     [](Setting& s) {
       s.memory.pool().run(
           gpu::MoveRows{.tables = s.memory.device_tables(), .moves = s.filling_moves()});
     }},
    {"GatherRows", moved,
     [](Setting& s) {
       const Setting to(s.device, s.element);
       s.memory.pool().run_to(to.memory.pool(),
                              gpu::GatherRows{.from_tables = s.memory.device_tables(),
                                              .to_tables = to.memory.device_tables(),
                                              .moves = s.packing_moves()});
     }},
    {"CopyBlocks", moved,
     [](Setting& s) {
       const gpu::Buffer<std::int32_t> from(s.device, std::vector<std::int32_t>{0, 1}),
           to(s.device, std::vector<std::int32_t>{3, 2}),
           slots(s.device, std::vector<std::int32_t>{16, 6});
       s.memory.pool().run_to(s.memory.pool(), gpu::CopyBlocks{.from_blocks = from.data(),
                                                               .to_blocks = to.data(),
                                                               .slots = slots.data(),
                                                               .count = 2});
     }},
    {"AppendRows", moved,
     [](Setting& s) {
       bulk(s.floats);
       s.memory.pool().run(
           gpu::AppendRows{.rows = s.floats.data(), .slot_mapping = s.slots.data(), .tokens = 4});
     }},
    {"ReadRows", moved,
     [](Setting& s) {
       bulk(s.more);
       s.memory.pool().run(
           gpu::ReadRows{.rows = s.more.data(), .slot_mapping = s.slots.data(), .tokens = 4});
     }},
    {"DecodeAttention", read,
     [](Setting& s) {
       s.device.run(gpu::DecodeAttention{.pool = s.rows().pool,
                                         .element = s.element,
                                         .tables = s.rows().tables,
                                         .query = s.floats.data(),
                                         .output = s.scores.data(),
                                         .workspace = s.more.data(),
                                         .query_heads = query_heads,
                                         .head_dim = 128,
                                         .scale = 0.1f,
                                         .splits = 2});
     }},
    {"QueryAttention", read,
     [](Setting& s) {
       const gpu::Buffer<float> output(s.device, query_heads * window * 128),
           statistics(s.device, query_heads * window * 2);
       s.device.run(gpu::QueryAttention{.rows = s.rows(),
                                        .query = s.floats.data(),
                                        .first_position = s.lengths.data(),
                                        .query_heads = query_heads,
                                        .window = window,
                                        .scale = 0.1f,
                                        .column_sums = s.scores.data(),
                                        .output = output.data(),
                                        .logits = s.more.data(),
                                        .statistics = statistics.data(),
                                        .stride = stride});
     }},
    {"TriAttentionScores", read,
     [](Setting& s) {
       s.device.run(gpu::TriAttentionScores{.rows = s.rows(),
                                            .weights = s.floats.data(),
                                            .query_heads = query_heads,
                                            .scores = s.scores.data(),
                                            .stride = stride});
     }},
    {"RowStatistics", read,
     [](Setting& s) {
       s.device.run(gpu::RowStatistics{.rows = s.rows(),
                                       .statistic = gpu::RowStatistic::value_over_key_norm,
                                       .scores = s.scores.data(),
                                       .stride = stride});
     }},
    {"KeyRedundancy", read,
     [](Setting& s) {
       const gpu::Buffer<std::int32_t> left_out(s.device, 2 * stride);
       s.device.run(gpu::KeyRedundancy{.rows = s.rows(),
                                       .scores = s.scores.data(),
                                       .unit_keys = s.more.data(),
                                       .left_out = left_out.data(),
                                       .stride = stride});
     }},
    {"KeyDifference", read,
     [](Setting& s) {
       s.device.run(gpu::KeyDifference{.rows = s.rows(),
                                       .scores = s.scores.data(),
                                       .anchors = s.more.data(),
                                       .stride = stride});
     }},
    {"LagRanks", read,
     [](Setting& s) {
       s.device.run(gpu::LagRanks{.rows = s.rows(),
                                  .lag = 20,
                                  .scores = s.scores.data(),
                                  .shares = s.more.data(),
                                  .stride = stride});
     }},
};

constexpr Named on_scores[] = {
    {"NormalizeRows", untouched,
     [](Setting& s) { s.device.run(gpu::NormalizeRows{s.score_rows(4)}); }},
    {"PoolNeighbours", untouched,
     [](Setting& s) {
       s.device.run(gpu::PoolNeighbours{s.score_rows(4), s.more.data(), 5, false});
     }},
    {"JoinRows", untouched,
     [](Setting& s) {
       s.device.run(gpu::JoinRows{s.score_rows(4), 1, 2, 2, gpu::Join::max, gpu::Join::none,
                                  gpu::Join::none, s.more.data()});
     }},
    {"TopK", untouched,
     [](Setting& s) {
       const gpu::Buffer<std::int32_t> kept(s.device, 4 * 20);
       s.device.run(gpu::TopK{.rows = s.score_rows(4), .keep = 20, .kept = kept.data()});
     }},
    {"AggregateBlocks", untouched,
     [](Setting& s) {
       s.device.run(
           gpu::AggregateBlocks{s.score_rows(4), 16, gpu::BlockJoin::top4, s.more.data(), 8});
     }},
    {"BlockOccupancy", untouched,
     [](Setting& s) {
       const std::vector<std::int32_t> some{1, 5, 20, 66};  // two blocks are empty
       const gpu::Buffer kept(s.device, some);
       const gpu::Buffer<std::int32_t> live(s.device, 8), empty(s.device, 1);
       s.device.run(gpu::BlockOccupancy{.kept = kept.data(),
                                        .stride = 4,
                                        .requests = 1,
                                        .lengths = s.lengths.data(),
                                        .masks = s.words.data(),
                                        .mask_words = 3,
                                        .live = live.data(),
                                        .live_stride = 8,
                                        .empty_blocks = empty.data()});
     }},
    {"TriAttentionWeights", untouched,
     [](Setting& s) {
       const gpu::Buffer frequencies(s.device, std::vector<double>(64, 0.1)),
           rotations(s.device, std::vector<double>(3 * 2 * 64, 0.5));
       s.device.run(gpu::TriAttentionWeights{.calibration = s.floats.data(),
                                             .frequencies = frequencies.data(),
                                             .rotations = rotations.data(),
                                             .positions = s.lengths.data(),
                                             .requests = 1,
                                             .layers = 1,
                                             .query_heads = query_heads,
                                             .bands = 64,
                                             .distances = 3,
                                             .weights = s.more.data()});
     }},
    {"RandomScores", untouched,
     [](Setting& s) {
       s.device.run(gpu::RandomScores{.sequences = s.words.data(),
                                      .rounds = s.words.data(),
                                      .requests = 1,
                                      .sets = 2,
                                      .length = tokens,
                                      .scores = s.words.data() + 100});
     }},
    {"EncodeFp8, DecodeFp8", moved,
     [](Setting& s) {
       bulk(s.floats, s.words, s.more);
       auto* const codes = reinterpret_cast<std::uint8_t*>(s.words.data());
       s.device.run(gpu::EncodeFp8{s.floats.data(), gpu::ValueType::bf16, codes, 1024, 2});
       s.device.run(gpu::DecodeFp8{codes, s.more.data(), gpu::ValueType::bf16, 1024, 2});
     }},
    {"EncodeIntegers, Decode...", moved,
     [](Setting& s) {
       bulk(s.floats, s.words, s.more);
       auto* const codes = reinterpret_cast<std::uint8_t*>(s.words.data());
       for (const int bits : {8, 4}) {
         s.device.run(gpu::EncodeIntegers{s.floats.data(), gpu::ValueType::f32, codes,
                                          s.scores.data(), 8, 128, bits});
         s.device.run(gpu::DecodeIntegers{codes, s.scores.data(), s.more.data(),
                                          gpu::ValueType::f32, 8, 128, bits});
       }
     }},
    {"EncodeNvfp4, DecodeNvfp4", moved,
     [](Setting& s) {
       bulk(s.floats, s.words, s.more);
       auto* const codes = reinterpret_cast<std::uint8_t*>(s.words.data());
       auto* const scales = reinterpret_cast<std::uint8_t*>(s.scores.data());
       s.device.run(gpu::EncodeNvfp4{s.floats.data(), gpu::ValueType::bf16, codes, scales, 64, 1});
       s.device.run(gpu::DecodeNvfp4{codes, scales, s.more.data(), gpu::ValueType::bf16, 64, 1});
     }},
    {"EncodeKivi, DecodeKivi", untouched,
     [](Setting& s) {
       auto* const halves = reinterpret_cast<std::uint16_t*>(s.scores.data());
       s.device.run(gpu::EncodeKivi{s.floats.data(), gpu::ValueType::bf16, 1, 64, 64, 32, 32, 4,
                                    s.words.data(), halves, halves + 64});
       s.device.run(gpu::DecodeKivi{s.words.data(), halves, halves + 64, 64, 32, 32, 4,
                                    s.more.data(), gpu::ValueType::bf16, 1, 64});
     }},
};

Exercise exercise(const Named& named, gpu::ElementType element, const char* suffix) {
  return {named.name + std::string(suffix), named.shares, [&named, element](gpu::Device& device) {
            Setting setting(device, element);
            named.body(setting);
          }};
}

}  // namespace

std::vector<Exercise> exercises() {
  std::vector<Exercise> all;
  for (const Named& named : on_rows) {
    all.push_back(exercise(named, gpu::ElementType::bf16, " of BF16"));
    all.push_back(exercise(named, gpu::ElementType::fp8, " of FP8"));
  }
  for (const Named& named : on_scores)
    all.push_back(exercise(named, gpu::ElementType::bf16, ""));
  return all;
}

}  // namespace vacancy::test
