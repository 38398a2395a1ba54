// DeviceImage.h - the device code in a file, whatever kind of file it is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/image/FatBinary.h"

#include <filesystem>

namespace gpusched::image {

/// One piece of device code, decompressed.
struct DeviceImage {
  ImageKind kind = ImageKind::Other;
  unsigned sm = 0;
  char variant = 0;         // 'a', 'f' or 0, as in FatBinaryEntry
  bool relocatable = false; // from -rdc=true: needs the other units of the program
  std::string member;       // of an archive: the object it came from
  std::string bytes;        // PTX text or a cubin
};

/// Reads a host object, executable or shared object (its .nv_fatbin and __nv_relfatbin), an
/// archive of objects, a fat binary, a cubin or a PTX file. A host file without device code
/// gives an empty list; an unreadable or damaged file an error that names it.
Result<std::vector<DeviceImage>> readImages(const std::filesystem::path& path);

/// The same from memory; `name` is for messages.
Result<std::vector<DeviceImage>> readImages(ByteView bytes, const std::string& name);

} // namespace gpusched::image
