// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace vacancy {

/// A sentence about arguments that could not be parsed: what is wrong, the nearest name, and where
/// the help is.
std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error);

}  // namespace vacancy
