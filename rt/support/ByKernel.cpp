// ByKernel.cpp - one part of the text after the other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/support/ByKernel.h"

#include <algorithm>

namespace gpusched {

std::optional<std::vector<KernelPart>> partsByKernel(std::string_view text) {
  std::vector<KernelPart> parts;
  for (size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find(';', begin);
    const std::string_view part = text.substr(begin, end - begin);
    const size_t equals = part.rfind('='); // a name may be of an instantiation with (a == b)
    if (part.empty() || equals == 0)
      return std::nullopt;
    const bool isOfAll = equals == part.npos;
    const KernelPart read = {isOfAll ? std::string_view() : part.substr(0, equals),
                             isOfAll ? part : part.substr(equals + 1)};
    if (std::any_of(parts.begin(), parts.end(),
                    [&](const KernelPart& other) { return other.kernel == read.kernel; }))
      return std::nullopt;
    parts.push_back(read);
  }
  return parts;
}

} // namespace gpusched
