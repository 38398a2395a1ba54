// DeviceProbe.cpp - is there a GPU here?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver library is opened by name and two of its functions are called through their plain
// C signatures, so this builds without any CUDA header.
#include "tools/gpusched/DeviceProbe.h"

#include <dlfcn.h>

#include <string>

namespace gpusched::tool {

Result<int> cudaDevices() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver)
    return Status::error(std::string("the NVIDIA driver is not installed (") + dlerror() + ")");
  using Init = int (*)(unsigned);
  using Count = int (*)(int*);
  Init init = reinterpret_cast<Init>(dlsym(driver, "cuInit"));
  Count count = reinterpret_cast<Count>(dlsym(driver, "cuDeviceGetCount"));
  if (!init || !count)
    return Status::error("libcuda.so.1 has no cuInit; is it the NVIDIA driver's?");
  int devices = 0;
  if (int error = init(0); error != 0)
    return Status::error("the NVIDIA driver finds no device (cuInit returned " +
                         std::to_string(error) + ")");
  if (count(&devices) != 0 || devices == 0)
    return Status::error("the NVIDIA driver finds no device");
  return devices;
}

} // namespace gpusched::tool
