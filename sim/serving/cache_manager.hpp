// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/pool/cache_gauges.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/pool/sharing_graph.hpp"
#include "sim/pool/window_figures.hpp"
#include "sim/serving/request.hpp"
#include "sim/serving/waiting_order.hpp"

namespace vacancy {

/// Cached contents that were copied between the device and the host.
struct HostTraffic {
  Bytes written;       // to the host, beside what the engine does
  Bytes written_back;  // to the host, to make room: what comes next waits for them
  Bytes loaded;        // to the device, for the step that was composed
};

/// An engine's memory manager as its scheduler sees it. All counts are tokens of the request's
/// sequence unless the name says blocks. A call that returns false has changed nothing that the
/// engine itself would not have changed.
class CacheManager {
 public:
  virtual ~CacheManager() = default;

  /// Virtual time went on.
  virtual void advance(SimTime /*now*/) {}
  /// A step is about to be composed.
  virtual void begin_step() {}
  /// The order in which it would have waiting requests considered; null: as they come.
  virtual WaitingOrder* waiting_order() { return nullptr; }
  /// Whether a waiting request had better wait on while others behind it are admitted: one before
  /// it in this step is about to compute what it would find later.
  virtual bool postpones(const Request& /*request*/, std::uint32_t /*known*/) { return false; }
  /// How much of the sequence, `known` tokens so far, stands in the cache already. Valid for the
  /// next admit of the same request, if nothing else happens in between.
  virtual std::uint32_t lookup(const Request& request, std::uint32_t known) = 0;
  /// Takes what the lookup found, and room for `count` tokens behind it.
  /// `others_run`: another request is running (spec engines V17).
  [[nodiscard]] virtual bool admit(const Request& request, std::uint32_t known, std::uint32_t count,
                                   bool others_run) = 0;
  /// Of the tokens that the lookup found, those that the admission of a running request took: all,
  /// unless bringing some of them in from the host displaced others.
  virtual std::uint32_t taken(const Request& /*request*/, std::uint32_t found) const {
    return found;
  }
  /// Room for `count` tokens behind `computed` ones of a running request.
  [[nodiscard]] virtual bool extend(const Request& request, std::uint32_t computed,
                                    std::uint32_t count, std::uint32_t known) = 0;
  /// A running request got an output token, and `known` tokens with it. What was composed for it is
  /// computed.
  virtual void produced(const Request& /*request*/, std::uint32_t /*known*/) {}
  /// The request loses its room and will be admitted anew.
  virtual void preempt(const Request& request) = 0;
  virtual void finish(const Request& request) = 0;

  /// What was copied since the last call.
  virtual HostTraffic take_host_traffic() { return {}; }
  /// Whether a preempted request can be copied to the host and back.
  virtual bool swaps() const { return false; }
  /// Blocks with the first `computed` tokens of a running request.
  virtual std::uint32_t stored_blocks(const Request& /*request*/,
                                      std::uint32_t /*computed*/) const {
    return 0;
  }
  /// Takes room for `present` tokens, which come from the host into blocks of the request's own,
  /// and for `count` behind them.
  [[nodiscard]] virtual bool admit_swapped(const Request& /*request*/, std::uint32_t /*known*/,
                                           std::uint32_t /*present*/, std::uint32_t /*count*/,
                                           bool /*others_run*/) {
    return false;
  }

  /// Where each candidate of a request in beam search begins to have tokens of its own: those
  /// before are computed once, for one with a lower number. A request that is one sequence has one,
  /// from 0 on.
  virtual std::span<const std::uint32_t> candidate_starts(const Request& /*request*/) const {
    static constexpr std::uint32_t whole[] = {0};
    return whole;
  }

  /// Slots that attention reads for a running request: its tokens, until some are evicted; then
  /// those of the blocks that it still holds.
  virtual std::uint32_t context(const Request& request) const = 0;
  /// Tokens of a running request whose slots come later than they should, where the run shows this
  /// defect (E-32).
  virtual std::uint32_t tokens_without_slot(const Request& /*request*/) const { return 0; }
  virtual std::uint32_t used_blocks() const = 0;
  /// Blocks that could be allocated now, cached ones included.
  virtual std::uint32_t free_blocks() const = 0;
  /// The engine's own usage gauge, 0 … 1.
  virtual double usage() const = 0;
  virtual CacheGauges gauges() const = 0;
  /// sharing() will be asked for. Before the first request.
  virtual void follow_sharing() {}
  /// What the pools of window sizes came to; nothing where there is one pool for all layers.
  virtual std::vector<WindowFigures> windows() const { return {}; }
  /// What its prefix index holds, for merged_chains(); nothing where it has none.
  virtual std::vector<SharingNode> sharing() const { return {}; }
  /// The tables and blocks behind it; null where the engine has another structure.
  virtual const KvCache* cache() const = 0;
  virtual KvCache* cache() = 0;
};

}  // namespace vacancy
