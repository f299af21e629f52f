// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/serving_simulation.hpp"

#include <algorithm>
#include <utility>

#include "sim/serving/engine.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

/// 20 years. What a step adds to the clock is less than 9 times that, and an int64_t holds 14.
constexpr SimTime longest_run{20 * 365 * std::int64_t{86'400} * 1'000'000'000};

std::unique_ptr<CacheManager> manager_of(const ServingConfig& config, Observer& observer) {
  if (config.beams)
    return make_beam_manager(config.engine, config.block_bytes, *config.beams, observer);
  return make_cache_manager(config.engine, config.block_bytes, observer);
}

}  // namespace

ServingSimulation::ServingSimulation(ServingConfig config, std::unique_ptr<RequestSource> requests)
    : config_(std::move(config)),
      cache_(manager_of(config_, broadcast_)),
      scheduler_(config_.scheduler, *cache_, broadcast_),
      source_(std::move(requests)) {
  VACANCY_ASSERT(!config_.beams || (config_.engine.steps_in_flight == 1 && !config_.rounds),
                 "candidates are chosen between two steps, and keep their tokens");
  if (config_.beams) add_observer(copied_);
  if (config_.rounds) {
    rounds_.emplace(*config_.rounds, *cache_->cache(), broadcast_);
    scheduler_.set_relief([this] { return rounds_->relieve(scheduler_); });
  }
  next_.emplace();
  if (!source_->next(*next_)) next_.reset();
}

bool ServingSimulation::may_join(const Request& next) const {
  if (config_.arrivals != ArrivalRule::closed_loop) return next.arrival <= now_;
  return !config_.concurrency || scheduler_.unfinished() < *config_.concurrency;
}

void ServingSimulation::take_arrivals() {
  while (next_ && may_join(*next_)) {
    if (config_.arrivals == ArrivalRule::closed_loop) next_->arrival = now_;
    check_length(*next_);
    scheduler_.add(std::move(*next_));
    ++seen_;
    if (!source_->next(*next_)) next_.reset();
  }
}

void ServingSimulation::check_length(const Request& request) const {
  const std::uint64_t tokens = std::uint64_t{request.prompt_tokens} + request.output_tokens;
  const auto check = [&](std::uint64_t most, const char* who, const char* remedy) {
    if (tokens > most)
      throw UserError("Request " + std::to_string(request.id.value()) + " grows to " +
                      format_count(tokens) + " tokens, but " + who + " ends at " +
                      format_count(most) + ". " + remedy +
                      ", or leave out this and later requests.");
  };
  if (config_.rounds && config_.rounds->attention)
    check(config_.rounds->attention->max_length(), "the attention source",
          "Take another attention.source");
  if (config_.engine.max_sequence_tokens)
    check(*config_.engine.max_sequence_tokens, "the engine's longest sequence",
          "Raise engine.max_sequence_tokens");
}

RunStatus ServingSimulation::step() {
  if (status_ != RunStatus::running) return status_;
  take_arrivals();
  const std::size_t before = in_flight_.size();
  if (before < config_.engine.steps_in_flight && scheduler_.unfinished() > 0) compose();
  if (status_ != RunStatus::running) return status_;
  const bool composed = in_flight_.size() > before;
  if (composed && in_flight_.size() < config_.engine.steps_in_flight) return status_;
  if (!in_flight_.empty()) {
    complete_oldest();
    return status_;
  }
  // Where requests were only rejected, or preempted in vain, those that are left go on at once.
  if (scheduler_.unfinished() > 0 || (next_ && may_join(*next_))) return status_;
  if (next_) {
    wait_for_arrival();
  } else {
    status_ = scheduler_.rejected() == 0 ? RunStatus::completed : RunStatus::stopped;
    if (status_ == RunStatus::stopped)
      stop_reason_ = format_count(scheduler_.rejected()) +
                     (scheduler_.rejected() == 1 ? " request was" : " requests were") +
                     " rejected: alone in the pool, they found too few blocks. Give "
                     "the pool more (cache.blocks).";
  }
  return status_;
}

void ServingSimulation::wait_for_arrival() {
  const auto& cap = config_.caps.virtual_time;
  advance(cap ? std::min(std::max(now_, *cap), next_->arrival) : next_->arrival);
  stop_at_time_cap();
}

void ServingSimulation::stop_at_time_cap() {
  const auto& cap = config_.caps.virtual_time;
  if (!cap || now_ < *cap || (!next_ && scheduler_.unfinished() == 0)) return;
  stop("the cap of " + format_duration(*cap) +
       " of virtual time (serving.max_virtual_time) was reached.");
}

