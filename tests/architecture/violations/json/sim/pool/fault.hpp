// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
