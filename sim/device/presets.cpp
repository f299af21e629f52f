// SPDX-License-Identifier: Apache-2.0
#include "sim/device/device_file.hpp"
#include "sim/device/embedded_devices.hpp"

namespace vacancy {

std::vector<std::string> device_preset_names() {
  return names_of(embedded_devices());
}

std::string_view device_preset_text(std::string_view name) {
  return text_of(embedded_devices(), name, "device");
}

Device device_preset(std::string_view name) {
  return device_from_text(device_preset_text(name), std::string(name) + ".json");
}

}  // namespace vacancy
