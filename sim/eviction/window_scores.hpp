// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/eviction/policy.hpp"
#include "sim/eviction/pooling.hpp"

namespace vacancy {

/// The options of SnapKV that its kin share: a method's own struct derives from them and sets its
/// defaults.
struct WindowOptions {
  std::uint32_t window = 32;
  std::uint32_t kernel = 5;
  Pooling pooling = Pooling::avg;
};

/// A table that starts with them. A method that leaves the kind of pooling to nobody does not offer
/// it.
template <class Options>
OptionTable<Options> window_options(bool offer_pooling = true) {
  auto table =
      OptionTable<Options>()
          .add("window", static_cast<std::uint32_t Options::*>(&WindowOptions::window), "tokens",
               {1, 1 << 16},
               "The last queries, whose attention scores the tokens before them; these last "
               "tokens always stay.")
          .add("kernel", static_cast<std::uint32_t Options::*>(&WindowOptions::kernel), "tokens",
               {1, 4095}, "Odd width of the pooling over neighbouring tokens; 1 for none.");
  if (offer_pooling)
    table.add(
        "pooling", static_cast<Pooling Options::*>(&WindowOptions::pooling), "", {},
        "Average or maximum over the kernel, per KV head before heads are joined. The original "
        "chooses for each query head and stores K and V for each: for that give the model as "
        "many KV heads as query heads.");
  return table;
}

/// How the query heads of a KV head become one before pooling. The mean is a sum here: both rank
/// the same.
enum class GroupRule { mean, max };

template <>
struct EnumNames<GroupRule> {
  static constexpr EnumName<GroupRule> table[] = {{GroupRule::mean, "mean"},
                                                  {GroupRule::max, "max"}};
};

/// The attention that the last `options.window` queries pay, softmax over the live tokens, joined
/// over a group's query heads and pooled.
struct WindowScores {
  WindowOptions options;
  GroupRule group = GroupRule::mean;
  /// The tokens of these queries are scored too; else they always stay, and pooling ends before.
  bool scores_window = false;
};

/// SnapKV's scores of one (layer, KV head), added to `sums`: the attention of the last `window`
/// queries to the tokens before them, pooled.
void add_window_scores(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                       const WindowOptions& options, GroupRule group, std::span<double> sums,
                       SelectionScratch& scratch);

/// The same for a set.
void score_by_window(const EvictionRound& round, const WindowOptions& options, GroupRule group,
                     std::span<double> scores, SelectionScratch& scratch);

/// A method that scores so and always keeps the window.
class WindowPolicy : public EvictionPolicy {
 public:
  /// `name` is the method's, for what a UserError says.
  WindowPolicy(const std::string& name, const WindowOptions& options,
               GroupRule group = GroupRule::mean)
      : window_(options), group_(group) {
    check_pooling_kernel("eviction." + name + ".kernel", options.kernel);
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {0, window_.window}; }
  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    score_by_window(round, window_, group_, scores, scratch);
  }

 protected:
  WindowScores window_scores() const { return {window_, group_}; }

 private:
  WindowOptions window_;
  GroupRule group_;
};

}  // namespace vacancy
