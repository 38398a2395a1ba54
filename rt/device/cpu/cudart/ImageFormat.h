// ImageFormat.h - CUDA's channel descriptors and view formats as the engine's texel formats.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-compressed, planar (NV12) and 10-10-10-2 formats are not there.
#pragma once

#include "rt/device/cpu/engine/Image.h"

#include <driver_types.h>

#include <optional>

namespace gpusched::cudart {

struct ImageFormat {
  cpu::TexelFormat texel;
  bool normalized = false; // the format itself says that integers are read as floats
};

/// Nothing when the device has no such texel.
std::optional<ImageFormat> imageFormat(const cudaChannelFormatDesc& description);
std::optional<ImageFormat> imageFormat(cudaResourceViewFormat format);

} // namespace gpusched::cudart
