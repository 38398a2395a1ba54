// A runtime that says what it is told, and launches the twin through the table that it is given.
#include "rt/launch/Cudart.h"
#include <cstdio>

#define EXPORT extern "C" __attribute__((visibility("default")))

static const gpusched_kernel& kernelOf(const gpusched_launch_request* request) {
  const gpusched_kernel* kernel = request->kernels;
  while (kernel->native != request->function)
    kernel = kernel->next;
  return *kernel;
}

EXPORT int gpusched_rt_launch(const gpusched_launch_request* request, int* error) {
  const gpusched_kernel& kernel = kernelOf(request);
  std::printf("[runtime] %s %s:%u flags %u parameters %u of %u and %u bytes, grid %u block %u shared %zu\n",
              kernel.name, kernel.file, kernel.line, kernel.flags, kernel.parameters, kernel.parameterBytes[0],
              kernel.parameterBytes[1], request->grid.x, request->block.x, request->sharedBytes);
  if (request->grid.x == 13) { // natively, with a priority
    int least = 0, highest = 0, ofStream = 0;
    request->cudart->deviceGetStreamPriorityRange(&least, &highest);
    request->cudart->streamGetPriority(request->stream, &ofStream);
    std::printf("[runtime] its stream has %d of %d to %d\n", ofStream, least, highest);
    gpusched::cudart::LaunchAttribute attribute;
    attribute.priority = highest;
    const gpusched::cudart::LaunchConfig config = {request->grid,   request->block, request->sharedBytes,
                                                   request->stream, &attribute,     1};
    *error = request->cudart->launchKernelExC(&config, request->function, request->arguments);
    return 1;
  }
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
    std::printf("[runtime] unmanaged %s, grid %u block %u shared %zu\n", kernelOf(request).name, request->grid.x,
              request->block.x, request->sharedBytes);
  *error = make(data);
  return 1;
}

EXPORT void gpusched_rt_unloading() { std::puts("[runtime] forgets"); }
