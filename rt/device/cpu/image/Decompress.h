// Decompress.h - LZ4 and ZSTD blocks of fat binaries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/image/FatBinary.h"

namespace gpusched::image {

/// `stored` decompressed to exactly `bytes` bytes; a copy when it is not compressed. Sizes that
/// no compressor reaches are refused before memory is allocated.
Result<std::string> decompress(ByteView stored, Compression compression, uint64_t bytes);

} // namespace gpusched::image
