// profile_json_test - profiles survive the round trip; damage is reported with its place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/profile/ProfileStore.h"
#include "rt/schema/TextFile.h"
#include "rt/schema/Trace.h"
#include "test/Check.h"

#include <cstdio>
#include <limits>

using namespace gpusched;

static ProfileFile sample() {
  ProfileFile file;
  file.producer = "test \"quoted\"\n";
  KernelProfile kernel;
  kernel.fixed.kernel = "ns::scale<float, 4>";
  kernel.fixed.symbol = "_ZN2ns5scaleIfLi4EEEvPfi";
  kernel.fixed.line = 7;
  VariantProfile variant;
  variant.target = "sm_90";
  variant.registersPerThread = 40;
  variant.usesDynamicShared = true;
  variant.ptxInstructions = {{"ld.global", 7}, {"fma.rn.f32", 3}};
  kernel.fixed.native = {variant};
  kernel.dynamic.emplace();
  kernel.dynamic->source = "cpu";
  kernel.dynamic->threadsPerBlock = 256;
  kernel.dynamic->counters.warpInstructions = 1ull << 60;
  kernel.dynamic->stallMemory = 61.5;
  kernel.dynamic->budgetCurve = {0.25, 0.5, 1};
  kernel.dynamic->measuredBudgets = {1, 3};
  kernel.dynamic->utilisation[kDramBandwidth] = 0.75;
  kernel.dynamic->saturationBlocksPerSm = 3;
  kernel.dynamic->kernelClass = KernelClass::Memory;
  file.kernels = {kernel, KernelProfile{}};
  file.kernels[1].fixed.kernel = "plain";
  return file;
}

static void roundTrip() {
  std::string text = toJson(sample());
  Result<ProfileFile> back = profileFromJson(text);
  CHECK(back.ok());
  if (!back)
    return;
  CHECK_EQUAL(toJson(*back), text);
  CHECK_EQUAL(back->kernels[0].dynamic->counters.warpInstructions, 1ull << 60);
  CHECK_EQUAL(back->kernels[0].dynamic->measuredBudgets.back(), 3u);
  CHECK_EQUAL(back->kernels[0].dynamic->utilisation[kDramBandwidth], 0.75);
  CHECK(back->kernels[0].dynamic->kernelClass == KernelClass::Memory);
  CHECK(!back->kernels[1].dynamic.has_value());
}

static std::string errorOf(const std::string& text) {
  return profileFromJson(text).message();
}
static bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

static void damageIsNamed() {
  CHECK(contains(errorOf(""), "empty"));
  CHECK(contains(errorOf("{\n \"a\": }"), "line 2"));
  CHECK(contains(errorOf("[]"), "expected an object"));
  CHECK(contains(errorOf("{\"format\": \"other\"}"), "is this a profile"));
  CHECK(contains(errorOf("{\"format\": \"gpusched-profile\", \"version\": 99}"), "99"));
  std::string head = "{\"format\": \"gpusched-profile\", \"version\": 1, \"kernels\": ";
  CHECK(contains(errorOf(head + "3}"), "kernels: expected an array"));
  CHECK(contains(errorOf(head + "[{}]}"), "kernels[0].static"));
  CHECK(contains(errorOf(head + "[{\"static\": {\"kernel\": \"k\", \"line\": -1}}]}"),
                 "kernels[0].static.line: expected an unsigned integer"));
  CHECK(contains(errorOf(head + "[{\"static\": {\"kernel\": \"k\"}, \"dynamic\": "
                                "{\"kernelClass\": \"fast\"}}]}"),
                 "kernels[0].dynamic.kernelClass"));
}

static void unknownFieldsAndNumbersJsonLacks() {
  CHECK(profileFromJson("{\"format\": \"gpusched-profile\", \"version\": 1, \"later\": [1],"
                        "\"kernels\": [{\"static\": {\"kernel\": \"k\", \"new\": {}}}]}")
            .ok());
  ProfileFile file = sample();
  file.kernels[0].dynamic->timeUs = std::numeric_limits<double>::quiet_NaN();
  CHECK(profileFromJson(toJson(file)).ok());
}

static void storeFindsByNameSymbolAndThreads() {
  ProfileFile file = sample();
  file.kernels.push_back(file.kernels[0]);
  file.kernels.back().dynamic->threadsPerBlock = 64;
  ProfileStore store(file);
  CHECK_EQUAL(store.find("ns::scale<float,4>", 256)->threadsPerBlock, 256u);
  CHECK_EQUAL(store.find("_ZN2ns5scaleIfLi4EEEvPfi", 96)->threadsPerBlock, 64u);
  CHECK(store.find("plain", 64) == nullptr);
  CHECK(store.find("", 64) == nullptr);
}

static void filesAreReplacedWhole() {
  std::string path = "profile_json_test.dir/sub/p.json";
  CHECK(writeProfile(path, sample()).ok());
  CHECK(readProfile(path).ok());
  CHECK(contains(readProfile("profile_json_test.dir/none.json").message(), "none.json"));
  CHECK(contains(readProfile("profile_json_test.dir").message(), "folder"));
  CHECK(contains(writeTextFile("/proc/no/such", "x").message(), "/proc"));
  CHECK(writeTextFile(path, "{").ok());
  CHECK(contains(readProfile(path).message(), "p.json"));
  std::remove(path.c_str());
}

int main() {
  roundTrip();
  damageIsNamed();
  unknownFieldsAndNumbersJsonLacks();
  storeFindsByNameSymbolAndThreads();
  filesAreReplacedWhole();
  return checkResult();
}
