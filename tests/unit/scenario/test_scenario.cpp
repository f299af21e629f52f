// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/eviction/registry.hpp"
#include "sim/model/memory.hpp"
#include "sim/model/model_file.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "tests/support/made_filters.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_file.hpp"
#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using vacancy::test::evict_14k_of_16k;
using vacancy::test::fault_of;
using vacancy::test::load;

namespace {

/// A folder that is gone after the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "vacancy-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Sets VACANCY_SHARED_DIR as long as it lives.
class SharedFolder {
 public:
  explicit SharedFolder(const std::filesystem::path& folder) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, folder.c_str(), 1);
  }
  ~SharedFolder() {
    if (before_)
      setenv(name, before_->c_str(), 1);
    else
      unsetenv(name);
  }

 private:
  static constexpr const char* name = "VACANCY_SHARED_DIR";
  std::optional<std::string> before_;
};

const std::string tiny_model =
    R"({"layers": 2, "query_heads": 4, "kv_heads": 2, "head_dim": 8, "kv_dtype": "fp16"})";

}  // namespace

TEST_CASE("a scenario is built as written", "[scenario]") {
  const Scenario scenario = load(evict_14k_of_16k);
  CHECK(scenario.description == "Evicts 14,000 of 16,000 tokens at random.");
  CHECK(scenario.policy == "random");
  CHECK(scenario.notes.empty());

  const SimulationConfig config = build_config(scenario);
  CHECK(config.seed == 0);
  CHECK(config.cache.block_size == 16);
  CHECK_FALSE(config.cache.blocks.has_value());
  CHECK(config.cache.layout.scope() == Scope::model);
  CHECK(config.cache.layout.table_kind() == TableKind::shared);
  CHECK(config.eviction.budget == 2000);
  CHECK(config.eviction.trigger == TriggerKind::once);
  CHECK(config.eviction.once == OnceAt::sequence_end);
  CHECK_FALSE(config.eviction.whole_blocks.has_value());
  CHECK(config.attention == nullptr);
  REQUIRE(config.policy != nullptr);
  REQUIRE(config.reclaimer != nullptr);
  CHECK(config.quality_queries == 32);
  REQUIRE(config.sequences.size() == 1);
  CHECK(config.sequences[0] == SequencePlan{0, 16000});
}

TEST_CASE("defaults are those of the method", "[scenario]") {
  const test::TemporaryFile filters("scenario_filters", test::made_filters(36 * 8, 128));
  for (const PolicyEntry& entry : policies()) {
    INFO(entry.info.name);
    if (entry.info.name == "kvzip") continue;  // random weights are no second reading
    const std::vector<std::string> chosen{"eviction.policy=" + entry.info.name,
                                          "eviction.head_pruning.by=lazy_layers",
                                          "eviction.q_filter.filters=" + filters.path().string()};
    const Scenario scenario = load(R"({"model": "qwen3-8b", "attention": {"source": "random"},
                 "eviction": {"budget": 2048}, "workload": {"output_tokens": 10}})",
                                   chosen);
    CHECK(scenario.cache.layout.scope() == entry.scope);
    CHECK(scenario.eviction.prompt == entry.prompt);
    CHECK(scenario.eviction.trigger == entry.trigger);
    CHECK(scenario.eviction.once == OnceAt::sequence_end);  // no prompt to compress
    const Scenario with_prompt = load(R"({"model": "qwen3-8b", "attention": {"source": "random"},
                 "eviction": {"budget": 2048}, "workload": {"prompt_tokens": 4096}})",
                                      chosen);
    CHECK(with_prompt.eviction.once == entry.once);
  }
}

TEST_CASE("the cache follows the model", "[scenario]") {
  const ModelGeometry qwen = preset("qwen3-32b");
  const std::string text = R"({"model": "qwen3-32b", "cache": {"memory": "6 GiB"},
                               "workload": {"output_tokens": 100}})";
  CHECK(load(text).cache.block_bytes == bytes_per_block(qwen, 16));
  CHECK(load(text).cache.blocks == blocks_in_memory(qwen, Bytes(6ull << 30), 16));
  CHECK(load(text, {"cache.block_size=1"}).cache.blocks == 24576);

  const CacheConfig split = load(text, {"cache.table=per_layer_per_head"}).cache;
  CHECK(split.layout.tables() == 64 * 8);
  CHECK(split.block_bytes == bytes_per_block(qwen, 16, TableSpan::head));
  CHECK(split.blocks == blocks_in_memory(qwen, Bytes(6ull << 30), 16, TableSpan::head));

  const Scenario half = load(text, {"cache.kv_dtype=fp8"});
  CHECK(half.cache.blocks == 2 * 24576 / 16);
  CHECK(half.model.kv_dtype == KvDtype::fp8);
}

