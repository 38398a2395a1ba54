// ImagePtx.cpp - kinds of images are told apart by how they begin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/ImagePtx.h"

#include "rt/device/cpu/image/PtxChoice.h"
#include "rt/device/cpu/image/RegisteredBinary.h"

#include <cstring>
#include <optional>
#include <vector>

namespace gpusched::twins {
namespace {

using Entries = std::vector<image::FatBinaryEntry>;

/// Cubins and fat binaries begin with bytes that no text has.
bool isText(const char* image) {
  return *image != 0 && std::strchr("./ \t\r\n", *image) != nullptr;
}

Result<Entries> entriesOf(const void* image, size_t bytes) {
  if (bytes != 0)
    return image::readFatBinaries(image::ByteView(image, bytes));
  if (!image::isWrapper(image))
    return image::readFatBinaryAt(image);
  Result<image::RegisteredBinary> binary = image::readRegisteredBinary(image);
  if (!binary || binary->relocatable)
    return Status::error("device-linked code holds no PTX of its own");
  return std::move(binary->units.front());
}

} // namespace

std::string ptxOfImage(const void* image, size_t bytes, unsigned capability) {
  if (isText(static_cast<const char*>(image)))
    return static_cast<const char*>(image);
  if (capability == 0 || std::strncmp(static_cast<const char*>(image), "\177ELF", 4) == 0)
    return "";
  const Result<Entries> entries = entriesOf(image, bytes);
  if (!entries)
    return "";
  const std::optional<image::PtxChoice> choice = image::choosePtx(*entries, capability);
  if (!choice || !choice->remark.empty())
    return "";
  const Result<std::string> text = image::unpack((*entries)[choice->index]);
  return text ? *text : "";
}

} // namespace gpusched::twins
