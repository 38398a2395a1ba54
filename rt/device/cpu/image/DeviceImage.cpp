// DeviceImage - the device code in a file, whatever kind of file it is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kind is decided by content: ELF machine, fat binary magic, archive magic, else PTX text.
// Archives nest one level, as ar makes them.
#include "rt/device/cpu/image/DeviceImage.h"

#include "rt/device/cpu/image/Cubin.h"
#include "rt/device/cpu/image/ElfFile.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace gpusched::image {

namespace {

constexpr std::string_view kArchiveMagic = "!<arch>\n";

Status addFatBinaries(ByteView bytes, bool relocatable, std::vector<DeviceImage>& images) {
  Result<std::vector<FatBinaryEntry>> entries = readFatBinaries(bytes);
  if (!entries)
    return entries.status();
  for (const FatBinaryEntry& entry : *entries) {
    if (entry.kind == ImageKind::Other)
      continue; // what -dlto makes, for nvlink alone
    Result<std::string> code = unpack(entry);
    if (!code)
      return code.status();
    images.push_back({entry.kind, entry.sm, entry.variant, relocatable, {}, std::move(*code)});
  }
  return Status();
}

Status addCubin(ByteView bytes, std::vector<DeviceImage>& images) {
  Result<Cubin> cubin = readCubin(bytes);
  if (!cubin)
    return cubin.status();
  images.push_back({ImageKind::Elf, cubin->sm, 0, false, {}, std::string(bytes.characters())});
  return Status();
}

Status addHostFile(ByteView bytes, std::vector<DeviceImage>& images) {
  Result<ElfFile> file = ElfFile::read(bytes);
  if (!file)
    return file.status();
  for (const ElfSection& section : file->sections()) {
    const bool relocatable = section.name == "__nv_relfatbin";
    if (!relocatable && section.name != ".nv_fatbin")
      continue;
    if (Status status = addFatBinaries(section.bytes, relocatable, images); !status)
      return status;
  }
  return Status();
}

/// "name/" or "/offset" into the archive's table of long names.
std::string memberName(std::string_view field, std::string_view longNames) {
  if (field.starts_with("/") && field.size() > 1 && field[1] >= '0' && field[1] <= '9') {
    const std::size_t offset = std::strtoul(std::string(field.substr(1)).c_str(), nullptr, 10);
    field = offset < longNames.size() ? longNames.substr(offset) : std::string_view();
  }
  return std::string(field.substr(0, field.find_first_of("/\n")));
}

/// Members are ELF objects; the symbol index and anything else is passed over.
Status addArchive(ByteView bytes, std::vector<DeviceImage>& images) {
  constexpr uint64_t kMemberHeaderBytes = 60;
  std::string_view longNames;
  for (uint64_t at = kArchiveMagic.size(); at + kMemberHeaderBytes <= bytes.size();) {
    const std::string_view header = bytes.characters().substr(at, kMemberHeaderBytes);
    const std::string_view field = header.substr(0, 16);
    const uint64_t size = std::strtoull(std::string(header.substr(48, 10)).c_str(), nullptr, 10);
    const std::optional<ByteView> member = bytes.slice(at + kMemberHeaderBytes, size);
    if (!member)
      return Status::error("the archive is cut off");
    if (field.starts_with("// "))
      longNames = member->characters();
    const std::size_t first = images.size();
    if (ElfFile::hasMagic(*member))
      if (Status status = addHostFile(*member, images); !status)
        return Status::error("member " + memberName(field, longNames) + ": " + status.message());
    for (std::size_t i = first; i < images.size(); ++i)
      images[i].member = memberName(field, longNames);
    at += kMemberHeaderBytes + size + size % 2;
  }
  return Status();
}

/// A PTX file: the architecture is in its .target line.
Status addPtx(ByteView bytes, std::vector<DeviceImage>& images) {
  const std::string_view text = bytes.characters();
  const std::size_t target = text.find(".target");
  const std::size_t number = target == std::string_view::npos ? target : text.find("sm_", target);
  if (text.find(".version") == std::string_view::npos || number == std::string_view::npos)
    return Status::error("neither an object, an archive, a fat binary, a cubin nor PTX");
  DeviceImage image;
  image.kind = ImageKind::Ptx;
  for (std::size_t i = number + 3; i < text.size() && i < number + 7; ++i) {
    if (text[i] >= '0' && text[i] <= '9')
      image.sm = image.sm * 10 + unsigned(text[i] - '0');
    else if (text[i] == 'a' || text[i] == 'f')
      image.variant = text[i];
    if (text[i] < '0' || text[i] > '9')
      break;
  }
  image.bytes = text;
  images.push_back(std::move(image));
  return Status();
}

Status addImages(ByteView bytes, std::vector<DeviceImage>& images) {
  if (isCubin(bytes))
    return addCubin(bytes, images);
  if (ElfFile::hasMagic(bytes))
    return addHostFile(bytes, images);
  if (bytes.characters().starts_with(kArchiveMagic))
    return addArchive(bytes, images);
  if (isFatBinary(bytes))
    return addFatBinaries(bytes, false, images);
  return addPtx(bytes, images);
}

} // namespace

Result<std::vector<DeviceImage>> readImages(ByteView bytes, const std::string& name) {
  std::vector<DeviceImage> images;
  if (Status status = addImages(bytes, images); !status)
    return Status::error("cannot read device code from " + name + ": " + status.message());
  return images;
}

Result<std::vector<DeviceImage>> readImages(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Status::error("cannot open " + path.string() + "; does it exist and may it be read?");
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return readImages(ByteView(bytes.data(), bytes.size()), path.string());
}

} // namespace gpusched::image
