// SPDX-License-Identifier: Apache-2.0
// Runs whose decoding goes on over the evicted cache, round by round beside a plain transformer
// that reads what the tables hold.
#include <catch2/catch.hpp>
#include <map>

#include "sim/attention/real_source.hpp"
#include "tests/support/plain_transformer.hpp"
#include "tests/support/run.hpp"
#include "tests/unit/attention/file_builders.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t quality_queries = 12;

const Checkpoint& made_checkpoint() {
  static const Checkpoint checkpoint =
      read_checkpoint(checkpoint_bytes({16, 24, 2, 4, 2, 32, 64}), "made");
  return checkpoint;
}

constexpr SamplingOptions sampling{1.0, 1.0};

/// Three sequences of unequal prompts, evicted from every 8 tokens.
struct OwnRun : Run {
  explicit OwnRun(Scope scope, TableKind table = TableKind::shared) : Run(3) {
    config.attention = std::make_shared<RealSource>(made_checkpoint(), std::vector<TokenId>{1},
                                                    sampling, config.seed);
    const AttentionShape shape = config.attention->shape();
    config.cache = {4, std::nullopt, CacheLayout(shape.layers, shape.kv_heads, table, scope),
                    Bytes(1024)};
    config.eviction.budget = 12;
    config.eviction.trigger = TriggerKind::slack;
    config.eviction.interval = 8;
    config.quality_queries = quality_queries;
    config.trajectory = Trajectory::own;
    config.sequences = {{30, 34}, {0, 50}, {20, 10}};
    reclaim("slide");
  }
};

/// Follows a run's rounds and checks each of its measurements.
class PlainFollower final : public Observer {
 public:
  explicit PlainFollower(OwnRun& run) : run_(run), shape_(run.config.attention->shape()) {}

  void on_event(const Event& event) override {
    if (const auto* finished = std::get_if<RoundFinished>(&event)) take(finished->sequence);
    if (const auto* quality = std::get_if<QualityMeasured>(&event)) check(*quality);
  }

  std::uint32_t measured = 0, disagreeing = 0;

 private:
  using Kept = std::vector<std::vector<std::uint32_t>>;

  void take(SequenceId id) {
    const CachedSequence& sequence = run_.simulation->cache().sequence(id);
    const CacheLayout& layout = run_.config.cache.layout;
    Kept kept;
    for (std::uint32_t layer = 0; layer < shape_.layers; ++layer)
      for (std::uint32_t head = 0; head < shape_.kv_heads; ++head) {
        auto& tokens = kept.emplace_back();
        const std::uint32_t table = table_of(layer, head);
        for (std::uint32_t set = 0; set < layout.sets_per_table(); ++set)
          if (layout.policy_set(table, set) == layout.policy_set_of(layer, head))
            sequence.tables[table].for_each_live(
                set, [&](std::uint32_t, std::uint32_t token) { tokens.push_back(token); });
      }
    masks_.try_emplace(id, shape_).first->second.add(sequence.next_position, kept);
    kept_ = std::move(kept);
  }

  std::uint32_t table_of(std::uint32_t layer, std::uint32_t head) const {
    switch (run_.config.cache.layout.table_kind()) {
      case TableKind::shared:
        return 0;
      case TableKind::per_layer:
        return layer;
      case TableKind::per_layer_per_head:
        return layer * shape_.kv_heads + head;
    }
    return 0;
  }

  bool kept(std::uint32_t layer, std::uint32_t head, std::uint32_t token) const {
    const auto& tokens = kept_[layer * shape_.kv_heads + head];
    return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
  }

  void check(const QualityMeasured& event) {
    const std::uint32_t next = run_.simulation->cache().sequence(event.sequence).next_position;
    const SequencePlan& plan = run_.config.sequences[event.sequence.value()];
    const std::uint32_t end =
        std::min(plan.prompt_tokens + plan.output_tokens, next + quality_queries);
    const bool ended = end == next;
    const std::uint32_t first = ended ? next - 1 : next;

    const auto reads = masks_.at(event.sequence).function();
    PlainTransformer own(made_checkpoint()), full(made_checkpoint());
    std::uint32_t same = 0;
    for (TokenId token = Tokenizer::begin_of_text; own.length() < end;) {
      const std::uint32_t query = own.length();
      const double draw =
          unit_interval(philox4x32_10({event.sequence.value(), 0, 0, query + 1},
                                      philox_key(run_.config.seed, Stream::sampling))[0]);
      const TokenId next_token = drawn(own.forward(token, reads), draw);
      const TokenId with_all = drawn(full.forward(token, reads_all), draw);
      if (query >= first) same += next_token == with_all;
      token = next_token;
    }
    double mass = 0, error = 0;
    for (std::uint32_t layer = 0; layer < shape_.layers; ++layer)
      for (std::uint32_t head = 0; head < shape_.query_heads; ++head)
        for (std::uint32_t query = first; query < end; ++query) {
          const auto [retained, moved] = loss(own, layer, head, query, next);
          mass += retained;
          error += moved;
        }
    const double rows = double(shape_.layers) * shape_.query_heads * (end - first);
    CHECK(event.retained_attention_mass == Approx(mass / rows).margin(1e-4));
    CHECK(event.attention_output_error == Approx(error / rows).margin(1e-3));
    if (ended)
      CHECK(std::isnan(event.next_token_agreement));
    else
      CHECK(event.next_token_agreement == Approx(double(same) / (end - first)));
    ++measured;
    disagreeing += event.next_token_agreement < 1;
  }

