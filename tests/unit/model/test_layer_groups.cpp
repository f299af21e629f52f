// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/model/layer_groups.hpp"
#include "sim/model/memory.hpp"
#include "sim/model/model_file.hpp"

using namespace vacancy;

namespace {

ModelGeometry with_layers(std::uint32_t full, std::uint32_t sliding) {
  ModelGeometry model = preset("llama-3-8b");
  model.layers.assign(full, LayerKind::full);
  model.layers.insert(model.layers.end(), sliding, LayerKind::sliding);
  return model;
}

}  // namespace

TEST_CASE("a model of one kind of layers has one group") {
  const LayerGroups groups = group_layers(preset("qwen3-8b"));
  CHECK(groups.layers_per_block == 36);
  CHECK(groups.groups == std::vector<LayerGroup>{{LayerKind::full, 36}});
  const LayerGroups sliding = group_layers(with_layers(0, 32));
  CHECK(sliding.groups == std::vector<LayerGroup>{{LayerKind::sliding, 32}});
}

TEST_CASE("as many layers of both kinds: two groups in the order of the layers") {
  const LayerGroups groups = group_layers(preset("gpt-oss-20b"));
  CHECK(groups.layers_per_block == 12);
  CHECK(groups.groups == std::vector<LayerGroup>{{LayerKind::sliding, 12}, {LayerKind::full, 12}});
  CHECK(groups.unused_layers() == 0);
  const ModelGeometry model = preset("gpt-oss-20b");
  CHECK(bytes_per_block(model, groups, 16) * 2 == bytes_per_block(model, 16));
}

TEST_CASE("five sliding layers for each full one: six groups, whose last ones are not full") {
  // Gemma 3 27B: 62 layers, each sixth of them full.
  const LayerGroups groups = group_layers(preset("gemma-3-27b"));
  CHECK(groups.layers_per_block == 10);
  REQUIRE(groups.groups.size() == 7);
  std::uint32_t sliding = 0, full = 0;
  for (const LayerGroup& group : groups.groups)
    (group.kind == LayerKind::full ? full : sliding) += group.layers;
  CHECK(full == 10);
  CHECK(sliding == 52);
  CHECK(groups.unused_layers() == 8);
}

TEST_CASE("kinds that differ by less than half share blocks of the more frequent one's size") {
  // The rule of spec engines V25: the most if the most are fewer than 1.5 times the least.
  CHECK(group_layers(with_layers(20, 29)).layers_per_block == 29);
  CHECK(group_layers(with_layers(20, 29)).groups.size() == 2);
  CHECK(group_layers(with_layers(20, 30)).layers_per_block == 20);
  CHECK(group_layers(with_layers(20, 30)).groups.size() == 3);
}

TEST_CASE("layers that keep a state have no blocks") {
  const ModelGeometry jamba = preset("jamba-1.5-mini");
  const LayerGroups groups = group_layers(jamba);
  CHECK(groups.groups == std::vector<LayerGroup>{{LayerKind::full, jamba.kv_layers()}});
}
