// DeviceProperties.h - cudaDeviceProp and device attributes from a DeviceDescription.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a description does not know (texture limits, PCI ids) takes the value that all GPUs since
// CC 7.0 share, or says "not supported" for what the cpu device cannot do.
#pragma once

#include "rt/schema/DeviceDescription.h"

#include <driver_types.h>

#include <optional>

namespace gpusched::cudart {

/// Of the device with that number.
cudaDeviceProp deviceProperties(const DeviceDescription& device, int ordinal);

/// Nothing for an attribute this runtime does not know.
std::optional<int> deviceAttribute(const DeviceDescription& device, cudaDeviceAttr attribute,
                                   int ordinal);

} // namespace gpusched::cudart
