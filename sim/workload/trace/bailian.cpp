// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "sim/workload/lengths.hpp"
#include "sim/workload/trace/decimal.hpp"
#include "sim/workload/trace/file_trace.hpp"
#include "sim/workload/trace/json_line.hpp"
#include "sim/workload/trace/readers.hpp"

namespace vacancy {

namespace {

constexpr std::uint32_t bailian_block = 16;

/// One object a line (spec formats §4.5). Whether a partial last block has an id is not published:
/// both are taken. The chat ids are required because they tell the format, and with it the unit of
/// `timestamp`, from Mooncake's.
class Bailian final : public FileTrace {
 public:
  Bailian(std::unique_ptr<LineReader> lines, const TraceOptions& options)
      : FileTrace(std::move(lines), options, "bailian", "timestamp"), json_(this->lines()) {
    info_.block_size = options.block_size.value_or(bailian_block);
  }

 private:
  enum Field : std::size_t {
    chat_id,
    parent_chat_id,
    timestamp,
    input_length,
    output_length,
    hash_ids
  };
  static constexpr JsonField fields[] = {{"chat_id"},      {"parent_chat_id"}, {"timestamp"},
                                         {"input_length"}, {"output_length"},  {"hash_ids"}};

  bool read(TraceRequest& request) override {
    if (!lines().next()) return false;
    json_.load();
    JsonObject object(json_, fields);
    while (const auto field = object.next()) {
      switch (*field) {
        case chat_id:
        case parent_chat_id:
          json_.skip();
          break;
        case timestamp:
          request.arrival = json_.time(seconds_to_nanoseconds);
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
    const std::uint32_t full = request.prompt_tokens / info_.block_size;
    const bool partial = request.prompt_tokens % info_.block_size != 0;
    if (!(partial && request.block_keys.size() == full + std::size_t{1}))
      check_key_count(lines(), fields[hash_ids].name, request.block_keys.size(), full,
                      request.prompt_tokens, info_.block_size);
    return true;
  }

  JsonLine json_;
};

}  // namespace

std::unique_ptr<TraceReader> read_bailian(std::unique_ptr<LineReader> lines,
                                          const TraceOptions& options) {
  return std::make_unique<Bailian>(std::move(lines), options);
}

}  // namespace vacancy
