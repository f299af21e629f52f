// SPDX-License-Identifier: Apache-2.0
// Whatever number of an event is another: a difference where that makes another cache of it, never
// a crash.
#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/gpu/on_device.hpp"
#include "tests/gpu/verified_runs.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scaled.hpp"

namespace vacancy {
namespace {

using test::Random;

template <class T>
T other_number(T value, Random& random) {
  const auto least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const auto power = static_cast<T>(T{1} << random.below(std::numeric_limits<T>::digits));
  for (;;) {
    const T other = random.of({static_cast<T>(value == most ? least : value + 1),
                               static_cast<T>(value == least ? most : value - 1),
                               static_cast<T>(random.below(100)), power, least, most});
    if (other != value) return other;
  }
}

/// Changes of one number or list of an event.
class Changes {
 public:
  explicit Changes(Random& random) : random_(random) {}

  template <class T>
  void add(T& field) {
    if constexpr (std::is_same_v<T, SequenceId> || std::is_same_v<T, BlockId>)
      changes_.push_back([&] { field = T(other_number(field.value(), random_)); });
    else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      changes_.push_back([&] { field = other_number(field, random_); });
  }
  void add(std::span<const BlockId>& list) { add_list(list, blocks_); }
  void add(std::span<const std::uint32_t>& list) { add_list(list, numbers_); }

  bool make_one() {
    if (changes_.empty()) return false;
    changes_[random_.below(static_cast<std::uint32_t>(changes_.size()))]();
    return true;
  }

 private:
  template <class T>
  void add_list(std::span<const T>& list, std::vector<T>& own) {
    if (list.empty()) return;
    changes_.push_back([&] {
      own.assign(list.begin(), list.end());
      own.pop_back();
      list = own;
    });
    changes_.push_back([&] {
      own.assign(list.begin(), list.end());
      T& element = own[random_.below(static_cast<std::uint32_t>(own.size()))];
      if constexpr (std::is_same_v<T, BlockId>)
        element = BlockId(other_number(element.value(), random_));
      else
        element = other_number(element, random_);
      list = own;
    });
  }

  Random& random_;
  std::vector<std::function<void()>> changes_;
  std::vector<BlockId> blocks_;
  std::vector<std::uint32_t> numbers_;
};

template <class E, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<E, Others> || ...);
/// Whose numbers may be others and no harm done: they tell nothing of blocks, tables or tokens, or
/// what shows only when something is read back.
template <class E>
inline constexpr bool may_go_unseen =
    is_one_of<E, ClockAdvanced, RoundSkipped, FaultDamage, QualityMeasured, RequestQueued,
              RequestAdmitted, PrefixLookedUp, StepComposed, StepCompleted, SequenceCompleted,
              HostBlocksStored, OutOfMemory>;

#define VACANCY_CHANGE(field) \
  if constexpr (requires { e.field; }) changes.add(e.field)

/// Tells the verifier of another event than happened; false if this one has no numbers.
template <class E>
bool tell_other(E e, Observer& verifier, Random& random) {
  Changes changes(random);
  VACANCY_CHANGE(sequence);
  VACANCY_CHANGE(parent);
  VACANCY_CHANGE(child);
  VACANCY_CHANGE(prompt_tokens);
  VACANCY_CHANGE(table);
  VACANCY_CHANGE(first_entry);
  VACANCY_CHANGE(blocks);
  VACANCY_CHANGE(entries);
  VACANCY_CHANGE(host_blocks);
  VACANCY_CHANGE(first);
  VACANCY_CHANGE(count);
  VACANCY_CHANGE(round);
  VACANCY_CHANGE(evicted_set_tokens);
  VACANCY_CHANGE(vacated_tokens);
  VACANCY_CHANGE(first_slot);
  VACANCY_CHANGE(target_slot);
  VACANCY_CHANGE(length);
  VACANCY_CHANGE(moved_set_tokens);
  VACANCY_CHANGE(freed);
  VACANCY_CHANGE(entry);
  VACANCY_CHANGE(from);
  VACANCY_CHANGE(to);
  VACANCY_CHANGE(slots);
  VACANCY_CHANGE(blocks_freed);
  VACANCY_CHANGE(blocks_taken);
  VACANCY_CHANGE(evicted);
  VACANCY_CHANGE(tokens);
  VACANCY_CHANGE(hit);
  VACANCY_CHANGE(restored);
  VACANCY_CHANGE(step);
  if (!changes.make_one()) return false;
  verifier.on_event(Event(e));
  return true;
}
#undef VACANCY_CHANGE

/// A decision or moves of other sets than the cache has.
bool tell_other_sets(const Event& event, Observer& verifier) {
  if (const auto* const found = std::get_if<TokensEvicted>(&event)) {
    const KeepSets none;
    verifier.on_event(TokensEvicted{found->sequence, found->round, none, found->evicted_set_tokens,
                                    found->sets_per_table, found->vacated_tokens});
    return true;
  }
  if (const auto* const found = std::get_if<TokensMoved>(&event)) {
    TableMoves moves;
    moves.add({0xFFFFFFF0, 0xFFFFFFFF});
    for (std::uint32_t set = 0; set < found->moves.sets(); ++set)
      moves.end_set();
    verifier.on_event(
        TokensMoved{found->sequence, found->table, moves, found->length, found->moved_set_tokens});
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("verify: another number in any event is a difference") {
  VACANCY_ON_DEVICE(device);
  std::uint32_t checked = 0, trials_of_all = 0;
  for (const auto& [name, text] : test::small_scenarios()) {
    INFO(name);
    const auto events =
        static_cast<std::uint32_t>(test::verified_small(name, device).counts.events);
    const std::uint32_t trials = test::scaled(32);
    trials_of_all += trials;
    for (std::uint32_t trial = 0; trial < trials; ++trial) {
      Random random(trial);
      std::uint32_t left = random.below(events);
      std::string told;
      bool must_differ = false;
      test::PlantedFault fault;
      fault.scenario = name;
      fault.spoil_event = [&](const Event& event, Observer& verifier) {
        if (left > 0) {
          --left;
          return false;
        }
        told = verify::event_name(event);
        must_differ = std::visit(
            [](const auto& e) { return !may_go_unseen<std::decay_t<decltype(e)>>; }, event);
        if (random.one_in(4) && tell_other_sets(event, verifier)) return true;
        return std::visit([&](const auto& e) { return tell_other(e, verifier, random); }, event);
      };
      bool planted = false;
      const verify::VerifyResult result = test::verified_with(fault, device, planted);
      CAPTURE(trial, told);
      if (!planted || !must_differ) continue;
      CHECK(result.difference);
      ++checked;
    }
  }
  CHECK(2 * checked > trials_of_all);
}

}  // namespace vacancy
