// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>

namespace vacancy {

/// An integer that cannot be mixed up with another kind of integer: most faults of a paged cache
/// are slot/token/block mix-ups, and the compiler finds them here.
template <class Tag, class Rep>
class StrongType {
 public:
  using rep = Rep;

  constexpr StrongType() = default;
  constexpr explicit StrongType(Rep value) : value_(value) {}

  constexpr Rep value() const { return value_; }
  constexpr auto operator<=>(const StrongType&) const = default;

 private:
  Rep value_{};
};

/// A strong type with the arithmetic of a quantity (bytes, time): sums and differences of its own
/// kind, multiples by a plain number.
template <class Tag, class Rep>
class Quantity : public StrongType<Tag, Rep> {
 public:
  using StrongType<Tag, Rep>::StrongType;
  using StrongType<Tag, Rep>::value;

  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value() + b.value());
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.value() - b.value());
  }
  friend constexpr Quantity operator*(Quantity a, Rep n) { return Quantity(a.value() * n); }
};

}  // namespace vacancy