TEST_CASE("blocks may be a number, a word, or left out", "[scenario]") {
  const std::string text = R"({"workload": {"output_tokens": 100}})";
  CHECK_FALSE(load(text).cache.blocks.has_value());
  CHECK_FALSE(load(text, {"cache.blocks=unlimited"}).cache.blocks.has_value());
  CHECK(load(text, {"cache.blocks=2587"}).cache.blocks == 2587);
  CHECK(load(text, {"cache.blocks=unlimited", "cache.memory=1GiB"}).cache.blocks.has_value());
}

TEST_CASE("overrides win, make objects, and take JSON or bare words", "[scenario]") {
  const Scenario scenario =
      load(evict_14k_of_16k,
           {"eviction.policy=streaming_llm", "eviction.protect.sinks=8",
            "cache.table=\"per_layer\"", "workload={\"sequences\": 3, \"output_tokens\": 5000}",
            "description=A bare text", "seed=18446744073709551615"});
  CHECK(scenario.policy == "streaming_llm");
  CHECK(scenario.eviction.protect.sinks == 8);
  CHECK(scenario.cache.layout.table_kind() == TableKind::per_layer);
  CHECK(build_config(scenario).sequences.size() == 3);
  CHECK(scenario.description == "A bare text");
  CHECK(scenario.seed == 18446744073709551615u);
}

TEST_CASE("what an option is refused for stands at that option, not at the first one set",
          "[scenario]") {
  const std::string fault =
      fault_of(evict_14k_of_16k,
               {"attention.source=synthetic", "eviction.policy=whole_blocks", "eviction.budget=64",
                "eviction.whole_blocks.aggregate=mean", "eviction.whole_blocks.top_tokens=3"});
  CHECK(fault.rfind("--set eviction.whole_blocks.top_tokens=3: /eviction/whole_blocks/top_tokens: ",
                    0) == 0);
}

TEST_CASE("blocks that stay whole: protected tokens that take more than the budget are told",
          "[scenario]") {
  const auto notes = [](const std::string& budget, const std::string& recent) {
    std::string all;
    for (const std::string& note :
         load(evict_14k_of_16k, {"reclaim.kind=whole_block", "eviction.budget=" + budget,
                                 "eviction.protect.sinks=4", "eviction.protect.recent=" + recent})
             .notes)
      all += note;
    return all;
  };
  // 4 first tokens lie in one block, 34 last ones in up to four: 1 + 16 + 16 + 1.
  CHECK_THAT(notes("64", "34"), Catch::Contains("reach into up to 5 blocks of 16 slots: more than "
                                                "the budget of 64 tokens fills"));
  CHECK_THAT(notes("65", "34"), !Catch::Contains("reach into"));
  CHECK_THAT(notes("64", "33"), !Catch::Contains("reach into"));
}

TEST_CASE("a seed of the command line replaces the file's", "[scenario]") {
  const ScenarioOverrides overrides{{}, 18446744073709551614u};
  const Scenario scenario = load_scenario_text(R"({"seed": 3, "workload": {"output_tokens": 1}})",
                                               "test.json", ".", overrides);
  CHECK(scenario.seed == 18446744073709551614u);
  CHECK(resolved_json(scenario)["seed"].get<std::uint64_t>() == 18446744073709551614u);
}

TEST_CASE("blocks of choices not taken are checked but unused", "[scenario]") {
  const std::string text = R"({"eviction": {"policy": "full", "random": {"chunk_tokens": 64}},
                               "workload": {"output_tokens": 10}})";
  CHECK(load(text).policy == "full");
  CHECK_THAT(fault_of(text, {"eviction.random.chunk_tokens=0"}),
             Catch::Contains("/eviction/random/chunk_tokens"));
}

TEST_CASE("the one round may stand at a length or the end of the prompt", "[scenario]") {
  CHECK(load(evict_14k_of_16k, {"eviction.once.at=9000"}).eviction.once == OnceAt::length);
  CHECK(load(evict_14k_of_16k, {"eviction.once.at=9000"}).eviction.once_length == 9000);
  CHECK(load(evict_14k_of_16k, {"eviction.once.at=prompt_end", "workload.prompt_tokens=4000"})
            .eviction.once == OnceAt::prompt_end);
}

