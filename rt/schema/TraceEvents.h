// TraceEvents.h - a trace as the picture that Perfetto and chrome://tracing draw.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trace Event Format ("Trace Event Format", Google, 2016): a process for each device, a thread for
// each stream, a complete event ("X") for each launch that has times; what was decided is in
// `args`.
#pragma once

#include "rt/schema/Trace.h"

#include <string>

namespace gpusched {

/// JSON; "" when no launch has times.
std::string traceEvents(const TraceFile& trace);

} // namespace gpusched
