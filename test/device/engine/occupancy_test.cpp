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

std::string nearest(uint32_t major, uint32_t minor, const std::string& model = "") {
  return gpusched::nearestShippedDevice(major, minor, model).name;
}

} // namespace

int main() {
  for (const gpusched::ShippedDevice& device : gpusched::kShippedDevices) {
    const auto loaded = loadDeviceDescription(device.name);
    CHECK(loaded.ok() && loaded->sms > 0 && loaded->clockMhz > 0 && loaded->l2Latency > 0);
    CHECK(loaded->name.starts_with(device.model));
    CHECK(loaded->computeMajor == device.computeMajor);
    CHECK(loaded->computeMinor == device.computeMinor);
    CHECK(nearest(device.computeMajor, device.computeMinor, loaded->name) == device.name);
  }
  CHECK(nearest(9, 0) == "h200");
  CHECK(nearest(9, 0, "NVIDIA H100 PCIe") == "h100");
  CHECK(nearest(9, 0, "NVIDIA B200") == "h200");
  CHECK(nearest(8, 8) == "rtx-3090" && nearest(11, 1) == "b200"); // below rather than above
  CHECK(nearest(6, 0) == "titan-xp");                             // above, of the same major one
  CHECK(nearest(10, 3) == "b200" && nearest(12, 1) == "rtx-5090");
  CHECK(nearest(11, 0) == "b200" && nearest(5, 2) == "titan-xp" && nearest(14, 0) == "rtx-5090");
  const DeviceDescription h200 = *loadDeviceDescription("h200");
  CHECK(gives(h200, 256, 32, 0, 8, "warps"));
  CHECK(gives(h200, 32, 16, 0, 32, "blocks"));
  CHECK(gives(h200, 256, 33, 0, 6, "registers")); // 33 * 32 rounds up to 1280
  CHECK(gives(h200, 256, 255, 0, 1, "registers"));
  CHECK(gives(h200, 64, 40, 0, 24, "registers"));     // 12 warps beside each scheduler, not 12.8
  CHECK(gives(h200, 64, 16, 48 * 1024, 4, "shared")); // 49152 + 1024 reserved
  CHECK(gives(h200, 64, 16, 300 * 1024, 0, "shared"));
  CHECK(gives(h200, 2048, 16, 0, 0, "threads"));
  CHECK(gives(*loadDeviceDescription("t4"), 256, 32, 0, 4, "warps"));
  CHECK(gives(*loadDeviceDescription("rtx-3090"), 32, 32, 0, 16, "blocks"));
  CHECK(gives(*loadDeviceDescription("rtx-5090"), 32, 32, 0, 24, "blocks"));
  CHECK(loadDeviceDescription("h201").message().find("h200") != std::string::npos);
  CHECK(!loadDeviceDescription("/nonexistent/x.json").ok());
  return finish();
}