TEST_CASE("lengths may be drawn", "[scenario]") {
  const Scenario scenario = load(
      R"({"seed": 5, "workload": {"sequences": 50,
            "prompt_tokens": {"distribution": "uniform", "min": 10, "max": 20},
            "output_tokens": {"distribution": "geometric", "mean": 50}}})");
  const auto sequences = build_config(scenario).sequences;
  REQUIRE(sequences.size() == 50);
  for (std::uint32_t i = 0; i < 50; ++i) {
    CHECK(sequences[i].prompt_tokens >= 10);
    CHECK(sequences[i].prompt_tokens <= 20);
    CHECK(sequences[i].output_tokens == scenario.output_tokens->draw(5, i, LengthPurpose::output));
  }
}

TEST_CASE("whole-block reclaim joins scopes that are finer than the table", "[scenario]") {
  const auto scope = [](const std::string& wanted, const std::string& table) {
    const Scenario scenario =
        load(evict_14k_of_16k,
             {"reclaim.kind=whole_block", "eviction.scope=" + wanted, "cache.table=" + table});
    CHECK(scenario.eviction.whole_blocks == BlockAggregate::sum);
    const auto used = std::string(enum_name(scenario.cache.layout.scope()));
    CHECK(scenario.notes.empty() == (used == wanted));
    return used;
  };
  CHECK(scope("per_layer_per_head", "shared") == "model");
  CHECK(scope("per_layer", "shared") == "model");
  CHECK(scope("model", "per_layer") == "model");
  CHECK(scope("per_layer", "per_layer") == "per_layer");
  CHECK(scope("per_layer_per_head", "per_layer") == "per_layer");
  CHECK(scope("per_head", "per_layer") == "model");
  CHECK(scope("per_head", "per_layer_per_head") == "per_head");
  CHECK(scope("per_layer_per_head", "per_layer_per_head") == "per_layer_per_head");
}

TEST_CASE("a budget that no sequence exceeds is noted", "[scenario]") {
  const Scenario scenario = load(evict_14k_of_16k, {"eviction.budget=16000"});
  REQUIRE(scenario.notes.size() == 1);
  CHECK_THAT(scenario.notes[0], Catch::Contains("no sequence exceeds the budget of 16,000 tokens"));
  CHECK(load(evict_14k_of_16k, {"eviction.budget=15999"}).notes.empty());
}

TEST_CASE("a pinned prompt that fills the budget is noted", "[scenario]") {
  const Scenario scenario =
      load(evict_14k_of_16k, {"eviction.prompt=pinned_inside", "workload.prompt_tokens=2000"});
  REQUIRE(scenario.notes.size() == 1);
  CHECK_THAT(scenario.notes[0], Catch::Contains("the pinned prompt of 2,000 tokens fills"));
}

TEST_CASE("a note says where whole-block reclaim overrules a method that chooses blocks itself") {
  const auto notes = [](const std::string& policy, const std::string& reclaim) {
    return load(evict_14k_of_16k,
                {"attention.source=random", "eviction.policy=" + policy, "reclaim.kind=" + reclaim})
        .notes;
  };
  REQUIRE(notes("block_h2o", "whole_block").size() == 1);
  CHECK_THAT(notes("block_h2o", "whole_block")[0],
             Catch::Contains("the scores of block_h2o and reclaim.aggregate") &&
                 Catch::Contains("set reclaim.kind to none"));
  CHECK(notes("block_h2o", "none").empty());
  CHECK(notes("random", "whole_block").empty());
}

TEST_CASE("a source with heads of its own brings the model", "[scenario]") {
  const std::string text = R"({"attention": {"source": "synthetic", "synthetic": {"layers": 3,
      "query_heads": 4, "kv_heads": 2}}, "workload": {"output_tokens": 9}})";
  const Scenario scenario = load(text);
  CHECK(scenario.model.kv_layers() == 3);
  CHECK(scenario.model.kv_heads == 2);
  CHECK(load(resolved_json(scenario).dump()).model == scenario.model);
  CHECK_THAT(fault_of(text, {"model=qwen3-8b"}), Catch::Contains("has 3 layers"));
}

