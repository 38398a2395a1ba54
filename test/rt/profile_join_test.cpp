// profile_join_test - counters and static profile become a complete profile of the kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/profile/JoinProfiles.h"
#include "test/Check.h"

using namespace gpusched;

static DeviceDescription device() {
  DeviceDescription made;
  made.name = "test";
  made.computeMajor = 9;
  made.sms = 132, made.warpsPerSm = 64, made.blocksPerSm = 32;
  made.sharedBytesPerSm = 233472, made.sharedReservedPerBlock = 1024;
  made.sharedBytesPerBlockOptin = 232448;
  made.clockMhz = 1980, made.dramGbPerSecond = 4800, made.l2Bytes = 50ull << 20;
  made.fp32LanesPerSm = 128, made.int32LanesPerSm = 64;
  made.l1Latency = 41, made.l2Latency = 263, made.dramLatency = 480;
  return made;
}

static VariantProfile variant(const char* target, uint32_t registers) {
  VariantProfile made;
  made.target = target;
  made.registersPerThread = registers;
  return made;
}

static ProfileFile statics() {
  ProfileFile file;
  StaticProfile& fixed = file.kernels.emplace_back().fixed;
  fixed.kernel = "stream(float*)", fixed.symbol = "_Z6streamPf";
  fixed.native = {variant("sm_80", 20), variant("sm_90", 24), variant("sm_100", 99)};
  return file;
}

static ProfileFile counters() {
  ProfileFile file;
  for (const char* symbol : {"_Z6streamPf", "_Z7unknownv"}) {
    KernelProfile& kernel = file.kernels.emplace_back();
    kernel.fixed.kernel = kernel.fixed.symbol = symbol;
    DynamicProfile& dynamic = kernel.dynamic.emplace();
    dynamic.source = "cpu";
    dynamic.threadsPerBlock = 256;
    KernelCounters& count = dynamic.counters;
    count.launches = 1, count.blocks = 10'000, count.warps = 80'000, count.threads = 2'560'000;
    count.warpInstructions = 800'000, count.integer = 500'000;
    count.loadStore = count.globalLoads = 160'000;
    count.globalLoadSectors = count.distinctSectors = 640'000;
  }
  return file;
}

int main() {
  CHECK_EQUAL(variantFor(statics().kernels[0].fixed, device())->registersPerThread, 24u);
  ProfileFile withTwin = statics();
  withTwin.kernels[0].fixed.persistent = {variant("sm_90", 30)};
  CHECK_EQUAL(variantFor(withTwin.kernels[0].fixed, device())->registersPerThread, 30u);

  JoinedProfiles joined = joinProfiles(statics(), counters(), device(), {});
  CHECK_EQUAL(joined.file.kernels.size(), 2u);
  const KernelProfile& known = joined.file.kernels[0];
  CHECK_EQUAL(known.fixed.kernel, "stream(float*)");
  CHECK(known.dynamic->kernelClass == KernelClass::Memory);
  CHECK_EQUAL(known.dynamic->budgetCurve.size(), 8u); // 64 warps / 8
  CHECK(known.dynamic->saturationBlocksPerSm > 0 && known.dynamic->saturationBlocksPerSm < 8);
  CHECK_EQUAL(joined.withoutStatic.size(), 1u);
  CHECK_EQUAL(*joined.withoutStatic.begin(), "_Z7unknownv");

  JoinParameters strict;
  strict.stallThresholdPercent = 101;
  CHECK(
      joinProfiles(statics(), counters(), device(), strict).file.kernels[0].dynamic->kernelClass ==
      KernelClass::Compute);
  ProfileFile twice = counters(); // of another shape
  twice.kernels.push_back(twice.kernels.back());
  twice.kernels.back().dynamic->threadsPerBlock = 64;
  CHECK_EQUAL(joinProfiles(statics(), twice, device(), {}).withoutStatic.size(), 1u);
  twice.kernels.back().fixed.native = {VariantProfile{}};
  twice.kernels[1].fixed.native = twice.kernels.back().fixed.native;
  CHECK(joinProfiles(statics(), twice, device(), {}).withoutStatic.empty());
  return checkResult();
}
