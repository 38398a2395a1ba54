// DeviceFormat.h - printf as a kernel calls it: a format and a buffer of packed arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gpusched::cpu {

/// May the program's bytes there be read? What may not reads as if it were zero.
using Readable = std::function<bool(const void* address, uint64_t bytes)>;

/// A string in device memory, up to its end or to the first byte that may not be read.
std::string deviceText(const char* text, const Readable& readable);

/// The text that vprintf(format, arguments) prints. Arguments are packed as nvcc packs them:
/// each aligned to its size, floats as doubles. `count` is how many conversions were read.
std::string formatDevice(const char* format, const uint8_t* arguments, uint32_t& count,
                         const Readable& readable);

} // namespace gpusched::cpu
