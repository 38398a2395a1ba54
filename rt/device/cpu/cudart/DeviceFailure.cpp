// DeviceFailure.cpp - the device's sticky error: set once by a fault, returned by every call after.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/DeviceFailure.h"

#include "rt/support/Log.h"

namespace gpusched::cudart {

void DeviceFailure::fail(cudaError_t code, const std::string& message) {
  cudaError_t none = cudaSuccess;
  code_.compare_exchange_strong(none, code, std::memory_order_acq_rel);
  log(LogLevel::Error, "%s", message.c_str());
}

cudaError_t failureCode(const cpu::LaunchOutcome& outcome) {
  const std::string& message = outcome.status.message();
  if (outcome.trapped && message.find("assert") != std::string::npos)
    return cudaErrorAssert;
  if (outcome.fault == cpu::Fault::IllegalAddress)
    return cudaErrorIllegalAddress;
  if (outcome.fault == cpu::Fault::MisalignedAddress)
    return cudaErrorMisalignedAddress;
  return cudaErrorLaunchFailure;
}

} // namespace gpusched::cudart
