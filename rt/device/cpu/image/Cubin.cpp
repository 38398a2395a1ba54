// Cubin - what an NVIDIA cubin says about the resources of its kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are the function symbols marked 0x10. Their numbers are in attribute records:
// .nv.info (module) holds those keyed by symbol index, .nv.info.<kernel> the rest. A record is
// u8 format, u8 attribute, u16 value; format 4 has `value` bytes of payload behind it, the
// others carry the value itself. Shared memory is the size of .nv.shared.<kernel>; from sm_90
// on it starts with 1024 bytes that the driver keeps. Checked against ptxas' own report for
// sm_75 to sm_120 by test/device/image.
#include "rt/device/cpu/image/Cubin.h"

#include "rt/device/cpu/image/ElfFile.h"

#include <algorithm>
#include <functional>

namespace gpusched::image {

namespace {

constexpr uint16_t kMachineCuda = 190;
constexpr uint8_t kSymbolFunction = 2, kSymbolIsKernel = 0x10;
constexpr uint64_t kReservedSharedBytes = 1024;
constexpr unsigned kFirstSmWithReservedShared = 90;

enum Attribute : uint8_t {
  kMaxThreads = 0x05,
  kRequiredThreads = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameterInfo = 0x17,
  kParameterBytes = 0x19,
  kMaxRegisters = 0x1b,
  kRegisterCount = 0x2f,
  kClusterBlocks = 0x3d,
  kBarriers = 0x4c,
};

struct Record {
  uint8_t attribute = 0;
  uint16_t value = 0;
  ByteView payload;
};

/// Calls `visit` for every whole record; stops at the first damaged one.
void forEachRecord(ByteView section, const std::function<void(const Record&)>& visit) {
  constexpr uint8_t kFormatSized = 4;
  for (uint64_t at = 0; at + 4 <= section.size();) {
    Record record;
    const uint8_t format = section.readOrZero<uint8_t>(at);
    record.attribute = section.readOrZero<uint8_t>(at + 1);
    record.value = section.readOrZero<uint16_t>(at + 2);
    at += 4;
    if (format == kFormatSized) {
      const std::optional<ByteView> payload = section.slice(at, record.value);
      if (!payload)
        return;
      record.payload = *payload;
      at += record.value;
    }
    visit(record);
  }
}

std::array<uint32_t, 3> readTriple(ByteView payload) {
  return {payload.readOrZero<uint32_t>(0), payload.readOrZero<uint32_t>(4),
          payload.readOrZero<uint32_t>(8)};
}

/// index u32, ordinal u16, offset u16, flags u32 with the size from bit 18 on.
void addParameter(ByteView payload, KernelResources& kernel) {
  constexpr std::size_t kMaximumParameters = 8192;
  const std::size_t ordinal = payload.readOrZero<uint16_t>(4);
  if (payload.size() < 12 || ordinal >= kMaximumParameters)
    return;
  if (kernel.parameters.size() <= ordinal)
    kernel.parameters.resize(ordinal + 1);
  kernel.parameters[ordinal] = {payload.readOrZero<uint16_t>(6),
                                payload.readOrZero<uint32_t>(8) >> 18};
}

void applyKernelRecord(const Record& record, KernelResources& kernel) {
  constexpr uint32_t kNoRegisterLimit = 255;
  switch (record.attribute) {
  case kMaxThreads:
    kernel.maxThreads = readTriple(record.payload);
    break;
  case kRequiredThreads:
    kernel.requiredThreads = readTriple(record.payload);
    break;
  case kClusterBlocks:
    kernel.clusterBlocks = readTriple(record.payload);
    break;
  case kParameterInfo:
    addParameter(record.payload, kernel);
    break;
  case kParameterBytes:
    kernel.parameterBytes = record.value;
    break;
  case kMaxRegisters:
    kernel.maxRegisters = record.value == kNoRegisterLimit ? 0 : record.value;
    break;
  case kBarriers:
    kernel.barriers = record.value & 0xff;
    break;
  }
}

/// REQUIRES: the payload is a symbol index and a number.
void applyModuleRecord(const Record& record, KernelResources& kernel) {
  const uint32_t number = record.payload.readOrZero<uint32_t>(4);
  if (record.attribute == kRegisterCount)
    kernel.registers = number;
  else if (record.attribute == kFrameSize)
    kernel.frameBytes = number;
  else if (record.attribute == kMinStackSize)
    kernel.stackBytes = number;
}

uint64_t staticShared(const ElfFile& file, const std::string& kernel, unsigned sm) {
  const ElfSection* section = file.find(".nv.shared." + kernel);
  if (!section)
    return 0;
  const uint64_t reserved = sm >= kFirstSmWithReservedShared ? kReservedSharedBytes : 0;
  return section->size - std::min(section->size, reserved);
}

/// CUDA 13 (ABI version 8) moved the architecture from the low byte to the next one.
unsigned architecture(const ElfFile& file) {
  constexpr uint8_t kAbiOfCuda13 = 8;
  return file.abiVersion() >= kAbiOfCuda13 ? file.flags() >> 8 & 0xff : file.flags() & 0xff;
}

} // namespace

bool isCubin(ByteView bytes) {
  return ElfFile::hasMagic(bytes) && bytes.readOrZero<uint16_t>(18) == kMachineCuda;
}

Result<Cubin> readCubin(ByteView bytes) {
  if (!isCubin(bytes))
    return Status::error("not a cubin: expected an ELF file for NVIDIA's machine");
  Result<ElfFile> file = ElfFile::read(bytes);
  if (!file)
    return Status::error("cannot read the cubin: " + file.message());

  Cubin cubin;
  cubin.sm = architecture(*file);
  const std::vector<ElfSymbol> symbols = file->symbols();
  std::vector<std::size_t> kernelOfSymbol(symbols.size(), SIZE_MAX);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].type != kSymbolFunction || !(symbols[i].other & kSymbolIsKernel))
      continue;
    kernelOfSymbol[i] = cubin.kernels.size();
    KernelResources kernel;
    kernel.name = symbols[i].name;
    kernel.staticSharedBytes = staticShared(*file, kernel.name, cubin.sm);
    if (const ElfSection* info = file->find(".nv.info." + kernel.name))
      forEachRecord(info->bytes, [&](const Record& record) { applyKernelRecord(record, kernel); });
    cubin.kernels.push_back(std::move(kernel));
  }
  if (const ElfSection* info = file->find(".nv.info"))
    forEachRecord(info->bytes, [&](const Record& record) {
      const uint32_t symbol = record.payload.readOrZero<uint32_t>(0);
      if (record.payload.size() == 8 && symbol < symbols.size() &&
          kernelOfSymbol[symbol] != SIZE_MAX)
        applyModuleRecord(record, cubin.kernels[kernelOfSymbol[symbol]]);
    });
  return cubin;
}

} // namespace gpusched::image
