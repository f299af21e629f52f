// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vacancy::gpu {

/// What kernels that compute read from a pool; fp8 is E4M3 with a scale a tensor.
enum class ElementType { bf16, fp8, fp32 };

}  // namespace vacancy::gpu
