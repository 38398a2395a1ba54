// nested_launch_test - a launch of the runtime's own that comes back to it is not taken again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/Launch.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <cstdio>
#include <cstdlib>

static gpusched_cudart table;
static gpusched_launch_request request;
static unsigned offered = 0, taken = 0;

/// As a driver that offers its launches to the runtime (rt/modules).
static int offeringLaunch(const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                          void** arguments, size_t sharedBytes, void* stream) {
  int error = 0;
  ++offered;
  taken += unsigned(gpusched_rt_launch(&request, &error));
  return FakeCudart::instance().table()->launchKernel(function, grid, block, arguments, sharedBytes,
                                                      stream);
}

int main() {
  setenv("GPUSCHED", "serial", 1);
  static void* none[1] = {};
  ProgramKernel twin("twin"), native("native", 100, false);
  table = *FakeCudart::instance().table();
  table.launchKernel = offeringLaunch;
  for (ProgramKernel* kernel : {&twin, &native}) {
    request = {};
    request.abi_version = GPUSCHED_ABI_VERSION;
    request.function = &kernel->native;
    request.grid = {uint32_t(kernel->runs.size()), 1, 1};
    request.block = {128, 1, 1};
    request.arguments = none;
    request.kernels = &kernel->node;
    request.cudart = &table;
    int error = 0;
    CHECK_EQUAL(gpusched_rt_launch(&request, &error), 1);
    CHECK_EQUAL(error, 0);
    FakeCudart::instance().drain();
    CHECK(kernel->everyBlockRan(1));
  }
  CHECK(offered >= 2);
  CHECK_EQUAL(taken, 0u);
  return checkResult();
}
