// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <string>
#include <type_traits>

#include "sim/json/object_reader.hpp"
#include "sim/json/parse.hpp"
#include "sim/serving/profile_file.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

constexpr std::uint64_t longest_sequence = std::uint64_t{1} << 31;

constexpr std::array<FileKey, 11> profile_keys{{
    {"name", "text", "Name shown to people."},
    {"summary", "text", "What the profile does, in one sentence."},
    {"citation", "text", "The engine's version: a commit, a tag, a measurement."},
    {"base", "text", "A built-in profile that holds for whatever this one leaves out."},
    {"hash_chain", "object", "Memory as vLLM manages it: block tables, a map from hashes."},
    {"radix_tree", "object", "Memory as SGLang manages it: a radix tree over pages."},
    {"reuse_tree", "object", "Memory as TensorRT-LLM manages it: a tree of blocks."},
    {"contiguous", "object", "Memory before paging: one run of blocks for each request."},
    {"scheduler", "object", "How steps are composed."},
    {"steps_in_flight", "integer", "2: the next step is composed while the present one runs."},
    {"max_sequence_tokens", "integer", "The longest sequence that the engine serves."},
}};

/// Reads the members of one section and knows afterwards which keys there are.
class ChoiceReader {
 public:
  explicit ChoiceReader(ObjectReader& in) : in_(in) {}

  /// What is absent or wrong leaves the choice as it is.
  template <class T>
  ChoiceReader& take(std::string_view key, T& choice) {
    known_.push_back(key);
    if (!in_.has(key)) return *this;
    if constexpr (std::is_same_v<T, bool>) {
      choice = in_.boolean(key).value_or(choice);
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
      choice = static_cast<std::uint32_t>(in_.integer(key, 0, most).value_or(choice));
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
      constexpr double most = 1e9;
      if (const auto value = in_.number(key, 0, most)) choice = value;
    } else if constexpr (std::is_enum_v<T>) {
      // A value of another type has its fault from text().
      if (const std::string name = in_.text(key); in_[key].is_string())
        choice = in_.choice<T>(key, name).value_or(choice);
    } else {
      typename T::value_type value{};
      take(key, value);
      choice = value;
    }
    return *this;
  }
  /// An integer within bounds, with or without a value so far.
  template <class T>
  ChoiceReader& take(std::string_view key, T& choice, std::uint32_t low, std::uint32_t high) {
    known_.push_back(key);
    if (!in_.has(key)) return *this;
    if (const auto value = in_.integer(key, low, high)) choice = static_cast<std::uint32_t>(*value);
    return *this;
  }
  void refuse_others() { in_.refuse_unknown(known_); }

 private:
  ObjectReader& in_;
  std::vector<std::string_view> known_;
};

void read_choices(ObjectReader& in, HashChainOptions& options) {
  ChoiceReader(in)
      .take("full_sequence_gate", options.full_sequence_gate)
      .take("watermark_blocks", options.watermark_blocks)
      .take("reserve_output", options.reserve_output)
      .take("free_order", options.free_order)
      .take("lookup_after_preemption", options.lookup_after_preemption)
      .take("usage_counts_null_block", options.usage_counts_null_block)
      .take("host_blocks", options.host_blocks)
      .take("host_replacement", options.host_replacement)
      .take("hybrid_groups", options.hybrid_groups)
      .take("sparse_window_hashes", options.sparse_window_hashes)
      .refuse_others();
}

void read_choices(ObjectReader& in, RadixOptions& options) {
  ChoiceReader(in)
      .take("need_sort", options.need_sort)
      .take("evict_shortfall_only", options.cache.evict_shortfall_only)
      .take("host_blocks", options.cache.host.pages)
      .take("host_write", options.cache.host.write)
      .take("host_load_threshold", options.cache.host.load_threshold)
      .refuse_others();
}

void read_choices(ObjectReader& in, ReuseTreeOptions& options) {
  ChoiceReader(in)
      .take("capacity_policy", options.capacity)
      .take("window_share", options.window_share)
      .take("offload_threshold", options.offload_threshold, 0, 100)
      .take("onboarding", options.onboarding)
      .take("partial_reuse", options.partial_reuse)
      .take("copy_on_partial_reuse", options.copy_on_partial_reuse)
      .take("retain_prompt_priority", options.retention.prompt_priority, 0, 100)
      .take("retain_prompt_seconds", options.retention.prompt_seconds)
      .take("retain_prompt_tokens", options.retention.prompt_tokens, 1, full_window)
      .take("retain_decode_priority", options.retention.decode_priority, 0, 100)
      .take("retain_decode_seconds", options.retention.decode_seconds)
      .refuse_others();
}

