// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "sim/pool/cache_layout.hpp"

using namespace vacancy;

TEST_CASE("policy sets meet tables as the classes S1 to S4 say") {
  const auto table =
      GENERATE(TableKind::shared, TableKind::per_layer, TableKind::per_layer_per_head);
  const auto scope =
      GENERATE(Scope::model, Scope::per_layer, Scope::per_head, Scope::per_layer_per_head);
  const std::uint32_t layers = 3, heads = 4;
  const CacheLayout layout(layers, heads, table, scope);
  INFO(enum_name(table) << " tables, scope " << enum_name(scope));

  const bool by_layer = scope == Scope::per_layer || scope == Scope::per_layer_per_head;
  const bool by_head = scope == Scope::per_head || scope == Scope::per_layer_per_head;
  CHECK(layout.policy_sets() == (by_layer ? layers : 1) * (by_head ? heads : 1));

  // For every (layer, head): the set on its table is the policy set that speaks for it.
  std::set<std::pair<std::uint32_t, std::uint32_t>> used;
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    for (std::uint32_t head = 0; head < heads; ++head) {
      const std::uint32_t t = table == TableKind::shared      ? 0
                              : table == TableKind::per_layer ? layer
                                                              : layer * heads + head;
      const std::uint32_t policy_set = layout.policy_set_of(layer, head);
      const HeadRange range = layout.heads(policy_set);
      CHECK((layer >= range.first_layer && layer < range.last_layer));
      CHECK((head >= range.first_head && head < range.last_head));
      std::uint32_t found = 0;
      for (std::uint32_t s = 0; s < layout.sets_per_table(); ++s) {
        if (layout.policy_set(t, s) == policy_set) {
          ++found;
          used.emplace(t, s);
        }
      }
      CHECK(found == 1);
      const auto place = layout.first_place(policy_set);
      CHECK(layout.policy_set(place.table, place.set) == policy_set);
    }
  }
  CHECK(used.size() == layout.tables() * layout.sets_per_table());
}
