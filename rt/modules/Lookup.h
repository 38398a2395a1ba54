// Lookup.h - the dynamic linker's own look-up, behind ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gpusched::modules {

/// dlsym of the C library, whatever stands in front of it. Any thread.
void* systemLookup(void* handle, const char* name);

/// Ours in place of the driver's function `name` (as exported, "cuLaunchKernel_ptsz"); null when we
/// have none.
void* standIn(const char* name);

} // namespace gpusched::modules
