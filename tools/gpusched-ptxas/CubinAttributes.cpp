// CubinAttributes.cpp - reads one attribute of a list.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptxas/CubinAttributes.h"

namespace gpusched::ptxas {

std::optional<ListedAttribute> attributeAt(std::string_view list, size_t at) {
  constexpr size_t kHeader = 4;
  if (at > list.size() || list.size() - at < kHeader)
    return std::nullopt;
  ListedAttribute attribute{static_cast<uint8_t>(list[at]), static_cast<uint8_t>(list[at + 1]), at,
                            at + kHeader, at + kHeader};
  if (attribute.format == kSizedFormat)
    attribute.end += static_cast<uint8_t>(list[at + 2]) | static_cast<uint8_t>(list[at + 3]) << 8;
  else if (attribute.format < kNoFormat || attribute.format > kHalfFormat)
    return std::nullopt;
  return attribute.end > list.size() ? std::nullopt : std::optional(attribute);
}

} // namespace gpusched::ptxas
