// PtxTwins.h - twins for the kernels of PTX that a program loads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever wants them names libgpusched_ptx_twins.so in GPUSCHED_PTX (`gpusched run --ptx-twins`
// does). It is opened, not linked: rt/ does not know who makes twins.
#pragma once

#include <cstddef>
#include <string>

/// Of libgpusched_ptx_twins.so. Hands `take` the PTX with twins and returns how many kernels have
/// got one; 0, and `take` is not called, where none has. Says at log level "info" why a kernel has
/// none. Any thread; throws nothing.
extern "C" typedef int gpusched_ptx_add_twins_function(
    const char* ptx, void (*take)(void* context, const char* text, size_t bytes), void* context);
#define GPUSCHED_PTX_ADD_TWINS_SYMBOL "gpusched_ptx_add_twins"

namespace gpusched::modules {

/// Are twins asked for?
bool wantsPtxTwins();

/// The image with twins; "" where they are not asked for, where it is no PTX text, and where no
/// kernel of it can have one. `image`: as cuModuleLoadData takes it.
std::string withPtxTwins(const void* image);

/// The same for a file.
std::string fileWithPtxTwins(const char* path);

} // namespace gpusched::modules
