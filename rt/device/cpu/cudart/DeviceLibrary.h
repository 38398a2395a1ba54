// DeviceLibrary.h - functions of libcudadevrt.a that are PTX of ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs link kernels that synchronise a grid with that library: numba's grid groups call it
// (CUDA's own headers bring the barrier themselves). Who asks for PTX gets such a module unlinked.
#pragma once

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/support/Result.h"

#include <memory>

namespace gpusched::cudart {

/// The module with those of the library's functions that it declares and does not define. Any
/// thread.
Result<std::shared_ptr<const ptx::Module>>
withDeviceLibrary(const std::shared_ptr<const ptx::Module>& module);

} // namespace gpusched::cudart
