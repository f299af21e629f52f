// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vacancy {

/// Makes one visitor of several lambdas, for std::visit.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace vacancy
