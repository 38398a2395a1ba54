// CubinAttributes.h - lists of attributes, as .nv.info and .nv.compat are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpusched::ptxas {

/// How many bytes an attribute's value has: none, one, two, each with room up to a word, or as many
/// as the second half of its first word says.
inline constexpr uint8_t kNoFormat = 1, kByteFormat = 2, kHalfFormat = 3, kSizedFormat = 4;

/// One attribute of a list: its places there.
struct ListedAttribute {
  uint8_t format = 0, code = 0;
  size_t begin = 0, value = 0, end = 0; ///< a value within the first word has none of these

  bool operator==(const ListedAttribute&) const = default;
};

/// The one at `at`; none where it is cut off, or of an unknown format.
std::optional<ListedAttribute> attributeAt(std::string_view list, size_t at);

} // namespace gpusched::ptxas
