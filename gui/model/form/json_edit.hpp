// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vacancy::gui {

// Changes of a JSON text that leave every other byte as its author wrote it: order, indentation and
// comments. The text is valid JSON with comments, an object at its top; `keys` lead from there to a
// value.

/// With `value`, a JSON text, where the keys lead. A key that is not there joins the end of its
/// object in the object's own style, on its line or on a new one; objects on the way are made, and
/// what stands on the way and is no object is replaced.
std::string with_value(std::string_view text, const std::vector<std::string>& keys,
                       std::string_view value);

/// Without the last key, if it is there. An object around it that held nothing else goes with it,
/// but for the top and for objects with comments in them.
std::string without_value(std::string_view text, const std::vector<std::string>& keys);

/// The keys of a JSON pointer (RFC 6901).
std::vector<std::string> keys_of_pointer(std::string_view pointer);

}  // namespace vacancy::gui