void read_choices(ObjectReader& in, ContiguousOptions& options) {
  ChoiceReader(in).take("reservation", options.reservation).refuse_others();
}

void read_choices(ObjectReader& in, SchedulerOptions& options) {
  ChoiceReader(in)
      .take("prompts_apart", options.prompts_apart)
      .take("victim", options.victim)
      .take("requeue", options.requeue)
      .refuse_others();
}

template <class Options>
void read_section(ObjectReader& in, std::string_view key, Options& options) {
  auto object = in.object(key);
  if (!object) return;
  read_choices(*object, options);
  in.add(*object);
}

/// The one section that says how memory is managed.
class ManagerReader {
 public:
  ManagerReader(ObjectReader& in, std::string base) : in_(in), base_(std::move(base)) {}

  /// What the base has; to be told of every kind before any is read.
  template <class Options>
  void note_base(std::string_view key, const std::optional<Options>& options) {
    if (options) chosen_ = key;
  }
  template <class Options>
  void read(std::string_view key, std::optional<Options>& options) {
    if (!in_.has(key)) return;
    if (!chosen_.empty() && chosen_ != key) {
      in_.fault(key, base_.empty()
                         ? "contradicts " + std::string(chosen_) +
                               ": a profile manages memory in one way. Remove one of them."
                         : "contradicts the base: " + base_ + " manages memory by " +
                               std::string(chosen_) + ". Change that, or take another base.");
      return;
    }
    chosen_ = key;
    if (!options) options.emplace();
    read_section(in_, key, *options);
  }
  bool found() const { return !chosen_.empty(); }

 private:
  ObjectReader& in_;
  std::string base_;
  std::string_view chosen_;
};

/// The profile that a new one starts from.
EngineProfile read_base(ObjectReader& in, std::string& base) {
  base = in.text("base");
  if (!in.has("base") || !in["base"].is_string()) return {};
  try {
    return engine_profile(base);
  } catch (const UserError& error) {
    in.fault("base", error.what());
    return {};
  }
}

void read_manager(ObjectReader& in, const std::string& base, EngineProfile& profile) {
  ManagerReader manager(in, base);
  manager.note_base("hash_chain", profile.hash_chain);
  manager.note_base("radix_tree", profile.radix);
  manager.note_base("reuse_tree", profile.reuse_tree);
  manager.note_base("contiguous", profile.contiguous);
  manager.read("hash_chain", profile.hash_chain);
  manager.read("radix_tree", profile.radix);
  manager.read("reuse_tree", profile.reuse_tree);
  manager.read("contiguous", profile.contiguous);
  if (!manager.found() && !in.has("base"))
    in.missing("base",
               "the name of a built-in profile (vacancy list engines), unless hash_chain, "
               "radix_tree, reuse_tree or contiguous says how memory is managed");
}

void check_combination(ObjectReader& in, const EngineProfile& profile) {
  if (profile.steps_in_flight > 1 && !profile.hash_chain)
    in.fault("steps_in_flight",
             "two steps in flight are simulated where hash_chain manages the memory. Set 1.");
  if (profile.contiguous && !profile.max_sequence_tokens)
    in.missing("max_sequence_tokens",
               "the longest sequence that the engine serves, because contiguous runs of memory "
               "are as long as that at most");
}

}  // namespace

std::span<const FileKey> engine_profile_keys() {
  return profile_keys;
}

EngineProfile engine_profile_from_json(const nlohmann::json& object, const std::string& place) {
  ObjectReader in(object, place, "an object that describes an engine, such as the built-in ones");
  in.finish();
  std::array<std::string_view, profile_keys.size()> names;
  std::ranges::transform(profile_keys, names.begin(), &FileKey::name);
  in.refuse_unknown(names);

  std::string base;
  EngineProfile profile = read_base(in, base);
  profile.name = in.label("name", "the engine");
  profile.summary = in.text("summary");
  profile.citation = in.text("citation");
  read_manager(in, base, profile);
  read_section(in, "scheduler", profile.scheduler);
  if (const auto steps = in.integer("steps_in_flight", 1, 2))
    profile.steps_in_flight = static_cast<std::uint32_t>(*steps);
  if (const auto tokens = in.integer("max_sequence_tokens", 1, longest_sequence))
    profile.max_sequence_tokens = static_cast<std::uint32_t>(*tokens);
  if (in.faults().empty()) check_combination(in, profile);
  in.finish();
  return profile;
}

EngineProfile engine_profile_from_text(std::string_view text, const std::string& file) {
  return engine_profile_from_json(parse_strict(text, file), file + ": ");
}

}  // namespace vacancy
