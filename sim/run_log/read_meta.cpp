// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <optional>

#include "sim/json/object_reader.hpp"
#include "sim/json/parse.hpp"
#include "sim/run_log/files.hpp"
#include "sim/units/error.hpp"
#include "sim/workload/trace/byte_source.hpp"

namespace vacancy {
namespace {

constexpr std::size_t max_meta_bytes = std::size_t{1} << 22;
constexpr std::uint64_t max_count = std::numeric_limits<std::uint32_t>::max();

std::string whole_text(const std::filesystem::path& file) {
  const std::string name = file.string();
  try {
    ByteSource bytes(file);
    std::string text(max_meta_bytes + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      const std::size_t got = bytes.read(text.data() + size, text.size() - size);
      if (got == 0) break;
      size += got;
    }
    if (size > max_meta_bytes) throw UserError("is larger than 4 MiB; no run needs that.");
    text.resize(size);
    return text;
  } catch (const UserError& error) {
    throw UserError(name + ": " + error.what());
  }
}

/// A nested object of which only some keys are of interest: an engine's own configuration.
class Section {
 public:
  Section(ObjectReader& outer, std::string_view key) : outer_(outer), inner_(outer.object(key)) {
    if (!inner_) outer.missing(key, "an object");
  }
  ~Section() {
    if (inner_) outer_.add(*inner_);
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  std::uint32_t count(std::string_view key, std::uint64_t low) {
    if (!inner_) return 0;
    return static_cast<std::uint32_t>(inner_->required_integer(key, low, max_count).value_or(low));
  }
  std::string text(std::string_view key) { return inner_ ? inner_->text(key) : std::string(); }
  bool flag(std::string_view key) { return inner_ && inner_->boolean(key).value_or(false); }
  std::optional<Bytes> bytes(std::string_view key) {
    return inner_ ? inner_->bytes(key) : std::nullopt;
  }
  ObjectReader* reader() { return inner_ ? &*inner_ : nullptr; }

 private:
  ObjectReader& outer_;
  std::optional<ObjectReader> inner_;
};

void check_version(ObjectReader& in) {
  constexpr std::uint64_t version = 1;
  if (in.required_integer("schema_version", 0, max_count).value_or(version) != version)
    in.fault("schema_version", "only version 1 of the log is known.");
}

}  // namespace

RunLogMeta read_run_meta(const std::filesystem::path& file) {
  const std::string name = file.string();
  const nlohmann::json json = parse_strict(whole_text(file), name);
  ObjectReader in(json, name + ": ", "an object that describes a measured run");
  in.finish();
  check_version(in);

  RunLogMeta meta;
  meta.model = in.text("model");
  meta.engine = "vLLM " + in.text("vllm_version");
  meta.workload_sha256 = in.text("dataset_hash");
  meta.requests =
      static_cast<std::uint32_t>(in.required_integer("num_requests", 1, max_count).value_or(1));
  constexpr double shortest_tick_s = 0.001, longest_tick_s = 3600, ns_per_second = 1e9;
  const double tick = in.number("tick_seconds", shortest_tick_s, longest_tick_s).value_or(1);
  meta.tick = SimTime(static_cast<std::int64_t>(tick * ns_per_second + 0.5));
  {
    Section hardware(in, "hardware");
    meta.device = hardware.text("device_name");
    meta.device_memory = hardware.bytes("device_total_memory_bytes").value_or(Bytes{});
  }
  {
    Section arguments(in, "engine_kwargs");
    meta.max_num_seqs = arguments.count("max_num_seqs", 1);
    meta.max_num_batched_tokens = arguments.count("max_num_batched_tokens", 1);
  }
  {
    Section cache(in, "kv_cache");
    meta.blocks = cache.count("num_gpu_blocks", 2);
    meta.block_size = cache.count("block_size", 1);
    meta.prefix_caching = cache.flag("enable_prefix_caching");
    const std::uint64_t tokens = std::uint64_t{meta.blocks} * meta.block_size;
    if (ObjectReader* reader = cache.reader();
        reader && reader->has("num_kv_tokens") &&
        reader->integer("num_kv_tokens", 0, ~std::uint64_t{0}).value_or(tokens) != tokens)
      reader->fault("num_kv_tokens",
                    "is not num_gpu_blocks times block_size, " + std::to_string(tokens) + ".");
  }
  if (Section resolved(in, "resolved_config"); resolved.reader()) {
    Section scheduler(*resolved.reader(), "scheduler_config");
    meta.async_scheduling = scheduler.flag("async_scheduling");
    meta.full_sequence_gate = scheduler.flag("scheduler_reserve_full_isl");
  }
  in.finish();
  return meta;
}

}  // namespace vacancy
