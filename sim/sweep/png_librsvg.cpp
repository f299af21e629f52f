// SPDX-License-Identifier: Apache-2.0
#include <cairo.h>
#include <librsvg/rsvg.h>

#include <memory>

#include "sim/sweep/png.hpp"
#include "sim/units/error.hpp"

#ifdef __SANITIZE_ADDRESS__
// What fontconfig reads of the system's fonts it keeps until the process ends.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_options();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n";
}
extern "C" const char* __lsan_default_options() {
  return "print_suppressions=0";
}
// NOLINTEND(bugprone-reserved-identifier)
#endif

namespace vacancy {

namespace {

constexpr double scale = 2;

template <auto release>
struct Release {
  template <class Object>
  void operator()(Object* object) const {
    release(object);
  }
};
using Drawing = std::unique_ptr<RsvgHandle, Release<g_object_unref>>;
using Surface = std::unique_ptr<cairo_surface_t, Release<cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Release<cairo_destroy>>;

cairo_status_t append(void* text, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::optional<std::string> png_of_svg(const std::string& svg) {
  const Drawing drawing(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), nullptr));
  VACANCY_ASSERT(drawing, "a drawing of our own can be read");
  double width = 0, height = 0;
  VACANCY_ASSERT(rsvg_handle_get_intrinsic_size_in_pixels(drawing.get(), &width, &height),
                 "a drawing of our own has a size");
  constexpr double most_pixels = 32'767;
  if (width * scale > most_pixels || height * scale > most_pixels) return std::nullopt;
  const Surface surface(cairo_image_surface_create(
      CAIRO_FORMAT_ARGB32, static_cast<int>(width * scale), static_cast<int>(height * scale)));
  const Context context(cairo_create(surface.get()));
  const RsvgRectangle whole{0, 0, width * scale, height * scale};
  std::string png;
  VACANCY_ASSERT(
      rsvg_handle_render_document(drawing.get(), context.get(), &whole, nullptr) &&
          cairo_surface_write_to_png_stream(surface.get(), append, &png) == CAIRO_STATUS_SUCCESS,
      "a picture that cairo can hold can be drawn");
  return png;
}

}  // namespace vacancy