TEST_CASE("models come from a name, an object or a file", "[scenario]") {
  const std::string text = R"({"workload": {"output_tokens": 100}})";
  CHECK(load(text).model == preset("qwen3-8b"));
  CHECK(load(text, {"model=llama-3-8b"}).model == preset("llama-3-8b"));
  CHECK(load(text, {"model=null"}).model == preset("qwen3-8b"));

  const Scenario inline_model = load(text, {"model=" + tiny_model});
  CHECK(inline_model.model.kv_layers() == 2);
  CHECK(inline_model.cache.block_bytes == Bytes(16 * 2 * 2 * 2 * 8 * 2));

  const ScratchFolder folder;
  folder.write("tiny.json", tiny_model);
  const auto file =
      folder.write("run.json", R"({"model": "tiny.json", "workload": {"output_tokens": 100}})");
  CHECK(load_scenario(file).model == inline_model.model);
  CHECK(load(text, {"model=" + (folder.path() / "tiny.json").string()}).model ==
        inline_model.model);
}

TEST_CASE("faults inside a model have their own lines", "[scenario]") {
  const std::string text =
      "{\"workload\": {\"output_tokens\": 1},\n\"model\": {\"layers\": 2,\n"
      "\"query_heads\": 4,\n\"kv_heads\": 3, \"head_dim\": 8}}";
  CHECK_THAT(fault_of(text), Catch::StartsWith("test.json:4: /model/kv_heads: "));

  const ScratchFolder folder;
  const auto model = folder.write("model.json", "{\n\"layers\": 0\n}");
  const std::string message =
      fault_of(R"({"workload": {"output_tokens": 1}})", {"model=" + model.string()});
  CHECK_THAT(message, Catch::Contains(model.string() + ":2: /layers: "));
  CHECK_THAT(message, Catch::Contains(model.string() + ":1: /head_dim: "));
}

TEST_CASE("the resolved scenario is complete and gives the same run", "[scenario]") {
  const std::vector<std::vector<std::string>> variants = {
      {},
      {"seed=18446744073709551615", "cache.memory=6 GiB"},
      {"cache.blocks=2000", "eviction.trigger=usage", "eviction.usage.arm=0.95"},
      {"reclaim.kind=whole_block", "reclaim.aggregate=top4", "eviction.scope=per_head"},
      {"model=" + tiny_model, "attention.source=random", "eviction.policy=snapkv"},
      {"workload.prompt_tokens={\"distribution\":\"lognormal\",\"median\":99.5}",
       "workload.sequences=5", "eviction.once.at=100"},
      {"eviction.policy=full", "eviction.h2o={}", "quality.queries=0", "cache.kv_dtype=int8"},
      {"eviction.policy=keep_list", "eviction.keep_list.tokens=0-3,17"},
  };
  for (const auto& assignments : variants) {
    const Scenario first = load(evict_14k_of_16k, assignments);
    const std::string text = resolved_json(first).dump(2);
    INFO(text);
    const Scenario second = load(text);
    CHECK(resolved_json(second).dump(2) == text);
    CHECK(second.seed == first.seed);
    CHECK(second.model == first.model);
    CHECK(second.cache.blocks == first.cache.blocks);
    CHECK(second.cache.block_bytes == first.cache.block_bytes);
    CHECK(second.cache.layout.scope() == first.cache.layout.scope());
    CHECK(second.eviction.trigger == first.eviction.trigger);
    CHECK(second.eviction.once == first.eviction.once);
    CHECK(second.eviction.once_length == first.eviction.once_length);
    CHECK(second.eviction.whole_blocks == first.eviction.whole_blocks);
    CHECK(build_config(second).sequences == build_config(first).sequences);
    for (const char* key : {"scope", "trigger", "prompt", "interval", "budget", "protect"})
      CHECK(resolved_json(first)["eviction"].contains(key));
  }
}

TEST_CASE("paths start at the file, in overrides at the working directory", "[scenario]") {
  CHECK(anchored_path("a/../b.bin", "/runs") == "/runs/b.bin");
  CHECK(anchored_path("/abs/b.bin", "/runs") == "/abs/b.bin");
  CHECK(anchored_path("shared:x/y", "/runs") == "shared:x/y");
  CHECK(anchored_path("b.bin", ".") == (std::filesystem::current_path() / "b.bin").string());

  const ScratchFolder folder;
  const auto file =
      folder.write("run.json", R"({"attention": {"real": {"checkpoint": "weights.bin"}},
                      "workload": {"output_tokens": 1}})");
  CHECK(resolved_json(load_scenario(file))["attention"]["real"]["checkpoint"] ==
        (folder.path() / "weights.bin").string());
  CHECK(resolved_json(load_scenario(file, {{"attention.real.checkpoint=weights.bin"},
                                           {}}))["attention"]["real"]["checkpoint"] ==
        (std::filesystem::current_path() / "weights.bin").string());
}

