// occupancy_test - device descriptions load, and the occupancy rules give NVIDIA's answers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;
using gpusched::DeviceDescription;
using gpusched::loadDeviceDescription;
using gpusched::Occupancy;

namespace {

bool gives(const DeviceDescription& device, uint32_t threads, uint32_t registers, uint64_t shared,
           uint32_t blocks, const std::string& limiter) {
  const Occupancy got = gpusched::occupancy(device, threads, registers, shared);
  return got.blocksPerSm == blocks && got.limiter == limiter;
}

} // namespace

int main() {
  for (const char* name : {"h200", "h100", "a100", "v100", "titan-xp", "rtx-4090"}) {
    const auto loaded = loadDeviceDescription(name);
    CHECK(loaded.ok() && loaded->sms > 0 && loaded->clockMhz > 0);
  }
  const DeviceDescription h200 = *loadDeviceDescription("h200");
  CHECK(gives(h200, 256, 32, 0, 8, "warps"));
  CHECK(gives(h200, 32, 16, 0, 32, "blocks"));
  CHECK(gives(h200, 256, 33, 0, 6, "registers")); // 33 * 32 rounds up to 1280
  CHECK(gives(h200, 256, 255, 0, 1, "registers"));
  CHECK(gives(h200, 64, 40, 0, 24, "registers"));     // 12 warps beside each scheduler, not 12.8
  CHECK(gives(h200, 64, 16, 48 * 1024, 4, "shared")); // 49152 + 1024 reserved
  CHECK(gives(h200, 64, 16, 300 * 1024, 0, "shared"));
  CHECK(gives(h200, 2048, 16, 0, 0, "threads"));
  CHECK(loadDeviceDescription("h201").message().find("h200") != std::string::npos);
  CHECK(!loadDeviceDescription("/nonexistent/x.json").ok());
  return finish();
}
