// Profile.cpp - profiles to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per struct and direction, fields in the order of Profile.h, so the two are
// compared at a glance. A field's JSON name is its C++ name; docs/profile-format.md is the
// table. Keys are written in that order too: files diff well. NaN and infinity become null.
#include "rt/schema/Profile.h"

#include "rt/schema/ProfileJson.h"
#include "rt/schema/TextFile.h"

#include <cmath>

namespace gpusched {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "gpusched-profile";
constexpr const char* kClassNames[] = {"unknown", "compute", "memory", "l1"};

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

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json write(const KernelCounters& counters) {
  Json object = Json::object();
  for (const CounterField& field : kCounters)
    object[field.name] = counters.*field.member;
  return object;
}

void read(JsonReader& in, KernelCounters& counters) {
  for (const CounterField& field : kCounters)
    in.read(field.name, counters.*field.member);
}

Json write(const VariantProfile& variant) {
  Json object;
  object["target"] = variant.target;
  object["registersPerThread"] = variant.registersPerThread;
  object["staticSharedBytes"] = variant.staticSharedBytes;
  object["usesDynamicShared"] = variant.usesDynamicShared;
  object["stackBytes"] = variant.stackBytes;
  object["spillStoreBytes"] = variant.spillStoreBytes;
  object["spillLoadBytes"] = variant.spillLoadBytes;
  object["barriers"] = variant.barriers;
  object["maxThreadsPerBlock"] = variant.maxThreadsPerBlock;
  object["occupancyBlocksPerSm"] = variant.occupancyBlocksPerSm;
  object["occupancyThreads"] = variant.occupancyThreads;
  object["occupancyLimiter"] = variant.occupancyLimiter;
  object["ptxInstructions"] = Json::object();
  for (const auto& [opcode, count] : variant.ptxInstructions)
    object["ptxInstructions"][opcode] = count;
  return object;
}

void read(JsonReader& in, VariantProfile& variant) {
  in.read("target", variant.target);
  in.read("registersPerThread", variant.registersPerThread);
  in.read("staticSharedBytes", variant.staticSharedBytes);
  in.read("usesDynamicShared", variant.usesDynamicShared);
  in.read("stackBytes", variant.stackBytes);
  in.read("spillStoreBytes", variant.spillStoreBytes);
  in.read("spillLoadBytes", variant.spillLoadBytes);
  in.read("barriers", variant.barriers);
  in.read("maxThreadsPerBlock", variant.maxThreadsPerBlock);
  in.read("occupancyBlocksPerSm", variant.occupancyBlocksPerSm);
  in.read("occupancyThreads", variant.occupancyThreads);
  in.read("occupancyLimiter", variant.occupancyLimiter);
  in.read("ptxInstructions", variant.ptxInstructions);
}

Json write(const std::vector<VariantProfile>& variants) {
  Json array = Json::array();
  for (const VariantProfile& variant : variants)
    array.push_back(write(variant));
  return array;
}

void readVariants(JsonReader& in, const char* field, std::vector<VariantProfile>& variants) {
  in.forEach(field, [&](JsonReader& element) { read(element, variants.emplace_back()); });
}

Json write(const StaticProfile& fixed) {
  Json object;
  object["kernel"] = fixed.kernel;
  object["symbol"] = fixed.symbol;
  object["persistentSymbol"] = fixed.persistentSymbol;
  object["file"] = fixed.file;
  object["line"] = fixed.line;
  object["refusal"] = fixed.refusal;
  object["native"] = write(fixed.native);
  object["persistent"] = write(fixed.persistent);
  return object;
}

void read(JsonReader& in, StaticProfile& fixed) {
  in.read("kernel", fixed.kernel);
  in.read("symbol", fixed.symbol);
  in.read("persistentSymbol", fixed.persistentSymbol);
  in.read("file", fixed.file);
  in.read("line", fixed.line);
  in.read("refusal", fixed.refusal);
  readVariants(in, "native", fixed.native);
  readVariants(in, "persistent", fixed.persistent);
  if (fixed.kernel.empty() && fixed.symbol.empty())
    in.fail("kernel", "a kernel needs a name or a symbol");
}

Json write(const DynamicProfile& dynamic) {
  Json object;
  object["source"] = dynamic.source;
  object["device"] = dynamic.device;
  object["threadsPerBlock"] = dynamic.threadsPerBlock;
  object["dynamicSharedBytes"] = dynamic.dynamicSharedBytes;
  object["blocks"] = dynamic.blocks;
  object["counters"] = write(dynamic.counters);
  object["timeUs"] = number(dynamic.timeUs);
  object["eligibleWarpsPerCycle"] = number(dynamic.eligibleWarpsPerCycle);
  object["dramGbPerSecond"] = number(dynamic.dramGbPerSecond);
  object["gflops"] = number(dynamic.gflops);
  object["l1TransactionsPerSecond"] = number(dynamic.l1TransactionsPerSecond);
  object["stallExecution"] = number(dynamic.stallExecution);
  object["stallFetch"] = number(dynamic.stallFetch);
  object["stallMemory"] = number(dynamic.stallMemory);
  object["stallSync"] = number(dynamic.stallSync);
  object["stallTexture"] = number(dynamic.stallTexture);
  object["stallOther"] = number(dynamic.stallOther);
  object["budgetCurve"] = Json::array();
  for (double value : dynamic.budgetCurve)
    object["budgetCurve"].push_back(number(value));
  object["measuredBudgets"] = dynamic.measuredBudgets;
  object["l1Hits"] = number(dynamic.l1Hits);
  object["l2Hits"] = number(dynamic.l2Hits);
  object["l1BytesPerWarp"] = number(dynamic.l1BytesPerWarp);
  object["l2BytesPerWarp"] = number(dynamic.l2BytesPerWarp);
  object["utilisation"] = Json::object();
  for (size_t i = 0; i < kResources; ++i)
    object["utilisation"][kResourceNames[i]] = number(dynamic.utilisation[i]);
  object["saturationBlocksPerSm"] = dynamic.saturationBlocksPerSm;
  object["kernelClass"] = name(dynamic.kernelClass);
  return object;
}

void readClass(JsonReader& in, KernelClass& kernelClass) {
  std::string text = name(kernelClass);
  in.read("kernelClass", text);
  for (size_t i = 0; i < std::size(kClassNames); ++i) {
    if (text == kClassNames[i]) {
      kernelClass = KernelClass(i);
      return;
    }
  }
  in.fail("kernelClass", "expected unknown, compute, memory or l1, got \"" + text + "\"");
}

void readBudgets(JsonReader& in, std::vector<uint32_t>& budgets) {
  std::vector<double> values;
  in.read("measuredBudgets", values);
  for (double value : values) {
    if (!(value >= 1 && value <= 1024))
      return in.fail("measuredBudgets", "expected blocks per SM, 1 to 1024");
    budgets.push_back(uint32_t(value));
  }
}

void read(JsonReader& in, DynamicProfile& dynamic) {
  in.read("source", dynamic.source);
  in.read("device", dynamic.device);
  in.read("threadsPerBlock", dynamic.threadsPerBlock);
  in.read("dynamicSharedBytes", dynamic.dynamicSharedBytes);
  in.read("blocks", dynamic.blocks);
  in.within("counters", [&](JsonReader& inner) { read(inner, dynamic.counters); });
  in.read("timeUs", dynamic.timeUs);
  in.read("eligibleWarpsPerCycle", dynamic.eligibleWarpsPerCycle);
  in.read("dramGbPerSecond", dynamic.dramGbPerSecond);
  in.read("gflops", dynamic.gflops);
  in.read("l1TransactionsPerSecond", dynamic.l1TransactionsPerSecond);
  in.read("stallExecution", dynamic.stallExecution);
  in.read("stallFetch", dynamic.stallFetch);
  in.read("stallMemory", dynamic.stallMemory);
  in.read("stallSync", dynamic.stallSync);
  in.read("stallTexture", dynamic.stallTexture);
  in.read("stallOther", dynamic.stallOther);
  in.read("budgetCurve", dynamic.budgetCurve);
  readBudgets(in, dynamic.measuredBudgets);
  in.read("l1Hits", dynamic.l1Hits);
  in.read("l2Hits", dynamic.l2Hits);
  in.read("l1BytesPerWarp", dynamic.l1BytesPerWarp);
  in.read("l2BytesPerWarp", dynamic.l2BytesPerWarp);
  in.within("utilisation", [&](JsonReader& inner) {
    for (size_t i = 0; i < kResources; ++i)
      inner.read(kResourceNames[i], dynamic.utilisation[i]);
  });
  in.read("saturationBlocksPerSm", dynamic.saturationBlocksPerSm);
  readClass(in, dynamic.kernelClass);
}

Status checkHeader(JsonReader& in, ProfileFile& file) {
  std::string format;
  in.read("format", format);
  in.read("version", file.version);
  if (format != kFormat)
    return Status::error("format: expected \"" + std::string(kFormat) + "\", got \"" + format +
                         "\"; is this a profile?");
  if (file.version == kProfileVersion || file.version == kProfileVersion - 1)
    return {};
  return Status::error("version: this program reads version " + std::to_string(kProfileVersion) +
                       " and the one before it, the file has " + std::to_string(file.version) +
                       "; rebuild or profile the program again");
}

} // namespace

