// Cudart.h - the program's own CUDA runtime as the table that the runtime library works with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each entry is declared with the assembler name of a CUDA function, so neither macros nor the
// overloads of cuda_runtime.h get in between, and the linker binds it to whatever CUDA runtime
// this program uses: static, shared, or the cpu device's. Compiled with the per-thread default
// stream, the table holds the _ptsz forms, for which stream 0 is the calling thread's.
#pragma once

#include "../LaunchAbi.h"

// In this file only: GPUSCHED_STREAM_NAME("x") is the name that the default stream's kind selects.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define GPUSCHED_STREAM_NAME(name) name "_ptsz"
#else
#define GPUSCHED_STREAM_NAME(name) name
#endif

extern "C" {
cudaError_t gpusched_native_launch(const void*, dim3, dim3, void**, size_t,
                                   cudaStream_t) __asm__(GPUSCHED_STREAM_NAME("cudaLaunchKernel"));
cudaError_t gpusched_native_launch_ex(const cudaLaunchConfig_t*, const void*,
                                      void**) __asm__(GPUSCHED_STREAM_NAME("cudaLaunchKernelExC"));
int gpusched_cudart_getLastError(void) __asm__("cudaGetLastError");
int gpusched_cudart_getDevice(int*) __asm__("cudaGetDevice");
int gpusched_cudart_deviceGetAttribute(int*, int, int) __asm__("cudaDeviceGetAttribute");
int gpusched_cudart_funcGetAttributes(void*, const void*) __asm__("cudaFuncGetAttributes");
int gpusched_cudart_funcSetAttribute(const void*, int, int) __asm__("cudaFuncSetAttribute");
int gpusched_cudart_occupancy(int*, const void*, int,
                              size_t) __asm__("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
int gpusched_cudart_malloc(void**, size_t) __asm__("cudaMalloc");
int gpusched_cudart_free(void*) __asm__("cudaFree");
int gpusched_cudart_mallocHost(void**, size_t) __asm__("cudaMallocHost");
int gpusched_cudart_freeHost(void*) __asm__("cudaFreeHost");
int gpusched_cudart_memcpyAsync(void*, const void*, size_t, int,
                                void*) __asm__(GPUSCHED_STREAM_NAME("cudaMemcpyAsync"));
int gpusched_cudart_memsetAsync(void*, int, size_t,
                                void*) __asm__(GPUSCHED_STREAM_NAME("cudaMemsetAsync"));
int gpusched_cudart_streamCreateWithFlags(void**, unsigned) __asm__("cudaStreamCreateWithFlags");
int gpusched_cudart_streamSynchronize(void*) __asm__(GPUSCHED_STREAM_NAME("cudaStreamSynchronize"));
int gpusched_cudart_streamIsCapturing(void*,
                                      int*) __asm__(GPUSCHED_STREAM_NAME("cudaStreamIsCapturing"));
int gpusched_cudart_streamWaitEvent(void*, void*,
                                    unsigned) __asm__(GPUSCHED_STREAM_NAME("cudaStreamWaitEvent"));
int gpusched_cudart_eventCreateWithFlags(void**, unsigned) __asm__("cudaEventCreateWithFlags");
int gpusched_cudart_eventRecord(void*, void*) __asm__(GPUSCHED_STREAM_NAME("cudaEventRecord"));
int gpusched_cudart_eventQuery(void*) __asm__("cudaEventQuery");
int gpusched_cudart_eventDestroy(void*) __asm__("cudaEventDestroy");
int gpusched_cudart_exchangeCaptureMode(int*) __asm__("cudaThreadExchangeStreamCaptureMode");
int gpusched_cudart_eventElapsedTime(float*, void*, void*) __asm__("cudaEventElapsedTime");
int gpusched_cudart_launchHostFunc(void*, void (*)(void*),
                                   void*) __asm__(GPUSCHED_STREAM_NAME("cudaLaunchHostFunc"));
int gpusched_cudart_peekAtLastError(void) __asm__("cudaPeekAtLastError");
int gpusched_cudart_streamGetPriority(void*,
                                      int*) __asm__(GPUSCHED_STREAM_NAME("cudaStreamGetPriority"));
int gpusched_cudart_streamPriorityRange(int*, int*) __asm__("cudaDeviceGetStreamPriorityRange");
int gpusched_cudart_getFuncBySymbol(void**, const void*) __asm__("cudaGetFuncBySymbol");
#if CUDART_VERSION >= 12050
int gpusched_cudart_getDriverEntryPoint(
    const char*, void**, unsigned, unsigned long long,
    int*) __asm__(GPUSCHED_STREAM_NAME("cudaGetDriverEntryPointByVersion"));
#endif
}
#undef GPUSCHED_STREAM_NAME

namespace gpusched {

/// With CUDA's own types, since a host compiler that optimises at link time compares declarations.
static inline int launchKernel(const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                               void** arguments, size_t sharedBytes, void* stream) {
  return gpusched_native_launch(function, dim3(grid.x, grid.y, grid.z),
                                dim3(block.x, block.y, block.z), arguments, sharedBytes,
                                static_cast<cudaStream_t>(stream));
}

static inline int launchKernelExC(const void* config, const void* function, void** arguments) {
  return gpusched_native_launch_ex(static_cast<const cudaLaunchConfig_t*>(config), function,
                                   arguments);
}

/// The table of this object's kind of default stream; lives as long as the program. Static: an
/// object of the other kind has another table, and a shared library another runtime.
static inline const gpusched_cudart& cudart() {
  static const gpusched_cudart table = {
      sizeof(gpusched_cudart),
      launchKernel,
      gpusched_cudart_getLastError,
      gpusched_cudart_getDevice,
      gpusched_cudart_deviceGetAttribute,
      gpusched_cudart_funcGetAttributes,
      gpusched_cudart_funcSetAttribute,
      gpusched_cudart_occupancy,
      gpusched_cudart_malloc,
      gpusched_cudart_free,
      gpusched_cudart_mallocHost,
      gpusched_cudart_freeHost,
      gpusched_cudart_memcpyAsync,
      gpusched_cudart_memsetAsync,
      gpusched_cudart_streamCreateWithFlags,
      gpusched_cudart_streamSynchronize,
      gpusched_cudart_streamIsCapturing,
      gpusched_cudart_streamWaitEvent,
      gpusched_cudart_eventCreateWithFlags,
      gpusched_cudart_eventRecord,
      gpusched_cudart_eventQuery,
      gpusched_cudart_eventDestroy,
#if CUDART_VERSION >= 12050
      gpusched_cudart_getDriverEntryPoint,
#else
      nullptr,
#endif
      gpusched_cudart_exchangeCaptureMode,
      gpusched_cudart_eventElapsedTime,
      gpusched_cudart_launchHostFunc,
      gpusched_cudart_getFuncBySymbol,
      gpusched_cudart_peekAtLastError,
      launchKernelExC,
      gpusched_cudart_streamGetPriority,
      gpusched_cudart_streamPriorityRange,
  };
  return table;
}

} // namespace gpusched
