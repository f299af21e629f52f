// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <queue>
#include <string>
#include <vector>

#include "sim/workload/synthetic/arrivals.hpp"
#include "sim/workload/synthetic/prompt_keys.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// A lognormal length.
struct LengthLaw {
  double median = 1, sigma = 0;
  std::uint32_t maximum = 1;
};

/// How sessions go: each is a row of requests whose prompts grow by the answer to the last one and
/// by what is said next.
struct SessionLaw {
  std::uint32_t kinds = 1;          // different shared beginnings
  std::uint32_t shared_tokens = 0;  // of all sessions of a kind
  LengthLaw first, next, output;    // tokens of the first message, of later ones, of answers
  double mean_requests = 1;         // geometric
  double output_token_seconds = 0;  // that the trace's server took for a token of an answer
  double pause_seconds = 0;         // mean from an answer to the next request; exponential
  std::uint32_t context_limit = 0;  // tokens of a prompt
  /// What is left of the history when it would exceed the limit; nothing: the session ends.
  std::optional<std::uint32_t> summary_tokens;
};

/// Sessions that start independently and run side by side. Memory: one record for each that runs.
class SessionTrace : public TraceReader {
 public:
  SessionTrace(std::string name, const StreamOptions& options, const SessionLaw& law,
               std::uint64_t seed);

  const TraceInfo& info() const override { return info_; }
  bool next(TraceRequest& request) override;

 private:
  struct Session {
    SimTime time;  // of its next request
    std::uint32_t number = 0, index = 0, requests = 1;
    std::uint32_t history = 0;  // tokens behind the shared ones, the next message included
    std::uint32_t version = 0;  // how often the history became a summary

    /// For a heap with the earliest on top.
    bool operator<(const Session& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  void start_sessions();
  void give(const Session& session, TraceRequest& request) const;
  /// Moves to the next request; false if there is none.
  bool go_on(Session& session, std::uint32_t output) const;
  std::uint32_t length(const LengthLaw& law, const Session& session, DrawPurpose purpose) const;
  std::uint32_t kind(const Session& session) const;

  TraceInfo info_;
  SessionLaw law_;
  std::uint64_t left_;
  RandomDraws draws_;
  Arrivals arrivals_;
  std::priority_queue<Session> running_;
};

}  // namespace vacancy
