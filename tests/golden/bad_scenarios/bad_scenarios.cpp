// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/bad_scenarios/bad_scenarios.hpp"

#include <utility>

namespace vacancy::test {

namespace {

using namespace std::string_literals;

/// Good but for what `inner` adds in its second line.
std::string with(const std::string& inner) {
  return "{\"workload\": {\"output_tokens\": 100},\n" + inner + "\n}";
}

BadScenario text_case(std::string name, std::string text, std::string line, std::string pointer,
                      std::vector<std::string> words) {
  return {std::move(name),
          std::move(text),
          {},
          {{std::move(line), std::move(pointer), std::move(words)}}};
}

/// A fault in the second line of an otherwise good scenario.
BadScenario value_case(std::string name, const std::string& inner, std::string pointer,
                       std::vector<std::string> words) {
  return text_case(std::move(name), with(inner), "2", std::move(pointer), std::move(words));
}

/// A fault in the second line, of the workload of an engine.
BadScenario served_case(std::string name, const std::string& inner, std::string pointer,
                        std::vector<std::string> words) {
  return text_case(std::move(name),
                   "{\"engine\": {\"profile\": \"vllm-0.10.0\"}, \"workload\": {\"source\": "
                   "\"independent\",\n" +
                       inner + "}}",
                   "2", std::move(pointer), std::move(words));
}

/// A fault in the second line of a scenario of an engine that is good but for it.
BadScenario engine_case(std::string name, const std::string& profile, const std::string& inner,
                        std::string pointer, std::vector<std::string> words) {
  const std::string text =
      "{\"cache\": {\"blocks\": 1000}, \"workload\": {\"source\": \"independent\"},\n" + inner +
      "\n}";
  return {std::move(name),
          text,
          {"engine.profile=" + profile},
          {{"2", std::move(pointer), std::move(words)}}};
}

/// The same in a scenario of TensorRT-LLM that is good with `model`.
BadScenario reuse_tree_case(std::string name, const std::string& model, const std::string& engine,
                            std::string pointer, std::vector<std::string> words) {
  const std::string text = "{\"cache\": {\"blocks\": 1000}, \"model\": \"" + model +
                           "\", \"workload\": {\"source\": \"independent\"}, \"engine\":\n"
                           "{\"profile\": \"trtllm-2026-08\", " +
                           engine + "}}";
  return text_case(std::move(name), text, "2", std::move(pointer), std::move(words));
}

BadScenario set_case(std::string name, const std::string& assignment, std::string pointer,
                     std::vector<std::string> words) {
  return {std::move(name),
          with("\"seed\": 1"),
          {assignment},
          {{"--set " + assignment, std::move(pointer), std::move(words)}}};
}

std::string nested(int levels) {
  std::string pointer;
  for (int i = 0; i < levels; ++i)
    pointer += "/0";
  return pointer;
}

std::vector<BadScenario> no_json() {
  return {
      text_case("empty file", "", "1", "/", {"is empty", "JSON object"}),
      text_case("blank file", " \n\n ", "3", "/", {"not valid JSON", "ends too early"}),
      text_case("only a comment", "// nothing\n", "2", "/", {"unexpected end of input"}),
      text_case("binary",
                "\x7F"
                "ELF\x02\x01\x01\x00\x00"s,
                "1", "/", {"byte 0x02 at offset 4", "UTF-8"}),
      text_case("NUL behind the end", "{\"seed\": 1}\n\0{}"s, "2", "/", {"byte 0x00", "offset 12"}),
      text_case("NUL in a text", "{\"description\": \"a\0b\"}"s, "1", "/", {"byte 0x00"}),
      text_case("control character in a comment", "{} // \x1B[31m", "1", "/", {"byte 0x1b"}),
      text_case("UTF-16", "\xFF\xFE{\0}\0"s, "1", "/", {"byte 0x00", "UTF-8"}),
      text_case("half a byte order mark", "\xEF\xBB{}", "1", "/", {"BOM"}),
      text_case("not UTF-8 in a text", "{\n\"description\": \"\xC3(\"}", "2", "/description",
                {"ill-formed UTF-8"}),
      text_case("an array", "[]", "1", "/", {"a scenario is an object", "not an array"}),
      text_case("a text", "\n\"x\"", "2", "/", {"a scenario is an object", "not a text"}),
      text_case("null", "null", "1", "/", {"a scenario is an object", "not null"}),
      text_case("truncated in an object", "{\n\"cache\": {\"block_size\": 16", "2",
                "/cache/block_size", {"unexpected end of input", "ends too early"}),
      text_case("truncated in a key", "{\"cache\": {\"block_si", "1", "/cache",
                {"missing closing quote"}),
      text_case("truncated behind a key", "{\"seed\"", "1", "/seed", {"expected ':'"}),
      text_case("truncated in a comment", "{/* to be continued", "1", "/",
                {"missing closing '*/'"}),
      text_case("trailing garbage", "{}\n}", "2", "/", {"expected end of input"}),
      text_case("two documents", "{} {}", "1", "/", {"expected end of input"}),
      text_case("trailing comma", "{\"seed\": 1,\n}", "2", "/seed",
                {"unexpected '}'", "Remove the comma"}),
      text_case("single quotes", "{'seed': 1}", "1", "/", {"invalid literal"}),
      text_case("key without quotes", "{seed: 1}", "1", "/", {"invalid literal"}),
      text_case("missing colon", "{\"seed\" 1}", "1", "/seed", {"expected ':'"}),
      text_case("misspelled literal", "{\"seed\": nul}", "1", "/seed", {"invalid literal"}),
      text_case("not a number", "{\"seed\": NaN}", "1", "/seed", {"invalid literal"}),
      text_case("hexadecimal", "{\"seed\": 0x10}", "1", "/seed", {"expected '}'"}),
      text_case("leading zero", "{\"seed\": 01}", "1", "/seed", {"expected '}'"}),
      text_case("lone surrogate", "{\"description\": \"\\ud800\"}", "1", "/description",
                {"surrogate"}),
      text_case("line break in a text", "{\"description\": \"a\nb\"}", "1", "/description",
                {"control character"}),
      text_case("deep nesting", "{\"model\": " + std::string(100'000, '['), "1",
                "/model" + nested(27) + "…", {"deeper than 64 levels"}),
      text_case("huge file", std::string(5 << 20, ' '), "1", "/", {"larger than 4 MiB"}),
      text_case("number beyond double", "{\"seed\":\n1e400}", "2", "/seed",
                {"\"1e400\" is too large"}),
      text_case("integer of 30 digits", with("\"seed\": 123456789012345678901234567890"), "2",
                "/seed", {"does not fit into 64 bits"}),
      text_case("duplicate key", with("\"seed\": 1, \"seed\": 1"), "2", "/seed",
                {"stands twice", "line 2"}),
      text_case("duplicate section", with("\"cache\": {},\n\"cache\": {}"), "3", "/cache",
                {"stands twice", "line 2"}),
      text_case("duplicate key by escape", with("\"seed\": 1, \"s\\u0065ed\": 2"), "2", "/seed",
                {"stands twice"}),
  };
}

std::vector<BadScenario> wrong_values() {
  return {
      value_case("unknown section", "\"cahce\": {}", "/cahce",
                 {"is not a key", "Did you mean \"cache\"?"}),
      value_case("unknown key", "\"cache\": {\"blok_size\": 16}", "/cache/blok_size",
                 {"is not a key of \"cache\"", "Did you mean \"block_size\"?"}),
      value_case("key in the wrong section", "\"budget\": 5", "/budget",
                 {"belongs into \"eviction\""}),
      value_case("unlike any key", "\"cache\": {\"zzzzzz\": 1}", "/cache/zzzzzz",
                 {"Known keys: block_size, blocks"}),
      value_case("key of a later version", "\"tiers\": {\"host\": 4}", "/tiers",
                 {"is not a key of a scenario"}),
      value_case("wrong case", "\"Seed\": 1", "/Seed", {"Did you mean \"seed\"?"}),
      value_case("empty key", "\"\": 1", "/", {"\"\" is not a key"}),
      value_case("unknown policy parameter", "\"eviction\": {\"random\": {\"chunk\": 4}}",
                 "/eviction/random/chunk", {"is not a key of \"eviction.random\""}),
      value_case("section that is a number", "\"cache\": 16", "/cache",
                 {"expected an object", "got 16"}),
      value_case("section that is null", "\"cache\": null", "/cache", {"expected an object"}),
      value_case("section that is an array", "\"eviction\": []", "/eviction",
                 {"expected an object", "an array"}),
      value_case("text for an integer", "\"cache\": {\"block_size\": \"16\"}", "/cache/block_size",
                 {"from 1 to 4096", "the text \"16\"", "without quotes"}),
      value_case("fraction for an integer", "\"cache\": {\"block_size\": 3.9}", "/cache/block_size",
                 {"expected an integer", "got 3.9", "without a point"}),
      value_case("exponent for an integer", "\"cache\": {\"block_size\": 1e2}", "/cache/block_size",
                 {"expected an integer", "exponent"}),
      value_case("null for an integer", "\"cache\": {\"block_size\": null}", "/cache/block_size",
                 {"expected an integer", "got null"}),
      value_case("boolean for an integer", "\"cache\": {\"block_size\": true}", "/cache/block_size",
                 {"expected an integer", "got true"}),
      value_case("zero block size", "\"cache\": {\"block_size\": 0}", "/cache/block_size",
                 {"from 1 to 4096", "got 0"}),
      value_case("block size too large", "\"cache\": {\"block_size\": 4097}", "/cache/block_size",
                 {"from 1 to 4096", "got 4097"}),
      value_case("-1 for unsigned", "\"seed\": -1", "/seed", {"at least 0", "got -1"}),
      value_case("beyond 32 bits", "\"quality\": {\"queries\": 4294967296}", "/quality/queries",
                 {"4294967295", "got 4294967296"}),
      value_case("-1 blocks", "\"cache\": {\"blocks\": -1}", "/cache/blocks",
                 {"from 1 to", "unlimited", "got -1"}),
      value_case("misspelled word", "\"cache\": {\"blocks\": \"unlimitd\"}", "/cache/blocks",
                 {"Did you mean \"unlimited\"?"}),
      value_case("memory without a number", "\"cache\": {\"memory\": \"lots\"}", "/cache/memory",
                 {"lots"}),
      value_case("memory with a strange unit", "\"cache\": {\"memory\": \"6 GiX\"}",
                 "/cache/memory", {"GiX"}),
      value_case("negative memory", "\"cache\": {\"memory\": -5}", "/cache/memory", {"got -5"}),
      value_case("memory in an array", "\"cache\": {\"memory\": [6]}", "/cache/memory",
                 {"expected bytes", "an array"}),
      value_case("misspelled policy", "\"eviction\": {\"policy\": \"h20\"}", "/eviction/policy",
                 {"one of full, random", "Did you mean \"h2o\"?"}),
      value_case("policy by number", "\"eviction\": {\"policy\": 2}", "/eviction/policy",
                 {"expected one of", "got 2"}),
      value_case("misspelled scope", "\"eviction\": {\"scope\": \"per-layer\"}", "/eviction/scope",
                 {"Did you mean \"per_layer\"?"}),
      value_case("misspelled table", "\"cache\": {\"table\": \"shred\"}", "/cache/table",
                 {"shared, per_layer, per_layer_per_head", "Did you mean \"shared\"?"}),
      value_case("unknown cache format", "\"cache\": {\"kv_dtype\": \"fp12\"}", "/cache/kv_dtype",
                 {"one of bf16"}),
      value_case("negative budget", "\"eviction\": {\"budget\": -2048}", "/eviction/budget",
                 {"from 1 to", "got -2048"}),
      value_case("share above 1", "\"eviction\": {\"usage\": {\"arm\": 1.5}}",
                 "/eviction/usage/arm", {"a number from 0 to 1", "got 1.5"}),
      value_case("text for a number", "\"eviction\": {\"usage\": {\"arm\": \"0.9\"}}",
                 "/eviction/usage/arm", {"without quotes"}),
      value_case("word for once.at", "\"eviction\": {\"once\": {\"at\": \"prompt\"}}",
                 "/eviction/once/at", {"method, prompt_end, end"}),
      value_case("description that is no text", "\"description\": 7", "/description",
                 {"expected a text", "got 7"}),
      value_case("empty path", "\"attention\": {\"real\": {\"checkpoint\": \"\"}}",
                 "/attention/real/checkpoint", {"expected a path"}),
      value_case("path with a NUL", "\"attention\": {\"real\": {\"checkpoint\": \"a\\u0000b\"}}",
                 "/attention/real/checkpoint", {"expected a path", "a\\u0000b"}),
      value_case("unknown source", "\"attention\": {\"source\": \"reel\"}", "/attention/source",
                 {"Did you mean \"real\"?"}),
      value_case("unknown way to reclaim", "\"reclaim\": {\"kind\": \"slied\"}", "/reclaim/kind",
                 {"Did you mean \"slide\"?"}),
      value_case("shared blocks of a reclaimer that moves nothing",
                 "\"reclaim\": {\"kind\": \"none\", \"shared\": \"refuse\"}", "/reclaim/shared",
                 {"none moves none", "slide, fill_holes or fullest_blocks"}),
      value_case("shared blocks and copy_out",
                 "\"reclaim\": {\"kind\": \"copy_out\", \"shared\": \"unshare\"}",
                 "/reclaim/shared", {"copy_out copies them out"}),
      value_case("thresholds of moves that there are none of",
                 "\"reclaim\": {\"kind\": \"whole_block\", \"min_blocks\": 2}",
                 "/reclaim/min_blocks", {"whole_block moves none"}),
      value_case("shared blocks without an engine",
                 "\"eviction\": {\"policy\": \"random\", \"budget\": 50}, \"reclaim\": "
                 "{\"kind\": \"slide\", \"shared\": \"unshare\"}",
                 "/reclaim/shared", {"here none are", "engine.profile"}),
      value_case("preemption for copies without an engine",
                 "\"eviction\": {\"policy\": \"random\", \"budget\": 50}, \"reclaim\": "
                 "{\"kind\": \"copy_out\", \"copy_out\": {\"when_full\": \"preempt\"}}",
                 "/reclaim/copy_out/when_full", {"here none are shared"}),
      value_case("unknown aggregate", "\"reclaim\": {\"aggregate\": \"median\"}",
                 "/reclaim/aggregate", {"sum, mean, max, top4"}),
      value_case("unknown model", "\"model\": \"qwen3-9b\"", "/model",
                 {"no built-in model", "Did you mean"}),
      value_case("empty name of a model", "\"model\": \"\"", "/model",
                 {"built-in model", "got the text"}),
      value_case("missing model file", "\"model\": \"none.json\"", "/model", {"no such file"}),
      value_case("file name that no system allows",
                 "\"model\": \"" + std::string(5000, 'm') + ".json\"", "/model", {"too long"}),
      value_case("model that is a folder", "\"model\": \"./\"", "/model", {"is a folder"}),
      value_case("model by number", "\"model\": 8", "/model", {"built-in model", "got 8"}),
      value_case("unknown key of a model",
                 "\"model\": {\"layers\": 1, \"query_heads\": 1, \"kv_heads\": 1, \"head_dim\": 1,"
                 " \"kv_head\": 1}",
                 "/model/kv_head", {"Did you mean \"kv_heads\"?"}),
      value_case("heads that do not divide",
                 "\"model\": {\"layers\": 1, \"query_heads\": 4, \"kv_heads\": 3, \"head_dim\": 1}",
                 "/model/kv_heads", {"does not divide"}),
      value_case("unknown engine", "\"engine\": {\"profile\": \"vllm-0.19\"}", "/engine/profile",
                 {"expected one of none, ", "Did you mean \"vllm-0.19.0\"?"}),
      value_case("engine by number", "\"engine\": {\"profile\": 19}", "/engine/profile",
                 {"a file, or an object, got 19"}),
      value_case("missing engine file", "\"engine\": {\"profile\": \"none.json\"}",
                 "/engine/profile", {"no such file"}),
      value_case("unknown key of an engine",
                 "\"engine\": {\"profile\": {\"base\": \"vllm-0.10.0\", \"hash_chains\": {}}}",
                 "/engine/profile/hash_chains", {"Did you mean \"hash_chain\"?"}),
      value_case("unknown base of an engine",
                 "\"engine\": {\"profile\": {\"base\": \"mine.json\"}}", "/engine/profile/base",
                 {"no built-in engine profile"}),
      value_case("choice of an engine by number",
                 "\"engine\": {\"profile\": {\"hash_chain\": {\"free_order\": 1}}}",
                 "/engine/profile/hash_chain/free_order", {"expected text, got 1"}),
      value_case("engine with two memory managers",
                 "\"engine\": {\"profile\": {\"hash_chain\": {}, \"reuse_tree\": {}}}",
                 "/engine/profile/reuse_tree", {"contradicts hash_chain", "Remove one"}),
      value_case("engine without a memory manager", "\"engine\": {\"profile\": {}}",
                 "/engine/profile/base", {"is missing", "vacancy list engines"}),
      value_case("missing checkpoint",
                 "\"attention\": {\"source\": \"real\", \"real\": {\"checkpoint\": \"none.bin\"}}",
                 "/attention/real", {"none.bin"}),
      text_case("negative length", "{\"workload\": {\"output_tokens\": -1}}", "1",
                "/workload/output_tokens", {"from 0 to 1073741824", "got -1"}),
      text_case("length too long", "{\"workload\": {\"output_tokens\": 1073741825}}", "1",
                "/workload/output_tokens", {"got 1073741825"}),
      text_case("no sequences", "{\"workload\": {\"output_tokens\": 1, \"sequences\": 0}}", "1",
                "/workload/sequences", {"from 1 to 1000000"}),
      text_case("distribution without a name", "{\"workload\": {\"output_tokens\": {\"min\": 3}}}",
                "1", "/workload/output_tokens", {"\"distribution\" is missing", "uniform"}),
      text_case("unknown distribution",
                "{\"workload\": {\"output_tokens\": {\"distribution\": \"unifrom\"}}}", "1",
                "/workload/output_tokens/distribution", {"Did you mean \"uniform\"?"}),
      text_case("parameter of another distribution",
                "{\"workload\": {\"output_tokens\": {\"distribution\": \"uniform\",\n"
                "\"sigma\": 2}}}",
                "2", "/workload/output_tokens/sigma", {"is not a key", "Known keys: distribution"}),
  };
}

std::vector<BadScenario> contradictions() {
  const std::string random = "\"eviction\": {\"policy\": \"random\", ";
  const std::string real_own = "\"attention\": {\"source\": \"real\", \"trajectory\": \"own\"}";
  return {
      text_case("nothing to do", "{}", "1", "/workload", {"have no tokens", "output_tokens"}),
      text_case("lengths that can only be zero",
                "{\"workload\": {\"output_tokens\": {\"distribution\": \"uniform\", \"min\": 0, "
                "\"max\": 0}}}",
                "1", "/workload", {"have no tokens"}),
      text_case("minimum above maximum",
                "{\"workload\": {\"output_tokens\": {\"distribution\": \"uniform\", \"min\": 9, "
                "\"max\": 8}}}",
                "1", "/workload/output_tokens", {"min 9 exceeds max 8"}),
      served_case("sequences beside requests", "\"sequences\": 3", "/workload/sequences",
                  {"workload.source", "Remove it"}),
      served_case("lengths beside requests", "\"output_tokens\": 3", "/workload/output_tokens",
                  {"without an engine"}),
      served_case("trace beside made requests", "\"trace\": {\"path\": \"x.csv\"}",
                  "/workload/trace/path", {"workload.source to trace"}),
      engine_case("swap room without swapping", "vllm-0.10.0", "\"serving\": {\"swap_blocks\": 4}",
                  "/serving/swap_blocks", {"serving.preemption to swap"}),
      engine_case("window of no window", "vllm-0.10.0", "\"serving\": {\"window\": 4}",
                  "/serving/window", {"active_window"}),
      engine_case("rule of two steps for one", "vllm-0.10.0",
                  "\"serving\": {\"run_past_end\": true}", "/serving/run_past_end",
                  {"engine.steps_in_flight to 2"}),
      engine_case("rule of bare caches for an engine", "vllm-0.10.0",
                  "\"prefix\": {\"touch\": \"reverse\"}", "/prefix/touch", {"block_replay"}),
      served_case("rate that nothing is drawn at", "\"rate\": 2", "/workload/rate",
                  {"poisson", "workload.multi_turn.rate"}),
      served_case("burstiness of other arrivals",
                  "\"arrivals\": \"poisson\", \"rate\": 2, \"burstiness\": 3",
                  "/workload/burstiness", {"gamma"}),
      served_case("concurrency of other arrivals", "\"concurrency\": 3", "/workload/concurrency",
                  {"closed_loop"}),
      value_case("moment of another trigger",
                 random + "\"budget\": 64, \"trigger\": \"slack\", \"once\": {\"at\": 5}}",
                 "/eviction/once/at", {"trigger once", "slack"}),
      value_case("no budget", random + "\"interval\": 64}", "/eviction/budget",
                 {"is missing", "random"}),
      value_case("budget smaller than protection",
                 random + "\"budget\": 64, \"protect\": {\"sinks\": 4, \"recent\": 64}}",
                 "/eviction/budget", {"64 tokens", "4 first tokens", "Raise the budget"}),
      value_case("budget equal to protection",
                 random + "\"budget\": 64, \"protect\": {\"recent\": 64}}", "/eviction/budget",
                 {"nothing to choose"}),
      value_case("protection whose sum overflows 32 bits",
                 random + "\"budget\": 64, \"protect\": {\"sinks\": 2147483648, \"recent\": "
                          "2147483648}}",
                 "/eviction/budget", {"nothing to choose"}),
      value_case("scores without a source", "\"eviction\": {\"policy\": \"h2o\", \"budget\": 64}",
                 "/eviction/policy", {"needs attention weights", "source none", "random"}),
      value_case("blocks and memory", "\"cache\": {\"blocks\": 100, \"memory\": \"6GiB\"}",
                 "/cache/memory", {"contradicts cache.blocks"}),
      value_case("no memory", "\"cache\": {\"memory\": 0}", "/cache/memory",
                 {"cannot hold one token", "Enlarge"}),
      value_case("memory below one block", "\"cache\": {\"memory\": \"1 MiB\"}", "/cache/memory",
                 {"a pool of 0 blocks of 2.25 MiB"}),
      value_case("fewer blocks than tables",
                 "\"cache\": {\"blocks\": 35, \"table\": \"per_layer\"}", "/cache/blocks",
                 {"36 block tables"}),
      value_case("more slots than can be kept",
                 "\"cache\": {\"blocks\": 67108864, \"block_size\": 4096}", "/cache/blocks",
                 {"exceeds the limit"}),
      text_case(
          "bytes beyond 64 bits",
          "{\"workload\": {\"prompt_tokens\": 1073741824}, \"cache\": {\"block_size\": 4096},\n"
          "\"model\": {\"layers\": 4096, \"query_heads\": 4096, \"kv_heads\": 4096, "
          "\"head_dim\": 65536}}",
          "2", "/model", {"2^64 - 1 bytes"}),
      value_case("memory beyond all limits", "\"cache\": {\"memory\": \"16000 PiB\"}",
                 "/cache/memory", {"exceeds the limit"}),
      value_case("own trajectory without a source", "\"attention\": {\"trajectory\": \"own\"}",
                 "/attention/trajectory",
                 {"source none cannot", "attention.source to real", "use full"}),
      value_case("own trajectory of a source without a model",
                 "\"attention\": {\"source\": \"synthetic\", \"trajectory\": \"own\"}",
                 "/attention/trajectory", {"source synthetic cannot", "attention.source to real"}),
      engine_case("own trajectory in an engine", "vllm-main-2026-08",
                  "\"attention\": {\"source\": \"real\", \"trajectory\": \"own\"}",
                  "/attention/trajectory", {"lockstep only", "Remove the engine"}),
      value_case("own trajectory where queries read part of what is kept",
                 real_own + ", \"eviction\": {\"policy\": \"quest\", \"budget\": 16}",
                 "/attention/trajectory", {"a query reads part of it", "another policy"}),
      value_case("own trajectory that nothing looks at",
                 real_own + ", \"quality\": {\"queries\": 0}, " + random + "\"budget\": 8}",
                 "/attention/trajectory", {"no effect", "quality.queries"}),
      value_case("once beyond the sequence",
                 random + "\"budget\": 8, \"trigger\": \"once\", \"once\": {\"at\": 101}}",
                 "/eviction/once/at", {"no sequence reaches 101 tokens", "100 tokens"}),
      value_case("prompt end without a prompt",
                 random + "\"budget\": 8, \"trigger\": \"once\", \"once\": {\"at\": "
                          "\"prompt_end\"}}",
                 "/eviction/once/at", {"needs a prompt"}),
      value_case("usage of an unlimited pool", random + "\"budget\": 8, \"trigger\": \"usage\"}",
                 "/eviction/trigger", {"unlimited pool", "cache.blocks"}),
      value_case("failure of an unlimited pool",
                 random + "\"budget\": 8, \"trigger\": \"allocation_failure\"}",
                 "/eviction/trigger", {"unlimited pool"}),
      value_case("release above arm",
                 "\"cache\": {\"blocks\": 10}, " + random +
                     "\"budget\": 8, \"trigger\": \"usage\", \"usage\": {\"arm\": 0.5, "
                     "\"release\": 0.5}}",
                 "/eviction/usage", {"release 0.5 must lie below arm 0.5"}),
      value_case("format whose groups do not fit",
                 "\"model\": {\"layers\": 1, \"query_heads\": 1, \"kv_heads\": 1, \"head_dim\": 8},"
                 " \"cache\": {\"kv_dtype\": \"kivi4_g32\"}",
                 "/cache/kv_dtype", {"32"}),
      value_case("E-25: single tokens of keys that are quantised together",
                 "\"cache\": {\"kv_dtype\": \"kivi2_g32\"}, " + random + "\"budget\": 8}",
                 "/cache/kv_dtype", {"32 consecutive tokens", "whole_block"}),
      value_case("E-25: blocks that are no whole groups",
                 "\"cache\": {\"kv_dtype\": \"kivi2_g128\", \"block_size\": 64}, "
                 "\"reclaim\": {\"kind\": \"whole_block\"}, " +
                     random + "\"budget\": 8}",
                 "/cache/kv_dtype", {"a multiple of 128"}),
      value_case("order of the queue without an engine", "\"serving\": {\"policy\": \"lpm\"}",
                 "/serving/policy", {"one of SGLang's orders", "Use fcfs"}),
      engine_case("order of the queue that vLLM has not", "vllm-main-2026-08",
                  "\"serving\": {\"policy\": \"dfs-weight\"}", "/serving/policy",
                  {"dfs-weight is one of SGLang's orders", "a profile of SGLang"}),
      text_case("pages where there are no tables",
                "{\"engine\": {\"profile\": \"sglang-2026-07\"}, \"workload\": {\"source\": "
                "\"independent\"},\n\"cache\": {\"blocks\": 100, \"blocks_per_page\": 4}}",
                "2", "/cache/blocks_per_page", {"of a profile of vLLM", "Remove it"}),
      engine_case("order of a queue that is not there", "sglang-2026-07",
                  "\"serving\": {\"policy\": \"random\", \"scheduler\": \"active_window\"}",
                  "/serving/policy", {"serving.scheduler=continuous_batching"}),
      engine_case("host memory that an engine has not", "orca-max",
                  "\"engine\": {\"host_blocks\": 9}", "/engine/host_blocks",
                  {"without host memory", "Remove it"}),
      engine_case("rule of SGLang's for vLLM's host memory", "vllm-0.10.0",
                  "\"engine\": {\"host_blocks\": 9, \"host_write\": \"write_back\"}",
                  "/engine/host_write", {"one of SGLang's", "Remove it"}),
      engine_case("when to write to no host tier", "sglang-2026-07",
                  "\"engine\": {\"host_write\": \"write_back\"}", "/engine/host_write",
                  {"no host memory", "Set engine.host_blocks"}),
      engine_case("host tier without a clock", "sglang-2026-07",
                  "\"engine\": {\"host_blocks\": 9}, \"serving\": {\"scheduler\": "
                  "\"active_window\"}",
                  "/engine/host_blocks", {"only continuous_batching", "Set it to 0"}),
      value_case("keep list that cannot be read",
                 "\"eviction\": {\"policy\": \"keep_list\", \"keep_list\": {\"tokens\": \"1-\"}}",
                 "/eviction/keep_list/tokens", {"tokens"}),
  };
}

std::vector<BadScenario> reuse_trees() {
  return {
      text_case("key of TensorRT-LLM for vLLM",
                "{\"cache\": {\"blocks\": 1000}, \"workload\": {\"source\": \"independent\"},\n"
                "\"engine\": {\"profile\": \"vllm-0.10.0\", \"window_share\": \"equal\"}}",
                "2", "/engine/window_share", {"one of TensorRT-LLM's", "Remove it"}),
      reuse_tree_case("window share that is none", "gpt-oss-20b", "\"window_share\": \"bytes\"",
                      "/engine/window_share", {"expected one of equal, window_bytes"}),
      reuse_tree_case("window share of one window size", "llama-3-8b",
                      "\"window_share\": \"equal\"", "/engine/window_share",
                      {"layers of one window size", "Remove it"}),
      reuse_tree_case("host memory twice", "llama-3-8b",
                      "\"host_blocks\": 100, \"host_memory\": \"1GiB\"", "/engine/host_memory",
                      {"contradicts engine.host_blocks", "Remove one"}),
      reuse_tree_case("host memory for no block", "llama-3-8b", "\"host_memory\": 1024",
                      "/engine/host_memory", {"no room for a block of 2 MiB", "Give more"}),
      reuse_tree_case("host memory that is no size", "llama-3-8b", "\"host_memory\": \"much\"",
                      "/engine/host_memory", {"not a size"}),
      reuse_tree_case("host memory beyond all limits", "llama-3-8b", "\"host_blocks\": 1073741824",
                      "/engine/host_blocks", {"from 0 to 67108864"}),
      reuse_tree_case("threshold without host memory", "llama-3-8b", "\"offload_threshold\": 35",
                      "/engine/offload_threshold",
                      {"there is no host memory", "set engine.host_blocks"}),
      reuse_tree_case("threshold beyond priorities", "llama-3-8b",
                      "\"host_blocks\": 100, \"offload_threshold\": 101",
                      "/engine/offload_threshold", {"from 0 to 100"}),
      reuse_tree_case("copies of nothing", "llama-3-8b",
                      "\"partial_reuse\": false, \"copy_on_partial_reuse\": true",
                      "/engine/copy_on_partial_reuse",
                      {"nothing is reused in part", "engine.partial_reuse"}),
      reuse_tree_case("tokens retained at no priority", "llama-3-8b",
                      "\"retain_prompt_tokens\": 100", "/engine/retain_prompt_tokens",
                      {"nothing is asked", "Set engine.retain_prompt_priority"}),
      reuse_tree_case("time without a priority", "llama-3-8b", "\"retain_decode_seconds\": 1",
                      "/engine/retain_decode_seconds", {"Set engine.retain_decode_priority"}),
  };
}

/// Beams of two candidates that an engine cannot serve, on the third line.
BadScenario beam_case(std::string name, const std::string& engine, const std::string& more,
                      std::vector<std::string> words) {
  return text_case(
      std::move(name),
      "{\"engine\": {\"profile\": \"" + engine + "\"},\n\"cache\": {\"blocks\": 100}" + more +
          ",\n\"workload\": {\"source\": \"independent\", \"beam\": " + "{\"width\": 2}}}",
      "3", "/workload/beam/width", std::move(words));
}

std::vector<BadScenario> beams() {
  const std::string vllm = "vllm-main-2026-08";
  return {
      text_case("beams in lockstep",
                "{\"workload\": {\"output_tokens\": 100,\n\"beam\": {\"width\": 2}}}", "2",
                "/workload/beam/width", {"continuous batching", "engine.profile"}),
      beam_case("beams in a window", vllm, ", \"serving\": {\"scheduler\": \"active_window\"}",
                {"continuous batching"}),
      beam_case("beams of SGLang", "sglang-2026-07", "", {"sglang-2026-07 has others"}),
      beam_case("beams of TensorRT-LLM", "trtllm-2026-08", "", {"block tables of vLLM"}),
      beam_case("beams without paging", "orca-oracle", "", {"block tables of vLLM"}),
      beam_case("beams with two steps in flight", "vllm-0.19.0", "",
                {"composes the next step before", "engine.steps_in_flight to 1"}),
      beam_case("beams with reserved output",
                vllm + "\", \"reserve_output\": true, \"free_order\": \"append", "",
                {"cannot be reserved"}),
      beam_case("beams with windows", vllm, ", \"model\": \"gpt-oss-20b\"",
                {"engine.hybrid_groups to false"}),
      beam_case("beams with host memory",
                vllm + "\", \"host_blocks\": 10, \"free_order\": \"append", "",
                {"engine.host_blocks to 0"}),
      beam_case("beams with eviction", vllm,
                ", \"eviction\": {\"policy\": \"random\", \"budget\": 64}",
                {"eviction.policy to full"}),
      beam_case("beams without seats", vllm, ", \"serving\": {\"max_num_seqs\": 1}",
                {"2 candidates", "serving.max_num_seqs"}),
      beam_case("beams wider than a step", vllm, ", \"serving\": {\"max_num_batched_tokens\": 1}",
                {"serving.max_num_batched_tokens"}),
      text_case("beams and samples",
                "{\"engine\": {\"profile\": \"" + vllm + "\"},\n\"workload\": {\"source\": " +
                    "\"independent\", \"samples\": 2, \"beam\": {\"width\": 2}}}",
                "2", "/workload/beam/width", {"workload.samples to 1"}),
      text_case("beam of one that branches",
                "{\"engine\": {\"profile\": \"" + vllm + "\"},\n\"workload\": {\"source\": " +
                    "\"independent\", \"beam\": {\"branching\": 0.5}}}",
                "2", "/workload/beam", {"nobody else to continue"}),
      text_case("beam that is too wide",
                "{\"engine\": {\"profile\": \"" + vllm + "\"},\n\"workload\": {\"source\": " +
                    "\"independent\", \"beam\": {\"width\": 33}}}",
                "2", "/workload/beam/width", {"from 1 to 32", "got 33"}),
  };
}

std::vector<BadScenario> overrides() {
  return {
      set_case("no equals sign", "eviction.budget", "/", {"dotted path, '='"}),
      set_case("no path", "=5", "/", {"dotted path, '='"}),
      {"no UTF-8 by override",
       with("\"seed\": 1"),
       {"description=\xFF"},
       {{"--set description=\xEF\xBF\xBD", "/", {"not UTF-8"}}}},
      set_case("empty part of a path", "eviction..budget=5", "/", {"an empty part"}),
      set_case("no value", "seed=", "/seed", {"value is missing"}),
      set_case("unknown key by override", "eviction.budgte=5", "/eviction/budgte",
               {"Did you mean \"budget\"?"}),
      set_case("out of range by override", "cache.block_size=0", "/cache/block_size",
               {"from 1 to 4096"}),
      set_case("word for a number by override", "cache.block_size=large", "/cache/block_size",
               {"the text \"large\""}),
      set_case("broken JSON by override", "cache={\"blocks\": }", "/cache/blocks",
               {"not valid JSON"}),
      set_case("key inside a number", "seed.low=5", "/seed/low",
               {"/seed is an integer", "set all of it"}),
      set_case("huge integer by override", "seed=123456789012345678901234567890", "/seed",
               {"64 bits"}),
      {"contradiction by override",
       with("\"seed\": 1"),
       {"workload.output_tokens=0"},
       {{"1", "/workload", {"have no tokens"}}}},
      {"set twice",
       with("\"seed\": 1"),
       {"seed=1", "seed=2"},
       {{"--set seed=2", "/seed", {"set twice"}}}},
  };
}

std::vector<BadScenario> several() {
  return {
      {"all faults of a file at once",
       "{\n"
       "  \"cache\": {\"block_size\": 0, \"blok_size\": 1},\n"
       "  \"eviction\": {\"policy\": \"h3o\"},\n"
       "  \"workload\": {\n"
       "    \"output_tokens\": \"many\"},\n"
       "  \"seed\": 1, \"seed\": 2\n"
       "}",
       {"reclaim.kind=slid"},
       {{"2", "/cache/block_size", {"from 1 to 4096"}},
        {"2", "/cache/blok_size", {"Did you mean"}},
        {"3", "/eviction/policy", {"expected one of"}},
        {"5", "/workload/output_tokens", {"the text \"many\""}},
        {"6", "/seed", {"stands twice"}},
        {"--set reclaim.kind=slid", "/reclaim/kind", {"Did you mean \"slide\"?"}}}},
      {"types and contradictions at once",
       "{\"seed\": 0.5,\n"
       " \"cache\": {\"blocks\": 5, \"memory\": 7},\n"
       " \"eviction\": {\"policy\": \"random\", \"budget\": 2, \"protect\": {\"sinks\": 2}},\n"
       " \"workload\": {\"output_tokens\": 9}}",
       {},
       {{"1", "/seed", {"expected an integer"}},
        {"2", "/cache/memory", {"contradicts"}},
        {"3", "/eviction/budget", {"nothing to choose"}}}},
      {"a faulty value brings up no other faults",
       "{\"eviction\": {\"policy\": \"random\", \"budget\": -1, \"protect\": {\"sinks\": 2}},\n"
       " \"workload\": {\"output_tokens\": -1}}",
       {},
       {{"1", "/eviction/budget", {"got -1"}}, {"2", "/workload/output_tokens", {"got -1"}}}},
  };
}

}  // namespace

const std::vector<BadScenario>& bad_scenarios() {
  static const std::vector<BadScenario> all = [] {
    std::vector<BadScenario> cases;
    for (auto part : {no_json(), wrong_values(), contradictions(), reuse_trees(), beams(),
                      overrides(), several()})
      cases.insert(cases.end(), part.begin(), part.end());
    return cases;
  }();
  return all;
}

}  // namespace vacancy::test
