// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace vacancy {

/// The user's input is wrong. The message is a full sentence: place, fault, remedy. Exit code 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reports a broken invariant and aborts: a bug of Vacancy, never the user's fault.
[[noreturn]] void assertion_failed(const char* condition, const char* reason, const char* file,
                                   int line);

}  // namespace vacancy

/// Checked in every build; keep it out of per-token loops.
#define VACANCY_ASSERT(condition, reason) \
  ((condition) ? void(0) : ::vacancy::assertion_failed(#condition, reason, __FILE__, __LINE__))