  /// Of one query: the attention that kept and newer tokens get, and how far the output moves.
  std::pair<double, double> loss(const PlainTransformer& own, std::uint32_t layer,
                                 std::uint32_t head, std::uint32_t query,
                                 std::uint32_t next) const {
    const std::uint32_t kv_head = head / shape_.group();
    const auto row = own.row(layer, head, query, reads_all);
    std::vector<double> all(shape_.head_dim, 0.0), part(shape_.head_dim, 0.0);
    double mass = 0;
    for (std::uint32_t token = 0; token <= query; ++token) {
      const bool stays = token >= next || kept(layer, kv_head, token);
      if (stays) mass += row[token];
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double term = row[token] * own.value(layer, kv_head, token)[i];
        all[i] += term;
        if (stays) part[i] += term;
      }
    }
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      difference += (all[i] - part[i] / mass) * (all[i] - part[i] / mass);
      norm += all[i] * all[i];
    }
    return {mass, std::sqrt(difference / norm)};
  }

  static TokenId drawn(const PlainTransformer::Vector& scores, double draw) {
    return sample_token(std::vector<float>(scores.begin(), scores.end()), sampling, draw);
  }

  OwnRun& run_;
  AttentionShape shape_;
  std::map<SequenceId, MaskOfRounds> masks_;
  Kept kept_;  // by the round that was last
};

struct OwnCase {
  const char* policy;
  Scope scope;
  TableKind table;
  ParameterValues parameters = {};
};

}  // namespace

TEST_CASE("own trajectory: each round's figures are those of a plain pass over what tables hold") {
  const std::vector<OwnCase> cases = {
      {"random", Scope::model, TableKind::shared},
      {"random", Scope::per_layer, TableKind::shared},
      {"random", Scope::per_head, TableKind::per_layer},
      {"random", Scope::per_layer_per_head, TableKind::per_layer_per_head},
      {"random", Scope::per_layer_per_head, TableKind::shared},
      {"streaming_llm", Scope::model, TableKind::shared},
      {"h2o", Scope::per_layer_per_head, TableKind::per_layer},
      {"knorm", Scope::per_layer, TableKind::per_layer_per_head},
      {"snapkv", Scope::per_layer_per_head, TableKind::shared, {{"window", std::int64_t{4}}}},
      {"ada_kv", Scope::per_layer_per_head, TableKind::shared, {{"window", std::int64_t{4}}}},
  };
  for (const OwnCase& c : cases)
    for (const bool pinned : {false, true}) {
      INFO(c.policy << ", " << enum_name(c.scope) << ", " << enum_name(c.table)
                    << (pinned ? ", sinks and a window" : ""));
      OwnRun run(c.scope, c.table);
      run.policy(c.policy, c.parameters);
      if (pinned) run.config.eviction.protect = {2, 5};
      PlainFollower follower(run);
      const Summary summary = run.run(&follower);
      CHECK(follower.measured >= 8);
      CHECK(summary.quality.retained_attention_mass.size() == follower.measured);
    }
}

TEST_CASE("own trajectory: what is written changes, and so does what is evicted next") {
  OwnRun own(Scope::per_layer_per_head), full(Scope::per_layer_per_head);
  for (OwnRun* run : {&own, &full})
    run->policy("h2o");
  full.config.trajectory = Trajectory::full;
  PlainFollower follower(own);
  const Summary of_own = own.run(&follower), of_full = full.run();
  CHECK(follower.disagreeing > 0);
  CHECK(of_full.quality.next_token_agreement.empty());
  CHECK(of_own.quality.agreement_mean().value() < 1);
  CHECK(of_own.reclaim.rounds == of_full.reclaim.rounds);
  CHECK(of_own.quality.retained_attention_mass != of_full.quality.retained_attention_mass);
}

TEST_CASE("own trajectory: the same bytes each time, and those of full where nothing is evicted") {
  const auto summary_of = [](Trajectory trajectory, std::uint32_t budget) {
    OwnRun run(Scope::per_layer_per_head);
    run.policy("h2o");
    run.config.trajectory = trajectory;
    run.config.eviction.budget = budget;
    return to_json(run.run());
  };
  CHECK(summary_of(Trajectory::own, 12) == summary_of(Trajectory::own, 12));
  CHECK(summary_of(Trajectory::own, 12) != summary_of(Trajectory::full, 12));
  CHECK(summary_of(Trajectory::own, 64) == summary_of(Trajectory::full, 64));
}

// A list that keeps all lets rounds happen that drop nothing.
TEST_CASE("own trajectory: rounds that drop nothing measure what full measures, to the bit") {
  std::vector<Summary> summaries;
  for (const Trajectory trajectory : {Trajectory::own, Trajectory::full}) {
    OwnRun run(Scope::per_layer_per_head);
    run.policy("keep_list", {{"tokens", std::string("0-63")}});
    run.config.eviction.trigger = TriggerKind::interval;
    run.config.trajectory = trajectory;
    summaries.push_back(run.run());
  }
  const auto& own = summaries[0].quality;
  const auto& full = summaries[1].quality;
  REQUIRE(own.retained_attention_mass.size() > 3);
  CHECK(own.retained_attention_mass == full.retained_attention_mass);
  CHECK(own.attention_output_error == full.attention_output_error);
  CHECK(own.agreement_mean() == 1.0);
}
