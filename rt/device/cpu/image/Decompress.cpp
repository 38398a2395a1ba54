// Decompress - LZ4 and ZSTD blocks of fat binaries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size after decompression comes from the file, so it is checked before it is believed:
// against a hard limit and against the best ratio seen in device code by a wide margin.
#include "rt/device/cpu/image/Decompress.h"

#include <lz4.h>
#include <zstd.h>

namespace gpusched::image {

namespace {

constexpr uint64_t kLargestImage = uint64_t(1) << 30;
constexpr uint64_t kLargestRatio = 4096;

} // namespace

Result<std::string> decompress(ByteView stored, Compression compression, uint64_t bytes) {
  if (compression == Compression::None)
    return std::string(stored.characters());
  if (bytes > kLargestImage || bytes / kLargestRatio > stored.size())
    return Status::error("its header claims " + std::to_string(bytes) + " bytes from " +
                         std::to_string(stored.size()) + " compressed ones; the file is damaged");
  std::string out(bytes, '\0');
  uint64_t written = 0;
  if (compression == Compression::Lz4) {
    const int result = LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), out.data(),
                                           int(stored.size()), int(out.size()));
    written = result < 0 ? 0 : uint64_t(result);
  } else {
    const std::size_t result =
        ZSTD_decompress(out.data(), out.size(), stored.data(), stored.size());
    written = ZSTD_isError(result) ? 0 : result;
  }
  if (written != bytes || bytes == 0)
    return Status::error("its compressed bytes are damaged");
  return out;
}

} // namespace gpusched::image
