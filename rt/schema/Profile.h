// Profile.h - everything known about a kernel, and the JSON it is kept in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format version 2; docs/profile-format.md lists each field with unit, writer and reader. The
// static part is written by gpusched-cc, the dynamic part by a profile source (cpu counters,
// CUPTI, an imported table), the curve and the class by `gpusched profile`. A reader accepts its
// own version and the one before it. This folder holds the project's only JSON code.
#pragma once

#include "rt/schema/Counters.h"
#include "rt/support/Result.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpusched {

inline constexpr int kProfileVersion = 2;

/// What ptxas and the PTX say of one compiled variant of a kernel for one target.
struct VariantProfile {
  std::string target; // "sm_90"
  uint32_t registersPerThread = 0;
  uint64_t staticSharedBytes = 0; // without the driver's reservation
  bool usesDynamicShared = false;
  uint64_t stackBytes = 0;
  uint64_t spillStoreBytes = 0, spillLoadBytes = 0;
  uint32_t barriers = 0;
  uint32_t maxThreadsPerBlock = 0;   // 0 = not bounded
  uint32_t occupancyBlocksPerSm = 0; // at occupancyThreads threads, no dynamic shared memory
  uint32_t occupancyThreads = 0;
  std::string occupancyLimiter;
  std::map<std::string, uint32_t> ptxInstructions; // static count by opcode: "ld.global" -> 7
};

struct StaticProfile {
  std::string kernel;           // source name with template arguments: "ns::scale<float>"
  std::string symbol;           // mangled name of the native variant
  std::string persistentSymbol; // empty when the kernel is native only
  std::string file;
  uint32_t line = 0;
  std::string refusal;                            // "GS012: ..." when kept native
  std::vector<VariantProfile> native, persistent; // one per target
};

/// What a kernel that runs the blocks of two launches is called.
inline std::string pairName(const std::string& first, const std::string& second) {
  return first + " + " + second;
}

/// Kernel class of spec/kscheduler.md, "Classes".
enum class KernelClass : uint8_t { Unknown, Compute, Memory, L1 };
const char* name(KernelClass kernelClass);

/// Resources that kernels on one SM (the last three: on one device) compete for.
enum Resource : size_t {
  kIssueSlots,
  kFp32Pipe,
  kInt32Pipe,
  kFp64Pipe,
  kSfuPipe,
  kLoadStorePipe,
  kL2Bandwidth,
  kDramBandwidth,
  kResources
};
const char* name(Resource resource);
/// Busy share of each resource, 0 to 1.
using Utilisation = std::array<double, kResources>;

/// What twins wrote of their workers: means over sampled launches at the largest budget seen.
struct TelemetryProfile {
  uint64_t launches = 0;
  uint32_t blocksPerSm = 0;
  double timeUs = 0;            // first worker's begin to last worker's end, median; 0 = no clock
  double blockUs = 0;           // of a worker, per logical block
  double blockCycles = 0;       // same, SM cycles
  double busyShare = 0;         // of workers x time, between begin and end of each
  double workers = 0;           // that ran at least one block
  double sms = 0;               // that ran at least one block
  double workersPerSm = 0;      // on the SM that had most
  double smLoadMaxOverMean = 0; // logical blocks of the busiest SM over the mean of those used
  double blocksPerWorkerMin = 0, blocksPerWorkerMean = 0, blocksPerWorkerMax = 0;
  double claimsLost = 0;          // claims that found no block left
  std::vector<double> blocksBySm; // entry i: logical blocks that SM i ran
};

struct DynamicProfile {
  std::string source; // "cpu", "cupti", "telemetry", "ncu", "table"
  std::string device; // description it was taken on or modelled for
  uint32_t threadsPerBlock = 0;
  uint64_t dynamicSharedBytes = 0;
  uint64_t blocks = 0; // of one launch, mean
  KernelCounters counters;
  double timeUs = 0;           // alone, full budget; modelled when source is "cpu"
  double persistentTimeUs = 0; // same, of the twin; 0 = not measured
  double eligibleWarpsPerCycle = 0;
  double dramGbPerSecond = 0;
  double gflops = 0;
  double l1TransactionsPerSecond = 0;
  // Percent of stalls, as in data/kscheduler_kernels.json.
  double stallExecution = 0, stallFetch = 0, stallMemory = 0, stallSync = 0, stallTexture = 0,
         stallOther = 0;
  /// performance[j-1] = 1 / time with j blocks per SM on all SMs, relative to its maximum.
  std::vector<double> budgetCurve;
  std::vector<uint32_t> measuredBudgets; // where the curve was measured; the rest is interpolated
  // Caches, alone at full budget: share of accesses that hit, and bytes in use by one resident
  // warp (0 = not known: no contention is modelled).
  double l1Hits = 0, l2Hits = 0;
  double l1BytesPerWarp = 0, l2BytesPerWarp = 0;
  Utilisation utilisation = {}; // alone, full budget; all zero = not known
  std::optional<TelemetryProfile> telemetry;
  uint32_t saturationBlocksPerSm = 0; // 0 = not known
  KernelClass kernelClass = KernelClass::Unknown;
};

struct KernelProfile {
  StaticProfile fixed;
  std::optional<DynamicProfile> dynamic;
};

/// A file of profiles: one translation unit (written by gpusched-cc) or one program.
struct ProfileFile {
  int version = kProfileVersion;
  std::string producer; // "gpusched-cc 0.1"
  std::vector<KernelProfile> kernels;
  std::string program; // rt/support/ProgramName.h; "" for a translation unit
};

std::string toJson(const ProfileFile& file);
/// Errors name the field and what was expected.
Result<ProfileFile> profileFromJson(const std::string& text);
/// Writes to a temporary file in the same folder, then renames: readers never see half a file.
Status writeProfile(const std::string& path, const ProfileFile& file);
Result<ProfileFile> readProfile(const std::string& path);

} // namespace gpusched
