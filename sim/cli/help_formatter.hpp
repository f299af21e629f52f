// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>
#include <string>

namespace vacancy {

/// Help pages as wide as the terminal: names in one column, text wrapped in the rest.
class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t columns);

  std::string make_option(const CLI::Option* option, bool positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* app) const override;
  /// Lines that are indented are examples and stay as they are.
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string row(const std::string& name, const std::string& text) const;

  std::size_t columns_;
};

}  // namespace vacancy
