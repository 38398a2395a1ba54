// device_rates_test - a device's rates are those of its model, whether GPUSCHED_GPU names it or
// not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/DeviceRates.h"
#include "rt/schema/DeviceDescription.h"
#include "test/Check.h"
#include "test/rt/FakeCudart.h"

#include <cmath>
#include <cstdlib>

using namespace gpusched;

static DeviceLimits ratesOf(int computeMajor, uint32_t sms, int busBits, int clockKhz = 0) {
  FakeCudart& fake = FakeCudart::instance();
  fake.computeMajor = computeMajor;
  fake.memoryBusBits = busBits;
  fake.memoryClockKhz = clockKhz;
  DeviceLimits limits;
  limits.sms = sms;
  findRates(*fake.table(), 0, limits);
  return limits;
}

static bool areOf(const DeviceLimits& limits, const char* name) {
  const DeviceDescription device = *loadDeviceDescription(name);
  return limits.dramGbPerSecond == device.dramGbPerSecond && limits.l2Bytes == device.l2Bytes &&
         limits.l1BytesPerSm == device.l1Bytes && limits.gflops > 0;
}

static bool areUnknown(const DeviceLimits& limits) {
  return limits.dramGbPerSecond == 0 && limits.gflops == 0 && limits.l2Bytes == 0;
}

static void ofTheModel() {
  ::unsetenv("GPUSCHED_GPU"); // h200
  CHECK(areOf(ratesOf(9, 132, 6144), "h200"));
  CHECK(areOf(ratesOf(9, 132, 5120), "h100")); // as many SMs
  CHECK(areOf(ratesOf(9, 132, 0), "h200"));    // where the bus is not known
  CHECK(areOf(ratesOf(8, 108, 5120), "a100"));
  CHECK(areOf(ratesOf(8, 128, 384), "rtx-4090"));
  CHECK(areUnknown(ratesOf(9, 66, 6144))); // a slice
  CHECK(areUnknown(ratesOf(8, 132, 6144)));
}

static void ofTheNamedOne() {
  ::setenv("GPUSCHED_GPU", "h100", 1);
  CHECK(areOf(ratesOf(9, 132, 0), "h100"));
  CHECK(areOf(ratesOf(9, 132, 6144), "h200"));
  ::setenv("GPUSCHED_GPU", "/nonexistent.json", 1);
  CHECK(areOf(ratesOf(8, 108, 5120), "a100"));
}

/// The A100 of 80 GB has faster memory than that of 40 GB.
static void ofTheMemorysClock() {
  const DeviceLimits limits = ratesOf(8, 108, 5120, 1593000);
  CHECK(std::abs(limits.dramGbPerSecond - 2039) < 1);
  CHECK_EQUAL(limits.l2Bytes, loadDeviceDescription("a100")->l2Bytes);
}

/// An L40S: lanes and L1 cache are the RTX 4090's.
static void ofAnotherModel() {
  ::unsetenv("GPUSCHED_GPU");
  FakeCudart& fake = FakeCudart::instance();
  CHECK(areUnknown(ratesOf(8, 142, 384, 9001000)));
  fake.computeMinor = 9;
  fake.clockKhz = 2520000;
  fake.l2Bytes = 100663296;
  const DeviceLimits limits = ratesOf(8, 142, 384, 9001000);
  CHECK(std::abs(limits.dramGbPerSecond - 864) < 1);
  CHECK(std::abs(limits.gflops - 91607) < 1); // 142 SMs of 128 lanes
  CHECK_EQUAL(limits.l2Bytes, uint64_t(100663296));
  CHECK_EQUAL(limits.l1BytesPerSm, loadDeviceDescription("rtx-4090")->l1Bytes);
  CHECK_EQUAL(ratesOf(8, 142, 384, 0).dramGbPerSecond, 0.0);
  CHECK(areUnknown(ratesOf(5, 24, 384, 9001000))); // of a major capability that we know nothing of
}

int main() {
  ofTheModel();
  ofTheNamedOne();
  ofTheMemorysClock();
  ofAnotherModel();
  return checkResult();
}
