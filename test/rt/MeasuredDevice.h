// MeasuredDevice.h - a GPU of 100 SMs with an H200's room on each.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/schema/DeviceDescription.h"

inline gpusched::DeviceDescription measuredDevice() {
  gpusched::DeviceDescription made;
  made.name = "test";
  made.computeMajor = 9;
  made.sms = 100, made.warpsPerSm = 64, made.blocksPerSm = 32;
  made.registersPerSm = 65536, made.registerAllocationUnit = 256;
  made.sharedBytesPerSm = 233472, made.sharedReservedPerBlock = 1024;
  return made;
}
