// ImagePtx.h - the PTX of what a program hands to the driver.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace gpusched::twins {

/// The text itself, or the one of a fat binary, in its wrapper or not, that a device of this
/// compute capability (90 for 9.0) would take; with 0 only the former. "": a cubin, device-linked
/// code, or none for that device. `image`: as cuModuleLoadData takes it; of a file with a zero
/// behind it, and `bytes` of it. With 0 for these, what it says of its own size is believed.
std::string ptxOfImage(const void* image, size_t bytes, unsigned capability);

} // namespace gpusched::twins
