// Loader.cpp - the steps of loading, in order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   number functions -> allocate globals -> initialise and relocate -> decode every function
//   -> install checks -> append the opening twin -> per kernel: shared layout, stack size, facts
//
// The address of a function is the address of its DecodedFunction: unique, and recognised
// when a kernel calls through it.
#include "rt/device/cpu/engine/Loader.h"

#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Opening.h"
#include "rt/support/RoundUp.h"
#include "rt/support/TargetNumber.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>

namespace gpusched::cpu {
namespace {

constexpr uint64_t kRecursionStackBytes = 16 * 1024; // per thread, when calls cannot be bounded
constexpr uint64_t kDynamicSharedAlign = 16;
constexpr uint32_t kMaxRegisters = 255, kMinRegisters = 16;

std::atomic<uint64_t> serials{0};

/// Everything reachable from one kernel.
struct Reach {
  std::set<uint32_t> functions;
  std::set<uint32_t> shared;
  bool unbounded = false; // recursion or an indirect call
};

class Loading {
public:
  Loading(LoadedModule& module, const RegisterTable& registers, const DeviceDescription& device)
      : module_(module), source_(*module.source), registers_(registers), device_(device) {}

  Status run() {
    numberFunctions();
    if (Status status = allocateGlobals(); !status)
      return status;
    if (Status status = initialise(); !status)
      return status;
    for (DecodedFunction& function : module_.functions)
      if (!function.source->isExtern)
        Decoder(module_, function, sharedByName_).run();
    if (module_.checking)
      Checker::install(module_);
    appendOpeningTwin(module_);
    for (DecodedFunction& function : module_.functions)
      if (function.source->isEntry)
        makeKernel(function);
    return {};
  }

private:
  void numberFunctions() {
    module_.functions.resize(source_.functions.size());
    for (uint32_t i = 0; i < source_.functions.size(); ++i) {
      const ptx::Function& function = source_.functions[i];
      module_.functions[i].source = &function;
      module_.functions[i].module = &module_;
      module_.functions[i].serial = ++serials;
      uint32_t& index = module_.functionIndex.try_emplace(function.name, i).first->second;
      if (module_.functions[index].source->isExtern)
        index = i; // a definition replaces a declaration
    }
  }

  Status allocateGlobals() {
    for (const ptx::Variable& variable : source_.variables) {
      if (variable.space == ptx::Space::Shared) {
        sharedByName_[variable.name] = static_cast<uint32_t>(module_.sharedSymbols.size());
        module_.sharedSymbols.push_back(
            {variable.name, variable.bytes, variable.align, variable.bytes == 0});
        continue;
      }
      if (variable.isExtern && module_.globals.contains(variable.name))
        continue;
      const uint64_t bytes = std::max<uint64_t>(variable.bytes, 1);
      void* storage = module_.memory.allocate(bytes, MemoryKind::Global);
      if (!storage)
        return Status::error("cannot load the module: no room for variable '" + variable.name +
                             "' of " + std::to_string(bytes) + " bytes; free device memory first");
      std::memset(storage, 0, bytes);
      module_.globals[variable.name] = {storage, variable.bytes};
    }
    return {};
  }

  Status initialise() {
    for (const ptx::Variable& variable : source_.variables) {
      const auto found = module_.globals.find(variable.name);
      if (found == module_.globals.end())
        continue;
      uint8_t* const storage = static_cast<uint8_t*>(found->second.address);
      std::copy_n(variable.init.begin(), std::min<uint64_t>(variable.init.size(), variable.bytes),
                  storage);
      for (const ptx::Variable::Relocation& relocation : variable.relocations) {
        uint64_t address = 0;
        if (!addressOf(relocation.symbol, address))
          return Status::error("variable '" + variable.name + "' is initialised with '" +
                               relocation.symbol + "', which the module does not define");
        address += static_cast<uint64_t>(relocation.addend);
        std::memcpy(storage + relocation.offset, &address, relocation.size);
      }
    }
    return {};
  }

