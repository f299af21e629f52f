// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/units/error.hpp"
#include "sim/workload/trace/loss_book.hpp"
#include "sim/workload/trace/mooncake.hpp"
#include "sim/workload/trace/writers.hpp"

namespace vacancy {

namespace {

/// Ids count up from 0 in the order of first appearance, as in the public file.
class MooncakeWriter final : public LossBook {
 public:
  MooncakeWriter(const TraceInfo& source, const TraceWriterOptions& options, std::ostream& out)
      : LossBook("mooncake", options, out),
        block_size_(source.block_size > 0 ? source.block_size : mooncake_block_size) {
    if (source.block_size == 0 && !options.unshared_blocks)
      throw UserError(
          "The format mooncake names the blocks of each prompt, and this trace does not know which "
          "prompts share any; add --unshared to write that none do, or choose another "
          "format.");
    if (source.token_ids) lose_always(TraceLoss::token_ids);
    if (block_size_ != mooncake_block_size) lose_always(TraceLoss::block_size);
  }

  void write(const TraceRequest& request) override {
    count_request();
    const std::int64_t unit = millisecond.value();
    const std::int64_t time = request.arrival.value();
    if (time % unit != 0)
      lose(TraceLoss::time_digits, " (request " + std::to_string(requests()) + " arrives at " +
                                       std::to_string(time) + " ns)");
    const std::uint64_t blocks =
        (std::uint64_t{request.prompt_tokens} + block_size_ - 1) / block_size_;
    ids_.clear();
    for (const std::uint64_t key : request.block_keys) {
      const auto [known, added] = ids_of_keys_.emplace(key, next_id_);
      if (added) ++next_id_;
      ids_.push_back(known->second);
    }
    VACANCY_ASSERT(ids_.size() <= blocks, "a prompt has no more keys than blocks");
    // A partial last block that has no key is shared with nobody; neither is any block of a trace
    // without keys.
    while (ids_.size() < blocks)
      ids_.push_back(next_id_++);
    line_.clear();
    line_ << R"({"timestamp": )" << time / unit << R"(, "input_length": )" << request.prompt_tokens
          << R"(, "output_length": )" << request.output_tokens << R"(, "hash_ids": )" << ids_
          << "}";
    line_.end(out_);
  }

 private:
  std::uint32_t block_size_;
  std::unordered_map<std::uint64_t, std::uint64_t> ids_of_keys_;
  std::uint64_t next_id_ = 0;
  std::vector<std::uint64_t> ids_;
};

}  // namespace

std::unique_ptr<TraceWriter> write_mooncake(const TraceInfo& source,
                                            const TraceWriterOptions& options, std::ostream& out) {
  return std::make_unique<MooncakeWriter>(source, options, out);
}

}  // namespace vacancy
