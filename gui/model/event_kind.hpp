// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "sim/pool/events.hpp"

namespace vacancy::gui {

/// What kind an event is: its place among the alternatives of vacancy::Event.
using EventKind = std::uint8_t;
inline constexpr std::size_t event_kinds = std::variant_size_v<vacancy::Event>;

namespace detail {
template <class E, std::size_t I = 0>
constexpr EventKind index_of_event() {
  static_assert(I < event_kinds, "an event of the stream");
  if constexpr (std::is_same_v<E, std::variant_alternative_t<I, vacancy::Event>>)
    return static_cast<EventKind>(I);
  else
    return index_of_event<E, I + 1>();
}
}  // namespace detail

template <class E>
inline constexpr EventKind kind_of = detail::index_of_event<E>();

}  // namespace vacancy::gui
