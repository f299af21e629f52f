// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "sim/keep_sets/keep_set_writer.hpp"

namespace vacancy {

namespace {

class LineWriter final : public KeepSetWriter {
 public:
  LineWriter(std::ostream& out, const KeepSetAxes& axes) : out_(out), axes_(axes) {}

  void step(std::uint32_t length, std::span<const std::vector<std::uint32_t>> kept) override {
    begin(length);
    line_ += ", \"keep\": ";
    if (axes_.sets() == 1) {
      add(kept.front());
    } else {
      for (std::uint32_t set = 0; set < axes_.sets(); ++set) {
        const bool first_head = set % axes_.heads == 0;
        line_ += set == 0 ? "[[" : first_head ? "], [" : ", ";
        add(kept[set]);
      }
      line_ += "]]";
    }
    out_ << line_ << "}\n";
    length_ = length;
  }

  void finish(std::uint32_t end_length) override {
    if (end_length == length_) return;
    begin(end_length);
    out_ << line_ << "}\n";
  }

 private:
  void begin(std::uint32_t length) {
    line_ = "{\"length\": " + std::to_string(length);
    if (first_)
      line_ += ", \"model_layers\": " + std::to_string(axes_.model_layers) +
               ", \"model_heads\": " + std::to_string(axes_.model_heads);
    first_ = false;
  }
  void add(const std::vector<std::uint32_t>& tokens) {
    line_ += '[';
    for (std::size_t i = 0; i < tokens.size(); ++i)
      line_.append(i > 0 ? ", " : "").append(std::to_string(tokens[i]));
    line_ += ']';
  }

  std::ostream& out_;
  KeepSetAxes axes_;
  std::string line_;
  std::uint32_t length_ = 0;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<KeepSetWriter> write_keep_lines(std::ostream& out, const KeepSetAxes& axes) {
  return std::make_unique<LineWriter>(out, axes);
}

}  // namespace vacancy
