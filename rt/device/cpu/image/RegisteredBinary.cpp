// RegisteredBinary - the fat binaries behind the pointer __cudaRegisterFatBinary gets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wrapper is { int magic; int version; const void* data; void* more; }. Version 1 has one
// fat binary at `data`. Version 2 comes from the device linker: `more` is a null-terminated
// array with the fat binary of every object that took part.
#include "rt/device/cpu/image/RegisteredBinary.h"

#include <cstdio>

namespace gpusched::image {

namespace {

constexpr uint32_t kWrapperMagic = 0x466243B1;
constexpr uint32_t kVersionPlain = 1, kVersionLinked = 2;

struct Wrapper {
  uint32_t magic, version;
  const void* data;
  const void* more;
};

Status readUnits(const void* const* array, RegisteredBinary& binary) {
  for (; array && *array; ++array) {
    Result<std::vector<FatBinaryEntry>> unit = readFatBinaryAt(*array);
    if (!unit)
      return unit.status();
    binary.units.push_back(std::move(*unit));
  }
  return Status();
}

} // namespace

bool isWrapper(const void* pointer) {
  uint32_t magic;
  std::memcpy(&magic, pointer, sizeof(magic));
  return magic == kWrapperMagic;
}

Result<std::vector<FatBinaryEntry>> readFatBinaryAt(const void* data) {
  constexpr std::size_t kHeaderBytes = 16;
  if (!data || !isFatBinary(ByteView(data, kHeaderBytes)))
    return Status::error("the registered device code is not a fat binary (magic 0xBA55ED50)");
  const ByteView header(data, kHeaderBytes);
  const uint64_t total = header.readOrZero<uint16_t>(6) + header.readOrZero<uint64_t>(8);
  return readFatBinaries(ByteView(data, total));
}

Result<RegisteredBinary> readRegisteredBinary(const void* pointer) {
  if (!pointer)
    return Status::error("__cudaRegisterFatBinary was called with a null pointer");
  Wrapper wrapper;
  std::memcpy(&wrapper, pointer, sizeof(wrapper));
  if (wrapper.magic != kWrapperMagic ||
      (wrapper.version != kVersionPlain && wrapper.version != kVersionLinked)) {
    char text[64];
    std::snprintf(text, sizeof(text), "magic 0x%x, version %u", wrapper.magic, wrapper.version);
    return Status::error(
        std::string("__cudaRegisterFatBinary was called with an unknown wrapper (") + text +
        "); expected magic 0x466243b1 and version 1 or 2");
  }
  Result<std::vector<FatBinaryEntry>> entries = readFatBinaryAt(wrapper.data);
  if (!entries)
    return entries.status();
  RegisteredBinary binary;
  binary.relocatable = wrapper.version == kVersionLinked;
  if (!binary.relocatable) {
    binary.units.push_back(std::move(*entries));
    return binary;
  }
  binary.linked = std::move(*entries);
  if (Status status = readUnits(static_cast<const void* const*>(wrapper.more), binary); !status)
    return status;
  return binary;
}

} // namespace gpusched::image
