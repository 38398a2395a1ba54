// ByKernel.cpp - one part of the text after the other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/support/ByKernel.h"

namespace gpusched {

std::optional<ByKernel<std::string>> parseByKernel(std::string_view text) {
  ByKernel<std::string> parts;
  while (true) {
    const size_t end = text.find(';');
    const std::string_view part = text.substr(0, end);
    const size_t equals = part.rfind('='); // a name may be of an instantiation with (a == b)
    if (part.empty() || equals == 0)
      return std::nullopt;
    if (equals != part.npos) {
      if (!parts.named.emplace(part.substr(0, equals), part.substr(equals + 1)).second)
        return std::nullopt;
    } else if (parts.all.empty()) {
      parts.all = part;
    } else {
      return std::nullopt;
    }
    if (end == text.npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

} // namespace gpusched
