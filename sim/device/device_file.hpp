// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/device/device.hpp"
#include "sim/json/file_key.hpp"

namespace vacancy {

/// Reads a device object strictly: types, ranges, unknown keys, fields that contradict each other.
/// `place` is what stands before a key in a message, such as "my_gpu.json: ". Throws one UserError
/// with a line for each fault.
Device device_from_json(const nlohmann::json& json, const std::string& place);
/// The same from the text of a file of this name.
Device device_from_text(std::string_view text, const std::string& file);

/// The device as a file: every key that it has, two spaces of indent, a newline at the end. Reads
/// back as the same device.
std::string to_text(const Device& device);

std::span<const FileKey> device_keys();

/// Built-in devices, sorted.
std::vector<std::string> device_preset_names();

/// A built-in device; an unknown name is a UserError that lists them.
Device device_preset(std::string_view name);

/// The built-in device as its file is written, to copy and change.
std::string_view device_preset_text(std::string_view name);

}  // namespace vacancy
