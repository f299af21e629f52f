// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "sim/workload/lengths.hpp"
#include "sim/workload/trace/file_trace.hpp"
#include "sim/workload/trace/json_line.hpp"
#include "sim/workload/trace/mooncake.hpp"
#include "sim/workload/trace/readers.hpp"

namespace vacancy {

namespace {

constexpr std::uint64_t latest_millisecond =
    std::numeric_limits<std::int64_t>::max() / millisecond.value();

/// One object a line (spec formats §4.1). Every block has an id, a partial last one too; ids are
/// global, and an id stands for its block and all before it.
class Mooncake final : public FileTrace {
 public:
  Mooncake(std::unique_ptr<LineReader> lines, const TraceOptions& options)
      : FileTrace(std::move(lines), options, "mooncake", "timestamp"), json_(this->lines()) {
    info_.block_size = options.block_size.value_or(mooncake_block_size);
  }

 private:
  enum Field : std::size_t { timestamp, input_length, output_length, hash_ids };
  static constexpr JsonField fields[] = {
      {"timestamp"}, {"input_length"}, {"output_length"}, {"hash_ids"}};

  bool read(TraceRequest& request) override {
    if (!lines().next()) return false;
    json_.load();
    JsonObject object(json_, fields);
    while (const auto field = object.next()) {
      switch (*field) {
        case timestamp:
          request.arrival =
              millisecond * static_cast<std::int64_t>(json_.integer(latest_millisecond));
          break;
        case input_length:
          request.prompt_tokens = static_cast<std::uint32_t>(json_.integer(max_length_tokens));
          break;
        case output_length:
          request.output_tokens = static_cast<std::uint32_t>(json_.integer(max_length_tokens));
          break;
        case hash_ids:
          json_.integers(request.block_keys, std::numeric_limits<std::uint64_t>::max());
          break;
      }
    }
    const std::uint32_t blocks = (request.prompt_tokens + info_.block_size - 1) / info_.block_size;
    check_key_count(lines(), fields[hash_ids].name, request.block_keys.size(), blocks,
                    request.prompt_tokens, info_.block_size);
    return true;
  }

  JsonLine json_;
};

}  // namespace

std::unique_ptr<TraceReader> read_mooncake(std::unique_ptr<LineReader> lines,
                                           const TraceOptions& options) {
  return std::make_unique<Mooncake>(std::move(lines), options);
}

}  // namespace vacancy
