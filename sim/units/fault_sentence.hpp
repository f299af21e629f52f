// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace vacancy {

/// What a program says to its user of an error that ends what it was asked for: of a UserError its
/// own sentence, and of a folder that vanished or memory that ran out what happened and what helps.
std::string fault_sentence(const std::exception& error);

}  // namespace vacancy
