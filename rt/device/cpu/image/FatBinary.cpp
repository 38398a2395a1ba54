// FatBinary - the device code that nvcc and clang put into a host program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout, as nvcc 13.0 to 13.5 write it (all little-endian; looked up in their output):
//   header  u32 magic, u16 version = 1, u16 header bytes = 16, u64 bytes of all entries
//   entry   0 u16 kind (1 PTX, 2 ELF,      4 u32 header bytes     8 u64 stored bytes, padded
//                 0x100 several)
//          16 u32 compressed bytes or 0   20 u32 offset of the ptxas options record or 0
//          28 u32 architecture            32 u32, 36 u32 offset and length of the file name
//          40 u64 flags                   56 u64 bytes after decompression
// Offsets count from the entry; its payload follows its header. Compression: -compress-mode=
// default, balance and size store ZSTD (cubins only with size and in relocatable objects),
// speed stores LZ4 blocks, none stores plainly.
// Several (-concat, from 13.4 on): images compressed as one. At 20 is the offset of
//   list    u32 number, u32 bytes of the list, then a header for each: as above, but
//            4 u32 where it begins among the decompressed bytes   8 u64 its bytes
// and with no length of its own: it ends, at a multiple of 8, behind the texts that it names.
#include "rt/device/cpu/image/FatBinary.h"

#include "rt/device/cpu/image/Decompress.h"

#include <algorithm>

namespace gpusched::image {

namespace {

constexpr uint32_t kMagic = 0xBA55ED50;
constexpr uint64_t kHeaderBytes = 16, kEntryHeaderBytes = 64, kTextReferenceBytes = 8;
constexpr uint16_t kSeveral = 0x100;
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

/// Of the header of one of several: up to the end of what it names.
uint64_t listedHeaderBytes(ByteView from) {
  uint64_t end = kEntryHeaderBytes;
  const auto names = [&](uint64_t reference) {
    const uint64_t text = from.readOrZero<uint32_t>(reference);
    if (text)
      end = std::max(end, text + from.readOrZero<uint32_t>(reference + 4) + 1); // ends with a zero
  };
  names(32);
  if (const uint32_t record = from.readOrZero<uint32_t>(20)) {
    end = std::max(end, record + kTextReferenceBytes);
    names(record);
  }
  return (end + 7) / 8 * 8;
}

/// Appends the images that `whole`, whose header this is, holds in one.
Status readSeveral(ByteView header, const FatBinaryEntry& whole,
                   std::vector<FatBinaryEntry>& entries) {
  const auto damaged = [] {
    return Status::error("the list of images in the fat binary is damaged");
  };
  const uint32_t list = header.readOrZero<uint32_t>(20);
  uint64_t at = list + kTextReferenceBytes;
  for (uint32_t left = header.readOrZero<uint32_t>(list); left > 0; --left) {
    const std::optional<ByteView> rest =
        at < header.size() ? header.slice(at, header.size() - at) : std::nullopt;
    if (!rest || rest->size() < kEntryHeaderBytes)
      return damaged();
    Result<FatBinaryEntry> entry = readEntry(*rest, ByteView());
    if (!entry)
      return entry.status();
    entry->begin = rest->readOrZero<uint32_t>(4);
    entry->bytes = rest->readOrZero<uint64_t>(8);
    if (entry->begin > whole.bytes || entry->bytes > whole.bytes - entry->begin)
      return damaged();
    entry->compression = whole.compression;
    entry->stored = whole.stored;
    entry->togetherBytes = whole.bytes;
    entries.push_back(std::move(*entry));
    at += listedHeaderBytes(*rest);
  }
  return Status();
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
    at += header->size() + payload->size();
    if (header->readOrZero<uint16_t>(0) != kSeveral)
      entries.push_back(std::move(*entry));
    else if (Status status = readSeveral(*header, *entry, entries); !status)
      return status;
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
  Result<std::string> bytes = decompress(entry.stored, entry.compression,
                                         entry.togetherBytes ? entry.togetherBytes : entry.bytes);
  if (!bytes)
    return Status::error("cannot unpack " + describe(entry) + ": " + bytes.message());
  if (entry.togetherBytes)
    bytes = bytes->substr(entry.begin, entry.bytes);
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