TEST_CASE("absent shared data are a note, and an error only when it runs", "[scenario]") {
  const ScratchFolder folder;
  const SharedFolder shared(folder.path());
  CHECK(located_path("shared:a/b") == folder.path() / "a/b");

  const Scenario scenario = load(R"({"attention": {"source": "real"},
      "eviction": {"policy": "h2o", "budget": 64}, "workload": {"output_tokens": 512}})");
  REQUIRE(scenario.notes.size() == 1);
  CHECK_THAT(scenario.notes[0],
             Catch::Contains("shared:") && Catch::Contains("VACANCY_SHARED_DIR"));
  CHECK_THROWS_WITH(build_config(scenario), Catch::Contains("VACANCY_SHARED_DIR"));

  const Scenario model = load(R"({"model": "shared:m.json", "workload": {"output_tokens": 1}})");
  CHECK_THROWS_WITH(build_config(model), Catch::Contains("shared:m.json"));
  CHECK(load("{\"model\": \"shared:" + std::string(5000, 'm') +
             "\", \"workload\": {\"output_tokens\": 1}}")
            .obstacle.has_value());
  folder.write("m.json", tiny_model);
  CHECK(load(R"({"model": "shared:m.json", "workload": {"output_tokens": 1}})").model.kv_heads ==
        2);
}

TEST_CASE("a real model is the truth about its own heads", "[scenario]") {
  const auto checkpoint = test::shared_file("data/stories260K/stories260K.bin");
  if (!checkpoint) return;
  const std::string text = R"({"attention": {"source": "real"},
      "eviction": {"policy": "h2o", "budget": 64, "trigger": "once"},
      "workload": {"sequences": 2, "output_tokens": 512}})";
  const Scenario scenario = load(text);
  CHECK(scenario.model.kv_layers() == 5);
  CHECK(scenario.model.kv_heads == 4);
  CHECK(scenario.cache.layout.policy_sets() == 20);
  CHECK(build_config(scenario).attention != nullptr);
  CHECK(load(resolved_json(scenario).dump()).model == scenario.model);

  CHECK(load(text, {"model=stories260k"}).model == preset("stories260k"));
  CHECK_THAT(fault_of(text, {"model=qwen3-8b"}),
             Catch::Contains("--set model=qwen3-8b: /model: ") && Catch::Contains("5 layers"));
  CHECK_THAT(fault_of(text, {"workload.output_tokens=513"}),
             Catch::Contains("/workload: ") && Catch::Contains("512 tokens"));
}

TEST_CASE("a text is read twice only where the source can, and as far as it goes", "[scenario]") {
  const std::string text = R"({"attention": {"source": "real"},
      "eviction": {"policy": "kvzip", "budget": 64},
      "workload": {"prompt_tokens": 256, "output_tokens": 100}})";
  CHECK_THAT(fault_of(text, {"attention.source=random", "model=qwen3-8b"}),
             Catch::Contains("needs attention of a second reading") &&
                 Catch::Contains("Set attention.source to one of real."));
  if (!test::shared_file("data/stories260K/stories260K.bin")) return;
  CHECK(load(text).eviction_policy != nullptr);
  CHECK_THAT(fault_of(text, {"workload.prompt_tokens=257"}),
             Catch::Contains("/workload: ") && Catch::Contains("257 tokens twice") &&
                 Catch::Contains("at most 256 tokens"));
  CHECK_THAT(fault_of(text, {"eviction.once.at=end"}), Catch::Contains("356 tokens twice"));
  CHECK_THAT(fault_of(text, {"eviction.trigger=slack"}), Catch::Contains("356 tokens twice"));
  CHECK(load(text, {"eviction.once.at=200"}).eviction_policy != nullptr);
  CHECK_THAT(fault_of(text, {"eviction.once.at=300"}), Catch::Contains("300 tokens twice"));
  CHECK_THAT(fault_of(R"({"attention": {"source": "real"}, "model": "stories260k",
      "cache": {"blocks": 100}, "engine": {"profile": "vllm-main-2026-08"},
      "eviction": {"policy": "kvzip", "budget": 64},
      "workload": {"sequences": 2, "prompt_tokens": 100, "output_tokens": 20}})"),
             Catch::Contains("for sequences in lockstep only"));
}
