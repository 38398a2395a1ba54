// A runtime that says what it is told, and launches the twin through the table that it is given.
#include "rt/include/gpusched/LaunchAbi.h"
#include <cstdio>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int gpusched_rt_launch(const gpusched_launch_request* request, int* error) {
  const gpusched_kernel& kernel = *request->kernels; // the one that was met last
  std::printf("[runtime] %s %s:%u flags %u parameters %u of %u and %u bytes, grid %u block %u shared %zu\n",
              kernel.name, kernel.file, kernel.line, kernel.flags, kernel.parameters, kernel.parameterBytes[0],
              kernel.parameterBytes[1], request->grid.x, request->block.x, request->sharedBytes);
  int own = 0;
  void* arguments[] = {&own, request->arguments[0], request->arguments[1]};
  *error = request->cudart->launchKernel(kernel.persistent, request->grid, request->block, arguments,
                                         request->sharedBytes, request->stream);
  return 1;
}

EXPORT int gpusched_rt_launch_unmanaged(const gpusched_launch_request* request, int (*make)(void*), void* data,
                                        int* error) {
  if (!request->function)
    std::puts("[runtime] a graph");
  else
    std::printf("[runtime] unmanaged %s, grid %u block %u shared %zu\n", request->kernels->name, request->grid.x,
              request->block.x, request->sharedBytes);
  *error = make(data);
  return 1;
}

EXPORT void gpusched_rt_unloading() { std::puts("[runtime] forgets"); }
