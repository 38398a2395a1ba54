// FuzzLaunch.h - the device that mutants run on, and the launch that each kernel of theirs gets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/Gpu.h"

#include <algorithm>
#include <cstring>

namespace gpusched::test {

inline DeviceDescription fuzzDevice(uint32_t sms) {
  DeviceDescription device;
  device.name = "fuzz device";
  device.sms = sms;
  device.warpsPerSm = 64;
  device.blocksPerSm = 8;
  device.sharedBytesPerSm = device.sharedBytesPerBlockOptin = 65536;
  device.memoryBytes = 1 << 26;
  return device;
}

/// A damaged declaration may ask for more.
inline bool hasFewParameters(const cpu::Kernel& kernel) {
  return cpu::Gpu::facts(kernel).parameterBytes <= 1 << 16;
}

/// Two blocks; every parameter is `pointer`. The steps are bounded, so that every mutant ends.
inline cpu::Launch fuzzLaunch(const cpu::Kernel& kernel, const void* pointer, uint32_t threads) {
  const cpu::KernelFacts& facts = cpu::Gpu::facts(kernel);
  cpu::Launch launch;
  launch.kernel = &kernel;
  launch.grid = {2, 1, 1};
  launch.block = {threads, 1, 1};
  launch.dynamicSharedBytes = 256;
  launch.stepLimit = 1 << 17;
  launch.parameters.resize(facts.parameterBytes);
  for (const auto& parameter : facts.parameters)
    std::memcpy(launch.parameters.data() + parameter.offset, &pointer,
                std::min<uint64_t>(parameter.bytes, sizeof pointer));
  return launch;
}

} // namespace gpusched::test
