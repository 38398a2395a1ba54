// DeviceRuntime.h - the CUDA runtime that kernels call: launches, streams, events, copies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc links NVIDIA's libcudadevrt into every -rdc=true program. Its functions rest on calls of the
// driver that are documented nowhere, so the engine answers for the functions themselves, as
// cuda_device_runtime_api.h declares them: __cudaCDP2LaunchDeviceV2 and its like. Those that are
// not here (error names) remain the library's.
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"

#include <string_view>

namespace gpusched::cpu {

/// The handler of a call to `name`, which stands before a definition that the module has; null if
/// it is none of the runtime's.
Handler deviceRuntimeHandler(std::string_view name);

} // namespace gpusched::cpu