void ServingSimulation::compose() {
  InFlight fresh;
  if (!spare_.empty()) {
    fresh.step = std::move(spare_.back());
    spare_.pop_back();
  }
  scheduler_.compose(fresh.step);
  // Also where nothing can run after it.
  if (config_.link_time && fresh.step.swapped_blocks > 0)
    engine_free_ = std::max(now_, engine_free_) +
                   config_.link_time(config_.block_bytes * fresh.step.swapped_blocks);
  if (config_.link_time) wait_for_host_tier();
  wait_for_copies();
  if (rounds_) {
    for (const SequenceId id : fresh.step.preempted)
      rounds_->preempted(id);
    wait_for_moves();
  }
  for (const SequenceId id : fresh.step.preempted)
    if (scheduler_.fruitless_preemptions(id) > config_.caps.fruitless_preemptions)
      stop("request " + std::to_string(id.value()) + " was preempted " +
           format_count(scheduler_.fruitless_preemptions(id)) +
           " times between two of its tokens: the run makes no progress. Give the pool more "
           "(cache.blocks), or let fewer requests run (serving.max_num_seqs).");
  if (fresh.step.scheduled.empty()) {
    spare_.push_back(std::move(fresh.step));
    return;
  }
  if (first_step_) advance(now_ + config_.cold_start);
  first_step_ = false;
  const SimTime length = config_.step_time ? config_.step_time(fresh.step) : millisecond;
  const SimTime begin = std::max(now_, engine_free_);
  if (begin < moving_until_)
    report_run_across(fresh.step, moving_);
  else
    moving_.clear();
  engine_free_ = begin + length;
  fresh.end = engine_free_;
  in_flight_.push_back(std::move(fresh));
  if (engine_free_ > longest_run)
    stop("virtual time would pass " + format_duration(longest_run) +
         ": a step takes too long on this device (device).");
}

void ServingSimulation::wait_for_copies() {
  const std::uint64_t slots = copied_.take();
  if (slots == 0 || !config_.copy_time) return;
  const std::uint32_t block_size = config_.engine.hash_chain->block_size;
  const Bytes read_and_written(2 * slots * config_.block_bytes.value() / block_size);
  engine_free_ = std::max(now_, engine_free_) + config_.copy_time(read_and_written);
}

void ServingSimulation::complete_oldest() {
  InFlight done = std::move(in_flight_.front());
  in_flight_.pop_front();
  advance(done.end);
  scheduler_.complete(done.step);
  done_ += done.step.finished.size();
  if (rounds_) run_rounds(done.step);
  spare_.push_back(std::move(done.step));
  stop_at_time_cap();
}

void ServingSimulation::run_rounds(const Step& step) {
  for (const SequenceId id : step.finished)
    rounds_->close(id);
  rounds_->after_step(step, scheduler_);
  wait_for_moves();
}

bool ServingSimulation::reclaim(SequenceId id, const Reclaimer& reclaimer) {
  if (!rounds_ || !rounds_->reclaim(id, reclaimer)) return false;
  wait_for_moves();
  return true;
}

void ServingSimulation::change_reclaim(std::shared_ptr<const Reclaimer> reclaimer,
                                       std::optional<BlockAggregate> whole_blocks) {
  VACANCY_ASSERT(rounds_, "a run without rounds has no way to reclaim");
  config_.rounds->change_reclaim(std::move(reclaimer), whole_blocks);
  rounds_->reclaim_changed();
}

void ServingSimulation::wait_for_host_tier() {
  const HostTraffic moved = cache_->take_host_traffic();
  const SimTime begin = std::max(now_, engine_free_);
  const auto over_the_link = [&](SharedLink& link, Bytes bytes) {
    return link.reserve(begin, config_.link_time(bytes));
  };
  if (moved.written > Bytes(0)) over_the_link(to_host_, moved.written);
  if (moved.written_back > Bytes(0)) engine_free_ = over_the_link(to_host_, moved.written_back);
  if (moved.loaded > Bytes(0))
    engine_free_ = std::max(engine_free_, over_the_link(from_host_, moved.loaded));
}

void ServingSimulation::wait_for_moves() {
  const ServingRounds::Moved moved = rounds_->take_moved();
  SimTime length = config_.round_time * moved.rounds;
  if (config_.copy_time && moved.bytes.value() > 0) length += config_.copy_time(moved.bytes);
  if (config_.selection_time && moved.rounds > 0)
    length += config_.selection_time(moved.chosen_from);
  if (length == SimTime() && moved.requests.empty()) return;
  if (config_.rounds->eviction.faults.has(EvictionFault::barrier_bypass))
    run_across(moved, length);
  else
    engine_free_ = std::max(now_, engine_free_) + length;
}

void ServingSimulation::run_across(const ServingRounds::Moved& moved, SimTime length) {
  if (moving_until_ <= now_) moving_.clear();
  moving_.insert(moving_.end(), moved.requests.begin(), moved.requests.end());
  moving_until_ = std::max(now_, moving_until_) + length;
  for (const InFlight& queued : in_flight_)
    report_run_across(queued.step, moved.requests);
}

void ServingSimulation::report_run_across(const Step& step, const std::vector<SequenceId>& moving) {
  for (const ScheduledTokens& part : step.scheduled)
    if (std::find(moving.begin(), moving.end(), part.sequence) != moving.end())
      broadcast_.on_event(FaultDamage{EvictionFault::barrier_bypass, part.sequence, part.tokens});
}

void ServingSimulation::advance(SimTime now) {
  if (now == now_) return;
  now_ = now;
  cache_->advance(now);
  broadcast_.on_event(ClockAdvanced{now});
}

void ServingSimulation::stop(std::string reason) {
  status_ = RunStatus::stopped;
  stop_reason_ = std::move(reason);
}

}  // namespace vacancy
