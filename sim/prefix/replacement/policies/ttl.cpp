// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/policies/entry_of.hpp"
#include "sim/prefix/replacement/queued_policy.hpp"

namespace vacancy {

namespace {

enum class Renewal { on_use, never };

}  // namespace

template <>
struct EnumNames<Renewal> {
  static constexpr EnumName<Renewal> table[] = {{Renewal::on_use, "on_use"},
                                                {Renewal::never, "never"}};
};

namespace {

/// One queue in the order of deadlines: as all blocks live equally long, that is the order in which
/// their time started, given that time does not run backwards. Pinned blocks outlive their
/// deadline. A full cache evicts the block with the nearest deadline.
class Ttl final : public QueuedPolicy {
 public:
  struct Options {
    double seconds = 300;
    Renewal renewal = Renewal::on_use;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("seconds", &Options::seconds, "s", {0.001, 1e9},
                 "Time after which an unused block is dropped even if there is room; hosted "
                 "services name 5 minutes and 1 hour.")
            .add("renewal", &Options::renewal, "", {},
                 "Whether each use starts the time anew or only the insertion does.");
    return table;
  }

  Ttl(Options options, std::uint32_t entries)
      : QueuedPolicy(1, entries),
        life_(static_cast<std::int64_t>(options.seconds * 1e9)),
        renewal_(options.renewal),
        deadlines_(entries) {}

  void inserted(EntryId entry, const BlockAccess& access) override {
    queues_.push(0, entry);
    deadlines_[entry.value()] = access.now + life_;
  }
  void hit(EntryId entry, const BlockAccess& access) override {
    if (renewal_ == Renewal::never) return;
    queues_.renew(entry);
    deadlines_[entry.value()] = access.now + life_;
  }
  std::optional<EntryId> victim(const BlockAccess& /*incoming*/) override {
    return queues_.front(0);
  }
  std::optional<EntryId> expired(SimTime now) const override {
    const auto first = queues_.front(0);
    return first && deadlines_[first->value()] <= now ? first : std::nullopt;
  }

 private:
  SimTime life_;
  Renewal renewal_;
  std::vector<SimTime> deadlines_;
};

}  // namespace

ReplacementEntry ttl_entry() {
  return entry_of<Ttl>("ttl",
                       "Time to live: drops blocks that were not used for a time, and evicts the "
                       "one that would be dropped next.",
                       "Retention of hosted prompt caches; the rule for a full cache is ours");
}

}  // namespace vacancy
