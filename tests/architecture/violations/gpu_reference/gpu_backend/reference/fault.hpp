// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/codecs/fp8.hpp"
