// DeviceFormat.h - printf as a kernel calls it: a format and a buffer of packed arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace gpusched::cpu {

/// The text that vprintf(format, arguments) prints. Arguments are packed as nvcc packs them:
/// each aligned to its size, floats as doubles. `count` is how many conversions were read.
std::string formatDevice(const char* format, const uint8_t* arguments, uint32_t& count);

} // namespace gpusched::cpu
