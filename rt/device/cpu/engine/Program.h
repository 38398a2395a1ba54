// Program.h - decoded code and the storage of one loaded module.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LoadedModule owns everything; the rest points into it. Immutable after loading,
// except the bytes of the module's global variables, which kernels write.
#pragma once

#include "rt/device/cpu/engine/Access.h"
#include "rt/device/cpu/engine/CompiledBlock.h"
#include "rt/device/cpu/engine/Gpu.h"
#include "rt/device/cpu/engine/GroupMultiply.h"
#include "rt/device/cpu/engine/ImageOp.h"
#include "rt/device/cpu/engine/MicroOp.h"
#include "rt/device/cpu/engine/TensorOp.h"

#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace gpusched::cpu {

struct Isa;

/// A value that differs per warp, block or launch and is written into a frame when it is created.
enum class SpecialKind : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  GridId,
  LaneMaskEq,
  LaneMaskLt,
  LaneMaskLe,
  LaneMaskGt,
  LaneMaskGe,
  DynamicSharedSize,
  TotalSharedSize,
  LocalBase,
  ParameterBase,
  SharedSymbol,
  ReservedShared,
  GridWorkspaceHigh, // %envreg1 and 2: halves of a pointer, null unless the launch is cooperative
  GridWorkspaceLow,
  ClusterIdX, // of the cluster in the grid
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  ClusterCtaidX, // of the block in its cluster
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterRank,
  ClusterBlocks,
  ClusterExplicit,
};

struct SpecialSlot {
  SpecialKind kind;
  uint8_t bytes;       // 4 or 8 per lane
  uint32_t offset;     // in the frame
  uint32_t symbol = 0; // SharedSymbol: index into LoadedModule::sharedSymbols
};

/// A .shared variable, of the module or of one function.
struct SharedSymbol {
  std::string name;
  uint64_t bytes = 0, align = 1;
  bool dynamic = false;
};

/// Where a formal or call-site .param of a device function lives, from the frame's local base.
struct ParameterPlace {
  uint64_t offset = 0, bytes = 0;
};

struct DecodedFunction {
  const ptx::Function* source = nullptr;
  LoadedModule* module = nullptr;
  /// Never reused, unlike the address of a function whose module was unloaded.
  uint64_t serial = 0;
  uint32_t firstOp = 0, opCount = 0; // in LoadedModule::code
  uint32_t frameBytes = 0;
  uint32_t constantBase = 0; // where `constants` go in every frame
  std::vector<uint8_t> constants;
  std::vector<SpecialSlot> specials;
  uint64_t localBytes = 0;                         // .local variables and .param areas, per lane
  std::vector<ParameterPlace> parameters, results; // of a device function
  std::vector<uint32_t> callees;                   // indices into LoadedModule::functions
  bool hasIndirectCall = false;
  bool hasLogicalBlocks = false;    // marked: the loop of a persistent kernel
  std::vector<uint32_t> sharedUses; // indices into LoadedModule::sharedSymbols
  uint32_t registerEstimate = 0;
  // For the block compiler; empty unless the module has blocks.
  std::vector<SlotLife> slotLives;
  std::vector<ConstantSlot> constantSlots;

  const MicroOp* entry() const;
};

/// One argument list of a call: what to copy where, before and after it.
struct CallSite {
  const DecodedFunction* callee = nullptr;        // null for an indirect or a system call
  std::string system;                             // name of a function the engine provides
  std::vector<ParameterPlace> arguments, results; // in the caller's local area
};

class Kernel {
public:
  const DecodedFunction* function = nullptr;
  KernelFacts facts;
  static constexpr uint64_t kNoShared = ~uint64_t(0);
  std::vector<uint64_t> sharedOffsets; // by index into LoadedModule::sharedSymbols; or kNoShared
  uint64_t dynamicSharedOffset = 0;
  bool usesReservedShared = false; // %reserved_smem_offset_1, of cooperative groups
  uint64_t stackBytes = 0;         // local bytes per lane, calls included
};

class LoadedModule {
public:
  LoadedModule(DeviceMemory& memory, std::shared_ptr<const ptx::Module> source)
      : memory(memory), source(std::move(source)) {}
  ~LoadedModule();

  const DecodedFunction* functionAt(const MicroOp* op) const;
  /// The function whose address is `value`, or null.
  const DecodedFunction* functionByAddress(uint64_t value) const;

  DeviceMemory& memory;
  std::shared_ptr<const ptx::Module> source;
  std::vector<MicroOp> code;         // twice, the second time as Opening.h says
  std::vector<uint32_t> openingEnds; // indices of stores to global or generic, and of atomics
  std::vector<Access> accesses;      // in order of their micro-ops
  /// By index into the first copy of `code`, when checks are on: what a checked micro-op runs.
  struct Checked {
    Handler run = nullptr;
    uint32_t access = 0;
  };
  std::vector<Checked> checked;
  bool checking = false;
  bool splitFused = false; // see GpuOptions
  bool compiling = false;  // blocks have entries
  std::deque<CompiledBlock> blocks;
  /// What the micro-op of the first copy does to memory, or null.
  const Access* accessOf(uint32_t op) const;
  std::vector<DecodedFunction> functions; // sized once: pointers into it are function addresses
  std::vector<CallSite> callSites;
  std::vector<TensorOp> tensorOps;
  std::vector<GroupMultiply> groupMultiplies;
  std::vector<ImageOp> imageOps;
  /// And role, elements in a register, registers, rows, columns.
  using TensorKind =
      std::tuple<TensorPlacement, TensorRole, unsigned, unsigned, unsigned, unsigned>;
  std::map<TensorKind, std::vector<uint16_t>> tensorPlaces;
  std::vector<SharedSymbol> sharedSymbols;
  std::vector<std::vector<int64_t>> branchTables; // of brx.idx: indices into code
  std::map<std::string, GlobalSymbol, std::less<>> globals;
  std::map<std::string, uint32_t, std::less<>> functionIndex;
  std::map<std::string, Kernel, std::less<>> kernels;
};

} // namespace gpusched::cpu