  bool addressOf(const std::string& symbol, uint64_t& address) const {
    if (const auto global = module_.globals.find(symbol); global != module_.globals.end())
      return address = reinterpret_cast<uint64_t>(global->second.address), true;
    const auto function = module_.functionIndex.find(symbol);
    if (function == module_.functionIndex.end())
      return false;
    return address = reinterpret_cast<uint64_t>(&module_.functions[function->second]), true;
  }

  void visit(uint32_t index, Reach& reach, std::set<uint32_t>& path) const {
    if (path.contains(index))
      reach.unbounded = true;
    if (!reach.functions.insert(index).second)
      return;
    path.insert(index);
    const DecodedFunction& function = module_.functions[index];
    reach.shared.insert(function.sharedUses.begin(), function.sharedUses.end());
    for (uint32_t callee : function.callees)
      visit(callee, reach, path);
    if (function.hasIndirectCall) {
      reach.unbounded = true;
      for (uint32_t i = 0; i < module_.functions.size(); ++i)
        if (!module_.functions[i].source->isEntry)
          visit(i, reach, path);
    }
    path.erase(index);
  }

  void layOutShared(Kernel& kernel, const Reach& reach) const {
    kernel.sharedOffsets.assign(module_.sharedSymbols.size(), Kernel::kNoShared);
    uint64_t bytes = 0, dynamicAlign = kDynamicSharedAlign;
    for (uint32_t index : reach.shared) {
      const SharedSymbol& symbol = module_.sharedSymbols[index];
      if (symbol.dynamic) {
        dynamicAlign = std::max(dynamicAlign, symbol.align);
        continue;
      }
      kernel.sharedOffsets[index] = roundUp(bytes, symbol.align);
      bytes = kernel.sharedOffsets[index] + symbol.bytes;
    }
    kernel.facts.staticSharedBytes = bytes;
    kernel.dynamicSharedOffset = roundUp(bytes, dynamicAlign);
    for (uint32_t index : reach.shared)
      if (module_.sharedSymbols[index].dynamic)
        kernel.sharedOffsets[index] = kernel.dynamicSharedOffset;
  }

  uint32_t registersOf(const Kernel& kernel, const Reach& reach) const {
    if (const auto known = registers_.find(kernel.facts.name);
        known != registers_.end() && known->second)
      return known->second;
    uint32_t most = kMinRegisters;
    for (uint32_t index : reach.functions)
      most = std::max(most, module_.functions[index].registerEstimate);
    // Whoever wrote the launch knew the number, so an estimate shall not forbid one.
    const ptx::Function& source = *kernel.function->source;
    const uint64_t bounded = boundOf(source), threads = bounded ? bounded : device_.threadsPerBlock;
    const uint32_t bound = static_cast<uint32_t>(std::min<uint64_t>(
        kMaxRegisters, device_.registersPerSm /
                           (roundUp(threads, 32) * std::max(1u, source.minBlocksPerSm)) / 8 * 8));
    return std::clamp<uint32_t>(static_cast<uint32_t>(roundUp(most, 8)), kMinRegisters,
                                std::max(bound, kMinRegisters));
  }

