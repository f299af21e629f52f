// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/loss_book.hpp"
#include "sim/workload/trace/writers.hpp"

namespace vacancy {

namespace {

class LlmServingSimWriter final : public LossBook {
 public:
  LlmServingSimWriter(const TraceInfo& source, const TraceWriterOptions& options, std::ostream& out)
      : LossBook("llmservingsim", options, out), token_ids_(source.token_ids) {
    // Keys that were made from the token ids are still in them.
    if (source.block_size > 0 && !token_ids_) lose_always(TraceLoss::block_keys);
  }

  void write(const TraceRequest& request) override {
    count_request();
    line_.clear();
    line_ << R"({"input_toks": )" << request.prompt_tokens << R"(, "output_toks": )"
          << request.output_tokens << R"(, "arrival_time_ns": )" << request.arrival.value();
    if (token_ids_)
      line_ << R"(, "input_tok_ids": )" << request.prompt_ids << R"(, "output_tok_ids": )"
            << request.output_ids;
    line_ << "}";
    line_.end(out_);
  }

 private:
  bool token_ids_;
};

}  // namespace

std::unique_ptr<TraceWriter> write_llmservingsim(const TraceInfo& source,
                                                 const TraceWriterOptions& options,
                                                 std::ostream& out) {
  return std::make_unique<LlmServingSimWriter>(source, options, out);
}

}  // namespace vacancy
