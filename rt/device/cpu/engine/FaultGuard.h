// FaultGuard.h - turns a wild device pointer into a failed launch instead of a dead program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory is host memory, so a kernel's bad address raises SIGSEGV or SIGBUS on the
// worker that runs it. While catchBadAccess() is on that thread's stack the signal returns
// control to it; any other fault goes to the handler that was installed before ours.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <optional>

namespace gpusched::cpu {

/// Installs the process-wide handler, once.
void installFaultGuard();

namespace detail {
struct FaultPoint {
  sigjmp_buf resume;
  uint64_t address = 0;
};
extern thread_local FaultPoint* faultPoint;
} // namespace detail

/// Runs body(); the faulting address if it made a bad access. body() must own nothing that
/// needs a destructor at the point of such an access. Calls may nest.
template <class Body> std::optional<uint64_t> catchBadAccess(Body body) {
  detail::FaultPoint point;
  detail::FaultPoint* const outer = detail::faultPoint;
  if (sigsetjmp(point.resume, 0)) {
    detail::faultPoint = outer;
    return point.address;
  }
  detail::faultPoint = &point;
  body();
  detail::faultPoint = outer;
  return std::nullopt;
}

} // namespace gpusched::cpu
