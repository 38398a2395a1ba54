// Profile.cpp - profiles to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per struct serves both directions (JsonReader.h), fields in the order of Profile.h.
// A field's JSON name is its C++ name; docs/profile-format.md is the table.
#include "rt/schema/Profile.h"

#include "rt/schema/Document.h"
#include "rt/schema/ProfileJson.h"

namespace gpusched {
namespace {

constexpr DocumentKind kKind = {"profile", "gpusched-profile", kProfileVersion,
                                kProfileVersion - 1};

/// Every counter once: the writer and the reader walk the same table.
struct CounterField {
  const char* name;
  uint64_t KernelCounters::* member;
};
constexpr CounterField kCounters[] = {
    {"launches", &KernelCounters::launches},
    {"blocks", &KernelCounters::blocks},
    {"warps", &KernelCounters::warps},
    {"threads", &KernelCounters::threads},
    {"warpInstructions", &KernelCounters::warpInstructions},
    {"laneInstructions", &KernelCounters::laneInstructions},
    {"integer", &KernelCounters::integer},
    {"fp16", &KernelCounters::fp16},
    {"fp32", &KernelCounters::fp32},
    {"fp64", &KernelCounters::fp64},
    {"sfu", &KernelCounters::sfu},
    {"conversion", &KernelCounters::conversion},
    {"control", &KernelCounters::control},
    {"loadStore", &KernelCounters::loadStore},
    {"atomic", &KernelCounters::atomic},
    {"barrier", &KernelCounters::barrier},
    {"tensor", &KernelCounters::tensor},
    {"other", &KernelCounters::other},
    {"flops", &KernelCounters::flops},
    {"divergentBranches", &KernelCounters::divergentBranches},
    {"globalLoadSectors", &KernelCounters::globalLoadSectors},
    {"globalStoreSectors", &KernelCounters::globalStoreSectors},
    {"globalAtomicSectors", &KernelCounters::globalAtomicSectors},
    {"globalLoads", &KernelCounters::globalLoads},
    {"globalStores", &KernelCounters::globalStores},
    {"localSectors", &KernelCounters::localSectors},
    {"sharedAccesses", &KernelCounters::sharedAccesses},
    {"sharedPasses", &KernelCounters::sharedPasses},
    {"distinctSectors", &KernelCounters::distinctSectors},
};
static_assert(sizeof(KernelCounters) == sizeof(kCounters) / sizeof(CounterField) * 8,
              "a counter of Counters.h is missing in the table above");

constexpr const char* kResourceNames[] = {"issueSlots", "fp32",      "int32", "fp64",
                                          "sfu",        "loadStore", "l2",    "dram"};
static_assert(std::size(kResourceNames) == kResources);

void map(auto& json, Field<KernelCounters> auto& counters) {
  for (const CounterField& field : kCounters)
    json.map(field.name, counters.*field.member);
}

void map(auto& json, Field<VariantProfile> auto& variant) {
  json.map("target", variant.target);
  json.map("registersPerThread", variant.registersPerThread);
  json.map("staticSharedBytes", variant.staticSharedBytes);
  json.map("usesDynamicShared", variant.usesDynamicShared);
  json.map("stackBytes", variant.stackBytes);
  json.map("spillStoreBytes", variant.spillStoreBytes);
  json.map("spillLoadBytes", variant.spillLoadBytes);
  json.map("barriers", variant.barriers);
  json.map("maxThreadsPerBlock", variant.maxThreadsPerBlock);
  json.map("occupancyBlocksPerSm", variant.occupancyBlocksPerSm);
  json.map("occupancyThreads", variant.occupancyThreads);
  json.map("occupancyLimiter", variant.occupancyLimiter);
  json.map("ptxInstructions", variant.ptxInstructions);
}

/// Of the reader only: what a profile must not lack, and ranges.
void check(JsonReader& json, const StaticProfile& fixed) {
  if (fixed.kernel.empty() && fixed.symbol.empty())
    json.fail("kernel", "a kernel needs a name or a symbol");
}

void check(JsonReader& json, const DynamicProfile& dynamic) {
  for (uint32_t blocksPerSm : dynamic.measuredBudgets)
    if (blocksPerSm < 1 || blocksPerSm > 1024)
      json.fail("measuredBudgets", "expected blocks per SM, 1 to 1024");
}

void check(JsonWriter&, const auto&) {}

void map(auto& json, Field<StaticProfile> auto& fixed) {
  auto variant = [](auto& inner, auto& element) { map(inner, element); };
  json.map("kernel", fixed.kernel);
  json.map("symbol", fixed.symbol);
  json.map("persistentSymbol", fixed.persistentSymbol);
  json.map("file", fixed.file);
  json.map("line", fixed.line);
  json.map("refusal", fixed.refusal);
  json.map("native", fixed.native, variant);
  json.map("persistent", fixed.persistent, variant);
  check(json, fixed);
}

void map(auto& json, Field<TelemetryProfile> auto& telemetry) {
  json.map("launches", telemetry.launches);
  json.map("blocksPerSm", telemetry.blocksPerSm);
  json.map("timeUs", telemetry.timeUs);
  json.map("blockUs", telemetry.blockUs);
  json.map("blockCycles", telemetry.blockCycles);
  json.map("busyShare", telemetry.busyShare);
  json.map("workers", telemetry.workers);
  json.map("sms", telemetry.sms);
  json.map("workersPerSm", telemetry.workersPerSm);
  json.map("smLoadMaxOverMean", telemetry.smLoadMaxOverMean);
  json.map("blocksPerWorkerMin", telemetry.blocksPerWorkerMin);
  json.map("blocksPerWorkerMean", telemetry.blocksPerWorkerMean);
  json.map("blocksPerWorkerMax", telemetry.blocksPerWorkerMax);
  json.map("claimsLost", telemetry.claimsLost);
  json.map("blocksBySm", telemetry.blocksBySm);
}

void mapTelemetry(JsonReader& json, DynamicProfile& dynamic) {
  json.within("telemetry", [&](JsonReader& inner) { map(inner, dynamic.telemetry.emplace()); });
}

void mapTelemetry(JsonWriter& json, const DynamicProfile& dynamic) {
  if (dynamic.telemetry)
    json.within("telemetry", [&](JsonWriter& inner) { map(inner, *dynamic.telemetry); });
}

void map(auto& json, Field<DynamicProfile> auto& dynamic) {
  json.map("source", dynamic.source);
  json.map("device", dynamic.device);
  json.map("threadsPerBlock", dynamic.threadsPerBlock);
  json.map("dynamicSharedBytes", dynamic.dynamicSharedBytes);
  json.map("blocks", dynamic.blocks);
  json.within("counters", [&](auto& inner) { map(inner, dynamic.counters); });
  json.map("timeUs", dynamic.timeUs);
  json.map("persistentTimeUs", dynamic.persistentTimeUs);
  json.map("eligibleWarpsPerCycle", dynamic.eligibleWarpsPerCycle);
  json.map("dramGbPerSecond", dynamic.dramGbPerSecond);
  json.map("gflops", dynamic.gflops);
  json.map("l1TransactionsPerSecond", dynamic.l1TransactionsPerSecond);
  json.map("stallExecution", dynamic.stallExecution);
  json.map("stallFetch", dynamic.stallFetch);
  json.map("stallMemory", dynamic.stallMemory);
  json.map("stallSync", dynamic.stallSync);
  json.map("stallTexture", dynamic.stallTexture);
  json.map("stallOther", dynamic.stallOther);
  json.map("budgetCurve", dynamic.budgetCurve);
  json.map("measuredBudgets", dynamic.measuredBudgets);
  json.map("l1Hits", dynamic.l1Hits);
  json.map("l2Hits", dynamic.l2Hits);
  json.map("l1BytesPerWarp", dynamic.l1BytesPerWarp);
  json.map("l2BytesPerWarp", dynamic.l2BytesPerWarp);
  json.within("utilisation", [&](auto& inner) {
    for (size_t i = 0; i < kResources; ++i)
      inner.map(kResourceNames[i], dynamic.utilisation[i]);
  });
  mapTelemetry(json, dynamic);
  json.map("saturationBlocksPerSm", dynamic.saturationBlocksPerSm);
  json.map("kernelClass", dynamic.kernelClass, kClassNames);
  check(json, dynamic);
}

/// What follows the header.
void mapBody(auto& json, Field<ProfileFile> auto& file) {
  json.map("producer", file.producer);
  json.map("program", file.program);
  json.map("kernels", file.kernels,
           [](auto& inner, auto& kernel) { mapKernelProfile(inner, kernel); });
}

constexpr auto kBody = [](auto& json, auto& file) { mapBody(json, file); };

} // namespace

void mapKernelProfile(JsonReader& json, KernelProfile& kernel) {
  if (!json.has("static"))
    return json.fail("static", "expected an object, the field is missing");
  json.within("static", [&](JsonReader& inner) { map(inner, kernel.fixed); });
  json.within("dynamic", [&](JsonReader& inner) { map(inner, kernel.dynamic.emplace()); });
}

void mapKernelProfile(JsonWriter& json, const KernelProfile& kernel) {
  json.within("static", [&](JsonWriter& inner) { map(inner, kernel.fixed); });
  if (!kernel.dynamic)
    return json.mapNull("dynamic");
  json.within("dynamic", [&](JsonWriter& inner) { map(inner, *kernel.dynamic); });
}

const char* name(KernelClass kernelClass) {
  return kClassNames[size_t(kernelClass)];
}

const char* name(Resource resource) {
  return kResourceNames[resource];
}

std::string toJson(const ProfileFile& file) {
  return documentText(kKind, file, kBody);
}

Result<ProfileFile> profileFromJson(const std::string& text) {
  return documentFromText<ProfileFile>(kKind, text, kBody);
}

Status writeProfile(const std::string& path, const ProfileFile& file) {
  return writeTextFile(path, toJson(file));
}

Result<ProfileFile> readProfile(const std::string& path) {
  return readDocument(kKind, path, profileFromJson);
}

} // namespace gpusched
