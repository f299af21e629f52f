// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/keep_set_reader.hpp"

#include <utility>

#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

/// The model's count behind an axis of `here` entries.
std::uint32_t model_count(std::uint64_t here, std::optional<std::uint64_t> model,
                          const std::string& noun, const std::string& place) {
  const auto range = [&](std::uint64_t count, const std::string& what) {
    if (count < 1 || count > max_recorded_axis)
      throw UserError(place + ": says " + what + "; 1 to " + format_count(max_recorded_axis) +
                      " are read.");
  };
  range(here, counted(here, noun));
  if (!model) return static_cast<std::uint32_t>(here);
  range(*model, "model_" + noun + "s " + format_count(*model));
  if (here != 1 && here != *model)
    throw UserError(place + ": has keep sets of " + counted(here, noun) + " and says model_" +
                    noun + "s " + format_count(*model) + "; give one set for all or one for each.");
  return static_cast<std::uint32_t>(*model);
}

}  // namespace

void KeepSetReader::set_axes(std::uint64_t layers, std::uint64_t heads,
                             std::optional<std::uint64_t> model_layers,
                             std::optional<std::uint64_t> model_heads, const std::string& place) {
  axes_.model_layers = model_count(layers, model_layers, "layer", place);
  axes_.model_heads = model_count(heads, model_heads, "head", place);
  axes_.layers = static_cast<std::uint32_t>(layers);
  axes_.heads = static_cast<std::uint32_t>(heads);
  layers_known_ = model_layers || layers > 1;
  heads_known_ = model_heads || heads > 1;
}

void KeepSetReader::set_model(std::uint32_t layers, std::uint32_t heads, const std::string& model) {
  const auto set = [&](bool known, std::uint32_t& here, std::uint32_t count, const char* noun) {
    if (known && here != count)
      throw UserError(name_ + ": was recorded from a model of " + counted(here, noun) + ", and " +
                      model + " has " + format_count(count) +
                      " that cache tokens; name another --model.");
    here = count;
  };
  set(layers_known_, axes_.model_layers, layers, "layer");
  set(heads_known_, axes_.model_heads, heads, "KV head");
}

void KeepSetReader::announce(std::span<const std::int64_t> lengths,
                             std::optional<std::int64_t> end_length) {
  const auto longest = [&](std::int64_t length) {
    if (length > announced_ && length <= max_recorded_tokens)
      announced_ = static_cast<std::uint32_t>(length);
  };
  for (const std::int64_t length : lengths)
    longest(length);
  if (end_length) longest(*end_length);
}

void KeepSetReader::set_limit(MemoryLimit limit) {
  limit_ = std::move(limit);
  if (const auto fault = excess(announced_)) throw UserError(name_ + ": " + *fault);
}

std::optional<std::string> KeepSetReader::excess(std::uint32_t tokens) const {
  if (!limit_) return std::nullopt;
  const Bytes needed = limit_->needed(axes_, tokens);
  if (needed <= limit_->most) return std::nullopt;
  const auto of_sets = [](std::uint32_t layers, std::uint32_t heads) {
    return counted(layers, "layer") + " × " + counted(heads, "KV head");
  };
  return "has " + counted(tokens, "token") + " in keep sets of " +
         of_sets(axes_.layers, axes_.heads) + ", of a model of " +
         of_sets(axes_.model_layers, axes_.model_heads) + ", which may need " +
         format_bytes(needed) + " of memory, and the limit is " + format_bytes(limit_->most) +
         ". " + limit_->remedy;
}

void KeepSetReader::begin(RecordedStep& step, std::int64_t length, bool evicts) const {
  if (length < 1 || length > max_recorded_tokens)
    fail_length("says a length of " + std::to_string(length) + "; 1 to " +
                format_count(max_recorded_tokens) + " tokens are read.");
  const auto tokens = static_cast<std::uint32_t>(length);
  const std::uint64_t slots =
      std::uint64_t{axes_.model_layers} * axes_.model_heads * tokens;  // below 2^48
  if (slots > max_recorded_slots)
    fail_length("says " + counted(tokens, "token") + ", which in " +
                counted(axes_.model_layers, "layer") + " of " + counted(axes_.model_heads, "head") +
                " are more than the " + format_count(max_recorded_slots) +
                " that are read in all; record fewer layers or a shorter sequence.");
  if (const auto fault = excess(tokens)) fail_length(*fault);
  step.length = tokens;
  step.evicts = evicts;
  step.kept.assign(evicts ? axes_.sets() * bits::words(tokens) : 0, 0);
}

void KeepSetReader::keep(RecordedStep& step, std::uint32_t set, std::int64_t token) const {
  if (token < 0)
    fail_set(set, "keeps the token " + std::to_string(token) +
                      "; tokens are positions, counted from 0.");
  const auto position = static_cast<std::uint64_t>(token);
  if (position >= step.length) fail_beyond(step, set, position);
  const auto mask = step.mask(set);
  if (bits::test(mask, position)) fail_token(set, position, "is kept twice; name it once.");
  bits::set(mask, position);
}

void KeepSetReader::fail_beyond(const RecordedStep& step, std::uint32_t set,
                                std::uint64_t token) const {
  fail_token(set, token,
             "is kept, but the step has " + counted(step.length, "token") +
                 ", counted from 0; correct its length or what it keeps.");
}

void KeepSetReader::fail_step(const std::string& sentence) const {
  throw UserError(step_place() + ": " + sentence);
}

void KeepSetReader::fail_length(const std::string& sentence) const {
  throw UserError(length_place() + ": " + sentence);
}

void KeepSetReader::fail_set(std::uint32_t set, const std::string& sentence) const {
  throw UserError(step_place() + axes_.place_of(set) + ": " + sentence);
}

void KeepSetReader::fail_token(std::uint32_t set, std::uint64_t token,
                               const std::string& sentence) const {
  throw UserError(step_place() + axes_.place_of(set) + ", token " + std::to_string(token) + ": " +
                  sentence);
}

}  // namespace vacancy