  void makeKernel(DecodedFunction& function) {
    const ptx::Function& source = *function.source;
    Kernel& kernel = module_.kernels[source.name];
    kernel.function = &function;
    Reach reach;
    std::set<uint32_t> path;
    visit(static_cast<uint32_t>(&function - module_.functions.data()), reach, path);
    KernelFacts& facts = kernel.facts;
    facts.name = source.name;
    layOutShared(kernel, reach);
    for (uint32_t index : reach.functions)
      kernel.stackBytes += roundUp(module_.functions[index].localBytes, 16);
    if (reach.unbounded)
      kernel.stackBytes += kRecursionStackBytes;
    for (uint32_t index : reach.functions)
      for (const SpecialSlot& special : module_.functions[index].specials)
        kernel.usesReservedShared |= special.kind == SpecialKind::ReservedShared;
    facts.localBytesPerThread = function.localBytes;
    for (const ptx::Variable& variable : source_.variables)
      if (variable.space == ptx::Space::Const)
        facts.constBytes += variable.bytes;
    facts.registersPerThread = registersOf(kernel, reach);
    facts.ptxVersion = targetNumber(source_.target);
    facts.requiredThreads = source.requiredThreads;
    facts.clusterBlocks = source.clusterBlocks;
    facts.boundThreads = uint32_t(boundOf(source));
    facts.maxThreadsPerBlock = maxThreads(source, facts.registersPerThread);
    facts.parameterBytes = source.parameterBytes;
    for (size_t i = 0; i < source.parameters.size(); ++i)
      facts.parameters.push_back({source.parameterOffsets[i], source.parameters[i].bytes});
  }

  /// Threads of a block by .maxntid and .reqntid; 0: not said.
  static uint64_t boundOf(const ptx::Function& source) {
    uint64_t least = 0;
    for (const std::array<uint32_t, 3>& bound : {source.maxThreads, source.requiredThreads})
      if (const uint64_t threads =
              uint64_t(bound[0]) * std::max(1u, bound[1]) * std::max(1u, bound[2]))
        least = least ? std::min(least, threads) : threads;
    return least;
  }

  uint32_t maxThreads(const ptx::Function& source, uint32_t registers) const {
    const uint64_t bound = boundOf(source);
    uint64_t most = std::min<uint64_t>(bound ? bound : UINT64_MAX, device_.threadsPerBlock);
    const uint64_t perWarp = roundUp(uint64_t(registers) * 32, device_.registerAllocationUnit);
    if (perWarp)
      most = std::min<uint64_t>(most, device_.registersPerBlock / perWarp * 32);
    return static_cast<uint32_t>(most);
  }

  LoadedModule& module_;
  const ptx::Module& source_;
  const RegisterTable& registers_;
  const DeviceDescription& device_;
  std::map<std::string, uint32_t> sharedByName_;
};

} // namespace

const MicroOp* DecodedFunction::entry() const {
  return module->code.data() + firstOp;
}

LoadedModule::~LoadedModule() {
  for (auto& [name, global] : globals)
    (void)memory.free(global.address);
}

const DecodedFunction* LoadedModule::functionAt(const MicroOp* op) const {
  uint64_t index = static_cast<uint64_t>(op - code.data());
  if (index >= code.size())
    return nullptr;
  index %= code.size() / 2;
  for (const DecodedFunction& function : functions)
    if (index >= function.firstOp && index < uint64_t(function.firstOp) + function.opCount)
      return &function;
  return nullptr;
}

const Access* LoadedModule::accessOf(uint32_t op) const {
  const auto found =
      std::lower_bound(accesses.begin(), accesses.end(), op,
                       [](const Access& access, uint32_t index) { return access.op < index; });
  return found != accesses.end() && found->op == op ? &*found : nullptr;
}

const DecodedFunction* LoadedModule::functionByAddress(uint64_t value) const {
  const uint64_t base = reinterpret_cast<uint64_t>(functions.data());
  if (value < base || (value - base) % sizeof(DecodedFunction))
    return nullptr;
  const uint64_t index = (value - base) / sizeof(DecodedFunction);
  return index < functions.size() ? &functions[index] : nullptr;
}

Result<std::shared_ptr<LoadedModule>>
loadModule(DeviceMemory& memory, std::shared_ptr<const ptx::Module> source,
           const RegisterTable& registers, const DeviceDescription& device, LoadOptions options) {
  std::shared_ptr<LoadedModule> module = std::make_shared<LoadedModule>(memory, std::move(source));
  module->checking = options.checking;
  module->splitFused = options.splitFused;
  module->compiling = options.compiling && !options.checking && compilesBlocks();
  if (Status status = Loading(*module, registers, device).run(); !status)
    return status;
  return module;
}

} // namespace gpusched::cpu
