// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vacancy {

// Sentences of a lesson. {name} stands for a figure; nothing else in them is a number.

/// The names in braces, each once. `fault` tells what is wrong with the braces.
std::vector<std::string> figures_in(std::string_view text, std::optional<std::string>& fault);
/// The first digit outside braces with what stands around it; empty where there is none.
std::string number_in(std::string_view text);
/// With the figures in place of their names.
std::string filled(std::string_view text,
                   const std::function<std::string(const std::string&)>& text_of);

/// Whether the text has this word, or its plural, as a word of its own.
bool has_word(std::string_view text, std::string_view word);

}  // namespace vacancy
