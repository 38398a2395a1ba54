// DriverTable.h - the driver in the place of the program's CUDA runtime.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table is of the CUDA runtime that a program, or a library that it opened, is linked with, and
// goes with it. A launch comes from code that is there; a thread of ours (Attendant.cpp) comes by
// itself, and a library may have been closed since. The driver stays. Results, flags and handles
// have the same values in both, and where no context is current, whoever asks makes one so.
//
// Only what that thread calls: is an event reached, a copy, a new stream, not to spoil captures.
// Helping launches are made with the launched library's own table, for a launch that is not over,
// so its code is there.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

namespace gpusched {

/// `program` with these functions replaced; as it is where the driver has not got all of them. The
/// driver is looked up once in the process. Thread-safe.
gpusched_cudart driverTable(const gpusched_cudart& program);

} // namespace gpusched
