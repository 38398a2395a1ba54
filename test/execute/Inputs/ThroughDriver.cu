// ThroughDriver.cu - launches of this program as launches by the driver API.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a GPU CUDA's runtime launches through the driver, where libgpusched_modules.so finds twins of
// kernels that have no registrar. Our own runtime of the cpu device does not, so this stands before
// it in programs that are linked with it and -cudart shared.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace {

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using GetKernel = cudaError_t(cudaKernel_t*, const void*);
using LaunchKernel = cudaError_t(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);

std::mutex mutex;
std::map<cudaKernel_t, CUfunction> functions;

} // namespace

extern "C" cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  cudaFunction_t function = nullptr;
  const cudaError_t error = next<GetKernel>("__cudaGetKernel")(kernel, stub);
  if (error == cudaSuccess && cudaGetFuncBySymbol(&function, stub) == cudaSuccess) {
    std::lock_guard<std::mutex> lock(mutex);
    functions[*kernel] = function;
  }
  return error;
}

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                          cudaStream_t stream) {
  CUfunction function = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    function = functions[kernel];
  }
  const auto launch = reinterpret_cast<decltype(&cuLaunchKernel)>(dlsym(RTLD_DEFAULT, "cuLaunchKernel"));
  if (launch && function &&
      launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream, arguments, nullptr) ==
          CUDA_SUCCESS)
    return cudaSuccess;
  return next<LaunchKernel>("__cudaLaunchKernel")(kernel, grid, block, arguments, shared, stream); // and its error
}
