// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vacancy::test {

/// What a window shows, 0xRRGGBB a pixel, row by row.
struct WindowPicture {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;

  std::size_t count(std::uint32_t colour) const;
};

/// Another program on an X display, which asks for windows, looks at them and closes them as a
/// window manager does. No Qt, so that nothing is shared with what it looks at.
class XClient {
 public:
  using Window = unsigned long;

  /// Throws std::runtime_error if there is no such display.
  explicit XClient(const std::string& display);
  XClient(const XClient&) = delete;
  XClient& operator=(const XClient&) = delete;
  ~XClient();

  /// The visible window on top level whose title begins like this.
  std::optional<Window> find(const std::string& title);
  WindowPicture picture(Window window);
  /// Asks it to close (WM_DELETE_WINDOW).
  void close(Window window);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace vacancy::test
