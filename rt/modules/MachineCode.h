// MachineCode.h - what a program compiles or links while it runs, as PTX in place of machine code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that load machine code take PTX as well, and only PTX can have twins, or run on the
// cpu device. Any thread.
#pragma once

#include <string>

namespace gpusched::modules {

/// Does nothing take machine code, as on the cpu device (GPUSCHED_PTX_CODE)?
bool takesOnlyPtx();

/// Is PTX wanted in place of machine code: for twins, or since nothing else is taken?
bool wantsPtxCode();

/// The program has got `ptx` where it asked for this machine code.
void rememberMachineCode(const std::string& ptx, const std::string& code);

/// The machine code that the program asked for when it got `image`, for as long as the process
/// lives; `image` itself where it came from elsewhere, and on the cpu device. May be null.
const void* machineCodeBehind(const void* image);

/// Ours in place of a function of NVRTC (nvrtcGetCUBIN) or of nvJitLink that was `found` by
/// `handle` (of dlopen, not RTLD_DEFAULT), or what was found.
void* nvrtcStandIn(void* handle, const char* name, void* found);
void* jitLinkStandIn(void* handle, const char* name, void* found);

} // namespace gpusched::modules
