// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>

#include "sim/lesson/player.hpp"

namespace vacancy {

/// A lesson on paper. With `questions_only` nothing that a locked answer reveals is printed:
/// results in sentences become blanks.
void print_lesson(std::ostream& out, const Lesson& lesson, const Glossary& glossary,
                  std::uint64_t seed, bool questions_only, std::size_t columns);

}  // namespace vacancy
