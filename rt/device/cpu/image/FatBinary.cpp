// FatBinary - the device code that nvcc and clang put into a host program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout, as nvcc 13.0 writes it (all little-endian; looked up in its output):
//   header  u32 magic, u16 version = 1, u16 header bytes = 16, u64 bytes of all entries
//   entry   0 u16 kind (1 PTX, 2 ELF)      4 u32 header bytes     8 u64 stored bytes, padded
//          16 u32 compressed bytes or 0   20 u32 offset of the ptxas options record or 0
//          28 u32 architecture            32 u32, 36 u32 offset and length of the file name
//          40 u64 flags                   56 u64 bytes after decompression
// Offsets count from the entry; its payload follows its header. Compression: -compress-mode=
// default, balance and size store ZSTD (cubins only with size and in relocatable objects),
// speed stores LZ4 blocks, none stores plainly.
#include "rt/device/cpu/image/FatBinary.h"

#include "rt/device/cpu/image/Decompress.h"

namespace gpusched::image {

namespace {

constexpr uint32_t kMagic = 0xBA55ED50;
constexpr uint64_t kHeaderBytes = 16, kEntryHeaderBytes = 64;
constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;
constexpr uint64_t kFlagArchitectureSpecific = 0x100000, kFlagFamilySpecific = 0x200000;

ImageKind kindOf(uint16_t kind) {
  constexpr uint16_t kPtx = 1, kElf = 2;
  if (kind == kPtx)
    return ImageKind::Ptx;
  return kind == kElf ? ImageKind::Elf : ImageKind::Other;
}

char variantOf(uint64_t flags) {
  if (flags & kFlagArchitectureSpecific)
    return 'a';
  return flags & kFlagFamilySpecific ? 'f' : 0;
}

Compression compressionOf(uint64_t flags) {
  if (flags & kFlagZstd)
    return Compression::Zstd;
  return flags & kFlagLz4 ? Compression::Lz4 : Compression::None;
}

/// A string of `length` bytes at `offset` of the entry's header, without trailing zeros.
std::string headerText(ByteView header, uint64_t offset, uint64_t length) {
  std::string_view text = header.slice(offset, length).value_or(ByteView()).characters();
  return std::string(text.substr(0, text.find('\0')));
}

/// `header` holds at least kEntryHeaderBytes; `payload` is what follows it, padded.
Result<FatBinaryEntry> readEntry(ByteView header, ByteView payload) {
  FatBinaryEntry entry;
  const uint64_t flags = header.readOrZero<uint64_t>(40);
  entry.kind = kindOf(header.readOrZero<uint16_t>(0));
  entry.sm = header.readOrZero<uint32_t>(28);
  entry.variant = variantOf(flags);
  entry.compression = compressionOf(flags);
  entry.sourceName =
      headerText(header, header.readOrZero<uint32_t>(32), header.readOrZero<uint32_t>(36));
  if (const uint32_t record = header.readOrZero<uint32_t>(20);
      record && record + 8 <= header.size())
    entry.options = headerText(header, header.readOrZero<uint32_t>(record),
                               header.readOrZero<uint32_t>(record + 4));
  entry.stored = payload;
  entry.bytes = payload.size();
  if (entry.compression == Compression::None)
    return entry;
  const std::optional<ByteView> stored = payload.slice(0, header.readOrZero<uint32_t>(16));
  if (!stored)
    return Status::error("the compressed bytes of " + describe(entry) + " are cut off");
  entry.stored = *stored;
  entry.bytes = header.readOrZero<uint64_t>(56);
  return entry;
}

/// Appends the entries of one fat binary; `body` is what follows its header.
Status readEntries(ByteView body, std::vector<FatBinaryEntry>& entries) {
  for (uint64_t at = 0; at < body.size();) {
    const std::optional<uint32_t> headerBytes = body.read<uint32_t>(at + 4);
    const std::optional<uint64_t> stored = body.read<uint64_t>(at + 8);
    const std::optional<ByteView> header =
        headerBytes ? body.slice(at, *headerBytes) : std::nullopt;
    const std::optional<ByteView> payload =
        header && stored ? body.slice(at + header->size(), *stored) : std::nullopt;
    if (!payload || header->size() < kEntryHeaderBytes)
      return Status::error("entry " + std::to_string(entries.size()) +
                           " of the fat binary is damaged or cut off");
    Result<FatBinaryEntry> entry = readEntry(*header, *payload);
    if (!entry)
      return entry.status();
    entries.push_back(std::move(*entry));
    at += header->size() + payload->size();
  }
  return Status();
}

} // namespace

bool isFatBinary(ByteView bytes) {
  return bytes.readOrZero<uint32_t>(0) == kMagic;
}

Result<std::vector<FatBinaryEntry>> readFatBinaries(ByteView bytes) {
  std::vector<FatBinaryEntry> entries;
  for (uint64_t at = 0; at + kHeaderBytes <= bytes.size();) {
    if (bytes.readOrZero<uint64_t>(at) == 0) { // padding between fat binaries
      at += 8;
      continue;
    }
    const uint16_t headerBytes = bytes.readOrZero<uint16_t>(at + 6);
    const std::optional<ByteView> body =
        bytes.slice(at + headerBytes, bytes.readOrZero<uint64_t>(at + 8));
    if (bytes.readOrZero<uint32_t>(at) != kMagic || headerBytes < kHeaderBytes || !body)
      return Status::error("not a fat binary, or a damaged one, at byte " + std::to_string(at) +
                           " of " + std::to_string(bytes.size()) +
                           "; was it written by a CUDA toolkit newer than 13?");
    if (Status status = readEntries(*body, entries); !status)
      return status;
    at += headerBytes + (body->size() + 7) / 8 * 8;
  }
  return entries;
}

Result<std::string> unpack(const FatBinaryEntry& entry) {
  Result<std::string> bytes = decompress(entry.stored, entry.compression, entry.bytes);
  if (!bytes)
    return Status::error("cannot unpack " + describe(entry) + ": " + bytes.message());
  if (entry.kind == ImageKind::Ptx) // padded with zeros
    bytes->resize(bytes->find_last_not_of('\0') + 1);
  return bytes;
}

std::string describe(const FatBinaryEntry& entry) {
  const bool ptx = entry.kind == ImageKind::Ptx;
  std::string text = ptx ? "PTX compute_" : entry.kind == ImageKind::Elf ? "ELF sm_" : "code sm_";
  text += std::to_string(entry.sm);
  if (entry.variant)
    text += entry.variant;
  return text;
}

} // namespace gpusched::image
