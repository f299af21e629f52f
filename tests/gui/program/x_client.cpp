// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/program/x_client.hpp"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace vacancy::test {

std::size_t WindowPicture::count(std::uint32_t colour) const {
  return static_cast<std::size_t>(std::count(pixels.begin(), pixels.end(), colour));
}

struct XClient::Connection {
  Display* display = nullptr;

  Atom atom(const char* name) const { return XInternAtom(display, name, False); }
  std::string title(::Window window) const {
    Atom type = 0;
    int format = 0;
    unsigned long items = 0, rest = 0;
    unsigned char* bytes = nullptr;
    constexpr long most = 1024;
    if (XGetWindowProperty(display, window, atom("_NET_WM_NAME"), 0, most, False,
                           atom("UTF8_STRING"), &type, &format, &items, &rest, &bytes) != Success)
      return {};
    std::string result;
    if (bytes != nullptr) result.assign(reinterpret_cast<const char*>(bytes), items);
    if (bytes != nullptr) XFree(bytes);
    return result;
  }
};

XClient::XClient(const std::string& display) : connection_(std::make_unique<Connection>()) {
  // A window may go while it is asked for.
  XSetErrorHandler([](Display*, XErrorEvent*) { return 0; });
  connection_->display = XOpenDisplay(display.c_str());
  if (connection_->display == nullptr) throw std::runtime_error("no display " + display);
}

XClient::~XClient() {
  XCloseDisplay(connection_->display);
}

std::optional<XClient::Window> XClient::find(const std::string& title) {
  Display* const display = connection_->display;
  ::Window root = 0, parent = 0, *children = nullptr;
  unsigned count = 0;
  if (XQueryTree(display, DefaultRootWindow(display), &root, &parent, &children, &count) == 0)
    return std::nullopt;
  std::optional<Window> found;
  for (const ::Window window : std::span(children, count)) {
    XWindowAttributes attributes;
    if (XGetWindowAttributes(display, window, &attributes) != 0 &&
        attributes.map_state == IsViewable && connection_->title(window).starts_with(title))
      found = window;
  }
  if (children != nullptr) XFree(children);
  return found;
}

WindowPicture XClient::picture(Window window) {
  Display* const display = connection_->display;
  XWindowAttributes attributes;
  if (XGetWindowAttributes(display, window, &attributes) == 0) return {};
  WindowPicture result{attributes.width, attributes.height, {}};
  XImage* const image = XGetImage(display, window, 0, 0, static_cast<unsigned>(attributes.width),
                                  static_cast<unsigned>(attributes.height), AllPlanes, ZPixmap);
  if (image == nullptr) return {};
  for (int y = 0; y < attributes.height; ++y)
    for (int x = 0; x < attributes.width; ++x)
      result.pixels.push_back(static_cast<std::uint32_t>(XGetPixel(image, x, y) & 0xffffffu));
  XDestroyImage(image);
  return result;
}

void XClient::close(Window window) {
  XEvent event{};
  event.xclient.type = ClientMessage;
  event.xclient.window = window;
  event.xclient.message_type = connection_->atom("WM_PROTOCOLS");
  event.xclient.format = 32;
  event.xclient.data.l[0] = static_cast<long>(connection_->atom("WM_DELETE_WINDOW"));
  event.xclient.data.l[1] = CurrentTime;
  XSendEvent(connection_->display, window, False, NoEventMask, &event);
  XFlush(connection_->display);
}

}  // namespace vacancy::test
