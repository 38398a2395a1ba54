// ProfileJson.h - one kernel's profile in and out of JSON, for formats that hold profiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/schema.
#pragma once

#include "rt/schema/JsonReader.h"
#include "rt/schema/JsonWriter.h"
#include "rt/schema/Profile.h"

namespace gpusched {

/// Of KernelClass, as in files.
inline constexpr const char* kClassNames[] = {"unknown", "compute", "memory", "l1"};

void mapKernelProfile(JsonReader& json, KernelProfile& kernel);
void mapKernelProfile(JsonWriter& json, const KernelProfile& kernel);

} // namespace gpusched
