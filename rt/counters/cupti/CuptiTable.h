// CuptiTable.h - CUPTI's functions as pointers, and its parameter structs made easy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/counters/cupti. Types come from CUPTI's headers, so a wrong call does not compile.
#pragma once

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

namespace gpusched {

struct CuptiTable {
#define GPUSCHED_CUPTI_HOST(NAME) decltype(&::NAME) NAME = nullptr;
#define GPUSCHED_CUPTI_TARGET(NAME) decltype(&::NAME) NAME = nullptr;
#include "rt/counters/cupti/CuptiSymbols.def"
};

} // namespace gpusched

/// A zeroed parameter struct of CUPTI with its size filled in.
#define GPUSCHED_CUPTI_PARAMETERS(TYPE, NAME)                                                      \
  TYPE NAME = {};                                                                                  \
  NAME.structSize = TYPE##_STRUCT_SIZE
