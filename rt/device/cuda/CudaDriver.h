// CudaDriver.h - the NVIDIA driver of this machine, opened at run time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CudaDriver is proof: the library is there, cuInit succeeded, and there is a device. Whatever
// crashes or misleads without a driver (two entry points of CUPTI do) takes one as an argument, so
// that the safe order is the only one that compiles.
//
//   libcuda.so.1 -> every symbol -> cuInit -> device count       open()
//   attributes -> DeviceDescription                              describe()
//
// Changes nothing on the device: no MIG, clock or MPS setting is touched. After open() the process
// must not fork and go on using CUDA in the child. No cuda.h here: tools include this file.
#pragma once

#include "rt/schema/DeviceDescription.h"
#include "rt/support/Result.h"

#include <cstdint>
#include <memory>
#include <string>

namespace gpusched {

struct DriverTable;

/// One device as its driver describes it.
struct CudaDevice {
  int ordinal = 0;
  DeviceDescription description;
  std::string
      ratesFrom; ///< shipped description that lanes and latencies were taken from; "" = none
  bool migSlice = false;
  bool greenContexts = false; ///< its SMs can be divided between contexts
  bool concurrentKernels = false;
};

class CudaDriver {
public:
  /// Which step stopped open(): what `gpusched doctor` shows in which line.
  enum class Step : uint8_t { Library, Init, Devices, Ready };

  /// The step that was reached is stored in `reached` when it is given.
  static Result<CudaDriver> open(Step* reached = nullptr);
  ~CudaDriver();
  CudaDriver(CudaDriver&&) noexcept;
  CudaDriver& operator=(CudaDriver&&) noexcept;

  int devices() const { return devices_; }
  /// 13000 for CUDA 13.0; 0 when the driver does not say.
  int version() const { return version_; }
  /// The toolkit that this was built with. Its programs run on every driver of its major version.
  static int toolkitVersion();

  Result<CudaDevice> describe(int ordinal) const;

  /// The device's primary context (a CUcontext), made current on this thread.
  Result<void*> retainContext(int ordinal) const;
  void releaseContext(int ordinal) const;

private:
  explicit CudaDriver(DriverTable table);

  std::unique_ptr<DriverTable> table_;
  int devices_ = 0;
  int version_ = 0;
};

} // namespace gpusched
