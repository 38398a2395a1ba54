// A library with a CUDA runtime of its own launches last, in a stream of higher priority, and is closed while a kernel of the
// program runs that has stepped back for it: a thread of ours, which looks after that one, calls nothing that has gone.
// RUN: mkdir -p %t && %gpusched-cc -arch=sm_90 -cudart static -DLIBRARY -Xcompiler -fPIC -shared %s -o %t/library.so
// RUN: %gpusched-cc -arch=sm_90 -cudart static %s -ldl -o %t/main
// RUN: %gpusched run --device=cpu --policy=kscheduler -- %t/main %t/library.so 2> %t/log | FileCheck %s
// CHECK: 60 times beside it
#include <cstdio>
#include <cuda_runtime.h>

#ifdef LIBRARY
constexpr int kItems = 1 << 16;
__device__ float a[kItems], b[kItems];

__global__ void stream() {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kItems; i += gridDim.x * blockDim.x)
    b[i] = a[i] * 2;
}

extern "C" int use() {
  cudaStream_t own;
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStreamCreateWithPriority(&own, cudaStreamNonBlocking, greatest);
  stream<<<500, 128, 0, own>>>();
  const bool done = cudaStreamSynchronize(own) == cudaSuccess;
  cudaStreamDestroy(own);
  return done;
}
#else
#include <dlfcn.h>

__global__ void iterate(const volatile int* stop, int rounds, float* b) {
  float x = threadIdx.x;
  for (int round = 0; round < rounds && !*stop; ++round)
    for (int i = 0; i < 500; ++i)
      x = sqrtf(x) + 0.5f;
  b[threadIdx.x] = x;
}

int useLibrary(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const int done = reinterpret_cast<int (*)()>(dlsym(library, "use"))();
  dlclose(library);
  return done;
}

int main(int, char** arguments) {
  int *stop, beside = 0;
  float* b;
  cudaMallocHost(&stop, sizeof *stop);
  cudaMalloc(&b, 128 * sizeof *b);
  cudaStream_t own;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  *stop = 0;
  useLibrary(arguments[1]); // so that it is known that there are such streams, and `iterate` has a budget
  iterate<<<20000, 128, 0, own>>>(stop, 20, b); // blocks that end, for only then can workers leave
  for (int round = 0; round < 60; ++round)
    beside += useLibrary(arguments[1]);
  *const_cast<volatile int*>(stop) = 1;
  if (cudaDeviceSynchronize() == cudaSuccess)
    std::printf("%d times beside it\n", beside);
}
#endif
