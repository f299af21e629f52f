// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/model/model_file.hpp"
#include "sim/model/weights.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

TEST_CASE("Llama-3.1-8B: 15.01 GB of weights, 13.96 GFLOP a token, 524,288 FLOP a pair") {
  // rtx4090_run.md §3: without the input embedding; the output matrix only where a token is drawn.
  const ModelWork work = model_work(preset("llama-3.1-8b"));
  CHECK(work.weights == Bytes(2 * (6'979'321'856 + 128'256ull * 4'096)));
  CHECK(work.weights_per_token == work.weights);
  CHECK(work.layer_flops_per_token == 13'958'643'712);
  CHECK(work.output_flops_per_sample == 2 * 128'256ull * 4'096);
  CHECK(work.full.flops_per_pair == 4ull * 32 * 32 * 128);
  CHECK(work.full.kv_bytes_per_token == Bytes(131'072));
}

TEST_CASE("a few tokens touch a few experts, many touch all") {
  const ModelWork work = model_work(preset("gpt-oss-20b"));
  CHECK(work.weights_read(0) == Bytes(0));
  CHECK(work.weights_read(1) == work.weights_per_token);
  CHECK(work.weights_read(2) == work.weights_per_token * 2);
  CHECK(work.weights_read(1'000) == work.weights);
  CHECK(work.weights_read(~std::uint64_t{0}) == work.weights);
  const ModelWork dense = model_work(preset("qwen3-8b"));
  CHECK(dense.weights_read(1) == dense.weights);
}

TEST_CASE("latent attention scores the latent and the rotary part and sums latents") {
  const ModelWork work = model_work(preset("deepseek-v3"));
  CHECK(work.full.flops_per_pair == 2ull * 61 * 128 * (512 + 64 + 512));
}

TEST_CASE("published sizes of models without their input embedding") {
  struct Row {
    const char* name;
    double billions;
  };
  // Model cards: Qwen3 gives parameters without embeddings, gpt-oss the active ones with one.
  for (const Row& row : {Row{"qwen3-8b", 6.95}, Row{"qwen3-14b", 13.2}, Row{"qwen3-32b", 31.2}})
    CHECK(static_cast<double>(*preset(row.name).layer_parameters) / 1e9 ==
          Approx(row.billions).epsilon(0.003));
  const ModelWork oss = model_work(preset("gpt-oss-120b"));
  CHECK(static_cast<double>(oss.layer_flops_per_token + oss.output_flops_per_sample) / 2e9 ==
        Approx(5.13).epsilon(0.002));
}

TEST_CASE("a model that is silent about its weights has no roofline, and says what to add") {
  CHECK_THROWS_WITH(model_work(preset("jamba-1.5-mini")),
                    Catch::Contains("Jamba-1.5-Mini") && Catch::Contains("layer_parameters"));
}
