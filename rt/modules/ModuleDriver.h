// ModuleDriver.h - the driver's own functions, behind those that stand in for some of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/modules; needs cuda.h, whose declarations give the types. Two tables, since CUDA
// has two kinds of default stream: a program that asked for a function of one kind gets its launch
// made by the other functions of that kind.
#pragma once

#include <cuda.h>

namespace gpusched::modules {

struct ModuleDriver {
#define GPUSCHED_DRIVER_FUNCTION(NAME, VERSION) decltype(&::NAME) NAME = nullptr;
#include "rt/modules/ModuleDriver.def"
};

enum class DefaultStream { Legacy, PerThread };

/// The driver that the program opened; null when it is not there, or lacks a function that launches
/// need. Looked up at the first call, for good. Any thread.
const ModuleDriver* driver(DefaultStream kind);

/// One function of libcuda.so.1 by its exported name, or null; never one of this library.
void* driverSymbol(const char* name);

} // namespace gpusched::modules
