// Document.cpp - is this file of the kind, and of a version that we read?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/schema/Document.h"

namespace gpusched {

Status checkHeader(const DocumentKind& kind, const std::string& format, int version) {
  if (format != kind.format)
    return Status::error("format: expected \"" + std::string(kind.format) + "\", got \"" + format +
                         "\"; is this a " + kind.name + "?");
  if (version >= kind.oldest && version <= kind.version)
    return {};
  const bool several = kind.oldest < kind.version;
  return Status::error("version: this program reads version " + std::to_string(kind.version) +
                       (several ? " and the one before it" : "") + ", the file has " +
                       std::to_string(version) + "; make the file again with this program");
}

} // namespace gpusched
