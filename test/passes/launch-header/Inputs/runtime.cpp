// A runtime that takes every launch, says what it was told, and returns an error for grids of one block.
#include "rt/include/gpusched/LaunchAbi.h"
#include <cstdio>

extern "C" __attribute__((visibility("default"))) int
gpusched_rt_launch(const gpusched_launch_request* request, int* error) {
  const gpusched_kernel* kernel = request->kernels;
  while (kernel && kernel->native != request->function)
    kernel = kernel->next;
  if (!kernel)
    return 0;
  std::printf("[runtime] %s line %u parameters %u twin %d grid %u %u block %u shared %zu table %d\n",
              kernel->name, kernel->line, kernel->parameters, kernel->persistent != nullptr,
              request->grid.x, request->grid.y, request->block.x, request->sharedBytes,
              request->cudart->size == sizeof(gpusched_cudart) && request->cudart->malloc &&
                  request->cudart->getDriverEntryPoint);
  *error = request->grid.x == 1 ? 719 : 0;
  return 1;
}
