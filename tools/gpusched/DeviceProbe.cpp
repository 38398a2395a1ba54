// DeviceProbe.cpp - is there a GPU here?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched/DeviceProbe.h"

#include "rt/device/cuda/CudaDriver.h"

namespace gpusched::tool {

Result<int> cudaDevices() {
  Result<CudaDriver> driver = CudaDriver::open();
  if (!driver)
    return driver.status();
  return driver->devices();
}

} // namespace gpusched::tool