void readKernelProfile(JsonReader& in, KernelProfile& kernel) {
  if (!in.has("static"))
    return in.fail("static", "expected an object, the field is missing");
  in.within("static", [&](JsonReader& inner) { read(inner, kernel.fixed); });
  in.within("dynamic", [&](JsonReader& inner) { read(inner, kernel.dynamic.emplace()); });
}

nlohmann::ordered_json writeKernelProfile(const KernelProfile& kernel) {
  Json element;
  element["static"] = write(kernel.fixed);
  element["dynamic"] = kernel.dynamic ? write(*kernel.dynamic) : Json(nullptr);
  return element;
}

const char* name(KernelClass kernelClass) {
  return kClassNames[size_t(kernelClass)];
}

const char* name(Resource resource) {
  return kResourceNames[resource];
}

std::string toJson(const ProfileFile& file) {
  Json object;
  object["format"] = kFormat;
  object["version"] = kProfileVersion;
  object["producer"] = file.producer;
  object["kernels"] = Json::array();
  for (const KernelProfile& kernel : file.kernels)
    object["kernels"].push_back(writeKernelProfile(kernel));
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<ProfileFile> profileFromJson(const std::string& text) {
  Result<nlohmann::json> value = parseJson(text);
  if (!value)
    return value.status();
  Status firstError;
  JsonReader in(*value, "", firstError);
  if (!firstError)
    return firstError;
  ProfileFile file;
  file.version = 0;
  if (Status header = checkHeader(in, file); !header)
    return header;
  in.read("producer", file.producer);
  in.forEach("kernels",
             [&](JsonReader& element) { readKernelProfile(element, file.kernels.emplace_back()); });
  if (!firstError)
    return firstError;
  return file;
}

Status writeProfile(const std::string& path, const ProfileFile& file) {
  return writeTextFile(path, toJson(file));
}

Result<ProfileFile> readProfile(const std::string& path) {
  Result<std::string> text = readTextFile(path);
  if (!text)
    return text.status();
  Result<ProfileFile> file = profileFromJson(*text);
  if (!file)
    return Status::error("profile '" + path + "': " + file.message());
  return file;
}

} // namespace gpusched
