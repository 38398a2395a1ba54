// CurrentDevice.cpp - one number a thread.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/CurrentDevice.h"

#include "rt/device/cpu/cudart/Runtime.h"

namespace gpusched::cudart {

static thread_local int gCurrent = 0;

int deviceCount() {
  Runtime* runtime = Runtime::existing();
  return runtime ? runtime->options.devices : 1;
}

bool isDevice(int device) {
  return device >= 0 && device < deviceCount();
}

int currentDevice() {
  return gCurrent;
}

void makeCurrent(int device) {
  gCurrent = device;
}

} // namespace gpusched::cudart
