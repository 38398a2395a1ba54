// CurrentDevice.h - the device of the calling thread, where the cpu device plays several.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPUSCHED_DEVICE_COUNT devices, all alike, execute on one engine and share one memory, as GPUs
// with peer access do; the default streams of all are one stream. So programs for several GPUs run,
// and what a runtime keeps apart by device and context is seen; contention between devices is not
// real.
#pragma once

namespace gpusched::cudart {

inline constexpr int kMostDevices = 16;

int deviceCount();
bool isDevice(int device);
/// 0 until makeCurrent() was called in this thread.
int currentDevice();
/// REQUIRES: isDevice(device).
void makeCurrent(int device);

} // namespace gpusched::cudart
