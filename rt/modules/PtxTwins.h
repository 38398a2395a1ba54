// PtxTwins.h - twins for the kernels of PTX that a program loads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever wants them names libgpusched_ptx_twins.so in GPUSCHED_PTX (`gpusched run --ptx-twins`
// does). It is opened, not linked: rt/ does not know who makes twins.
#pragma once

#include <cstddef>
#include <string>

/// Of libgpusched_ptx_twins.so. `image`: as cuModuleLoadData takes it; `bytes`: of it, 0 where only
/// the image says how far it reaches. PTX inside a fat binary counts if it is for a device of this
/// compute capability (90 for 9.0), and not at all with 0.
/// Hands `take` the PTX with twins and returns how many kernels have got one; 0, and `take` is not
/// called, where none has. Says at log level "info" why a kernel has none. Any thread; throws
/// nothing.
extern "C" typedef int
gpusched_ptx_add_twins_function(const void* image, size_t bytes, unsigned capability,
                                void (*take)(void* context, const char* text, size_t bytes),
                                void* context);
#define GPUSCHED_PTX_ADD_TWINS_SYMBOL "gpusched_ptx_add_twins"

namespace gpusched::modules {

/// Are twins asked for?
bool wantsPtxTwins();

/// The image's PTX with twins; "" where they are not asked for, where it has none or is a fat
/// binary and GPUSCHED_EMBEDDED_PTX is not set, and where no kernel can have one. `image`: as
/// cuModuleLoadData takes it; `bytes`: of a file's, else 0.
std::string withPtxTwins(const void* image, size_t bytes = 0);

/// The same for a file.
std::string fileWithPtxTwins(const char* path);

} // namespace gpusched::modules
