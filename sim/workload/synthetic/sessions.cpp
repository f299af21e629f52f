// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/sessions.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

namespace vacancy {

SessionTrace::SessionTrace(std::string name, const StreamOptions& options, const SessionLaw& law,
                           std::uint64_t seed)
    : info_{std::move(name), options.block_size, false},
      law_(law),
      left_(options.requests),
      draws_(seed),
      arrivals_(options, draws_) {
  const std::uint64_t first = std::uint64_t{law.shared_tokens} + law.first.maximum;
  const std::uint64_t summarised =
      std::uint64_t{law.shared_tokens} + law.summary_tokens.value_or(0) + law.next.maximum;
  const std::uint64_t needed = law.summary_tokens ? std::max(first, summarised) : first;
  if (needed > law.context_limit)
    throw UserError("context_limit " + std::to_string(law.context_limit) + " is below the " +
                    std::to_string(needed) +
                    " tokens that shared beginning, summary and longest message need; raise it.");
}

bool SessionTrace::next(TraceRequest& request) {
  if (left_ == 0) return false;
  --left_;
  start_sessions();
  Session session = running_.top();
  running_.pop();
  give(session, request);
  if (go_on(session, request.output_tokens)) running_.push(session);
  return true;
}

void SessionTrace::start_sessions() {
  while (running_.empty() || arrivals_.time() <= running_.top().time) {
    Session session;
    session.time = arrivals_.time();
    session.number = arrivals_.number();
    session.requests = draws_.geometric(law_.mean_requests, session.number, 0, DrawPurpose::turns);
    session.history = length(law_.first, session, DrawPurpose::prompt);
    running_.push(session);
    arrivals_.advance();
  }
}

void SessionTrace::give(const Session& session, TraceRequest& request) const {
  request.block_keys.clear();
  request.prompt_ids.clear();
  request.output_ids.clear();
  PromptKeys prompt(info_.block_size, request.block_keys);
  prompt.add(ContentKind::group, kind(session), 0, law_.shared_tokens);
  prompt.add(ContentKind::conversation, session.number, session.version, session.history);
  request.arrival = session.time;
  request.prompt_tokens = prompt.tokens();
  request.output_tokens = length(law_.output, session, DrawPurpose::output);
}

bool SessionTrace::go_on(Session& session, std::uint32_t output) const {
  if (++session.index == session.requests) return false;
  const std::uint32_t message = length(law_.next, session, DrawPurpose::prompt);
  const std::uint64_t history = std::uint64_t{session.history} + output + message;
  if (law_.shared_tokens + history <= law_.context_limit) {
    session.history = static_cast<std::uint32_t>(history);
  } else if (law_.summary_tokens) {
    session.history = *law_.summary_tokens + message;
    ++session.version;
  } else {
    return false;
  }
  const double answering = output * law_.output_token_seconds;
  const double pause =
      law_.pause_seconds * draws_.exponential(session.number, session.index, DrawPurpose::pause);
  session.time = later(session.time, nanoseconds(answering + pause));
  return true;
}

std::uint32_t SessionTrace::length(const LengthLaw& law, const Session& session,
                                   DrawPurpose purpose) const {
  return draws_.tokens(law.median, law.sigma, law.maximum, session.number, session.index, purpose);
}

std::uint32_t SessionTrace::kind(const Session& session) const {
  const double u = draws_.uniform(session.number, 0, DrawPurpose::group);
  return std::min(static_cast<std::uint32_t>(u * law_.kinds), law_.kinds - 1);
}

}  // namespace vacancy
