// ModuleLoader.cpp - from the fat binary that nvcc put in the program to a loaded module.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   wrapper -> fat binaries -> PTX text -> ptx::Module (-> link) ---> Gpu::load
//                           -> cubin    -> registers -------------^
#include "rt/device/cpu/cudart/ModuleLoader.h"

#include "rt/device/cpu/cudart/DeviceLibrary.h"
#include "rt/device/cpu/image/Cubin.h"
#include "rt/device/cpu/image/PtxChoice.h"
#include "rt/device/cpu/image/RegisteredBinary.h"
#include "rt/device/cpu/ptx/Linker.h"
#include "rt/device/cpu/ptx/Parser.h"
#include "rt/support/JoinedPtx.h"
#include "rt/support/Log.h"

#include <cstring>

namespace gpusched::cudart {

using Entries = std::vector<image::FatBinaryEntry>;

static LoadedBinary failure(cudaError_t error, std::string message) {
  LoadedBinary failed;
  failed.error = error;
  failed.message = std::move(message);
  return failed;
}

/// Register counts of the cubin made for the described GPU, or for the nearest one.
static void addRegisters(const Entries& entries, unsigned capability, cpu::RegisterTable& table) {
  const image::FatBinaryEntry* best = nullptr;
  for (const image::FatBinaryEntry& entry : entries) {
    if (entry.kind != image::ImageKind::Elf)
      continue;
    bool nearer = !best || std::abs(int(entry.sm) - int(capability)) <
                               std::abs(int(best->sm) - int(capability));
    if (nearer)
      best = &entry;
  }
  if (!best)
    return;
  Result<std::string> bytes = image::unpack(*best);
  if (!bytes.ok())
    return log(LogLevel::Info, "%s; register counts are estimated", bytes.message().c_str());
  Result<image::Cubin> cubin = image::readCubin(image::ByteView(bytes->data(), bytes->size()));
  if (!cubin.ok())
    return log(LogLevel::Info, "%s; register counts are estimated", cubin.message().c_str());
  for (const image::KernelResources& kernel : cubin->kernels)
    table.emplace(kernel.name, kernel.registers);
}

/// PTX of one source file, parsed.
static Result<std::shared_ptr<const ptx::Module>> parseUnit(const Entries& entries,
                                                            unsigned capability) {
  std::optional<image::PtxChoice> choice = image::choosePtx(entries, capability);
  if (!choice)
    return Status::error(image::explainMissingPtx(entries));
  if (!choice->remark.empty())
    log(LogLevel::Info, "%s", choice->remark.c_str());
  Result<std::string> text = image::unpack(entries[choice->index]);
  if (!text.ok())
    return text.status();
  return ptx::parse(*text);
}

/// Modules of one program: source files of an -rdc=true program, or texts that are to be linked
/// (JoinedPtx.h).
template <class Source, class Parse>
static Result<std::shared_ptr<const ptx::Module>> parseAll(const std::vector<Source>& sources,
                                                           Parse parse) {
  std::vector<std::shared_ptr<const ptx::Module>> modules;
  for (const Source& source : sources) {
    Result<std::shared_ptr<const ptx::Module>> module = parse(source);
    if (!module.ok())
      return module;
    modules.push_back(std::move(*module));
  }
  return ptx::link(modules);
}

static LoadedBinary load(cpu::Gpu& gpu, const Result<std::shared_ptr<const ptx::Module>>& module,
                         const cpu::RegisterTable& registers) {
  if (!module.ok())
    return failure(cudaErrorInvalidPtx, module.message());
  const Result<std::shared_ptr<const ptx::Module>> whole = withDeviceLibrary(*module);
  if (!whole.ok())
    return failure(cudaErrorInvalidPtx, whole.message());
  Result<std::shared_ptr<cpu::LoadedModule>> loaded = gpu.load(*whole, registers);
  if (!loaded.ok())
    return failure(cudaErrorInvalidPtx, loaded.message());
  LoadedBinary result;
  result.module = std::move(*loaded);
  return result;
}

static unsigned capabilityOf(const cpu::Gpu& gpu) {
  return gpu.description().computeMajor * 10 + gpu.description().computeMinor;
}

static LoadedBinary loadEntries(cpu::Gpu& gpu, const Entries& entries) {
  unsigned capability = capabilityOf(gpu);
  if (!image::choosePtx(entries, capability))
    return failure(cudaErrorNoKernelImageForDevice, image::explainMissingPtx(entries));
  cpu::RegisterTable registers;
  addRegisters(entries, capability, registers);
  return load(gpu, parseUnit(entries, capability), registers);
}

LoadedBinary loadCode(cpu::Gpu& gpu, const void* code) {
  constexpr size_t kMagicBytes = 16;
  if (image::isWrapper(code))
    return loadFatBinary(gpu, code);
  const std::string_view head(static_cast<const char*>(code),
                              strnlen(static_cast<const char*>(code), kMagicBytes));
  if (head.starts_with("\x7f"
                       "ELF"))
    return failure(cudaErrorNoKernelImageForDevice,
                   "the module to load is a cubin; the cpu device runs PTX: load a fat binary with "
                   "PTX in it (-gencode arch=...,code=compute_NN) or the PTX itself");
  if (head.size() >= 4 && image::isFatBinary(image::ByteView(code, kMagicBytes))) {
    Result<Entries> entries = image::readFatBinaryAt(code);
    return entries.ok() ? loadEntries(gpu, *entries)
                        : failure(cudaErrorInvalidKernelImage, entries.message());
  }
  return load(gpu, parseAll(splitPtx(static_cast<const char*>(code)), ptx::parse), {});
}

LoadedBinary loadFatBinary(cpu::Gpu& gpu, const void* wrapper) {
  Result<image::RegisteredBinary> binary = image::readRegisteredBinary(wrapper);
  if (!binary.ok())
    return failure(cudaErrorInvalidKernelImage, binary.message());
  unsigned capability = capabilityOf(gpu);
  for (const Entries& unit : binary->units)
    if (!image::choosePtx(unit, capability))
      return failure(cudaErrorNoKernelImageForDevice, image::explainMissingPtx(unit));
  cpu::RegisterTable registers;
  if (binary->relocatable)
    addRegisters(binary->linked, capability, registers);
  else
    for (const Entries& unit : binary->units)
      addRegisters(unit, capability, registers);
  return load(
      gpu,
      parseAll(binary->units, [&](const Entries& unit) { return parseUnit(unit, capability); }),
      registers);
}

} // namespace gpusched::cudart
