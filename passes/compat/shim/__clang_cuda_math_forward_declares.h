// __clang_cuda_math_forward_declares.h - what Clang's wrapper has to find when it begins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built-in variables of nvcc's types: blockIdx is a uint3 and gridDim a dim3. Clang's are of classes
// that are converted to these, and cannot be copied; so it rejects `auto block = blockIdx;` and
// templates that deduce a type from one. Its wrapper declares its own unless that was done.
// std::declval, which nobody ever calls, as a function of either side: Clang rejects one of the
// host's in device code, also in decltype(std::declval<T>() + 1).
// The wrapper includes this header first. Leaves alone: the one of Clang's that it stands before.
#pragma once
#pragma clang system_header

#define __CUDA_BUILTIN_VARS_H

struct uint3;
struct dim3;

// The wrapper defines the conversions.
#define GPUSCHED_CONVERTIBLE(name)                     \
  struct name {                                        \
    unsigned int x, y, z;                              \
    __attribute__((device)) operator dim3() const;     \
    __attribute__((device)) operator uint3() const;    \
  }
GPUSCHED_CONVERTIBLE(__cuda_builtin_threadIdx_t);
GPUSCHED_CONVERTIBLE(__cuda_builtin_blockIdx_t);
GPUSCHED_CONVERTIBLE(__cuda_builtin_blockDim_t);
GPUSCHED_CONVERTIBLE(__cuda_builtin_gridDim_t);
#undef GPUSCHED_CONVERTIBLE

extern const __attribute__((device)) __attribute__((weak)) uint3 threadIdx, blockIdx;
extern const __attribute__((device)) __attribute__((weak)) dim3 blockDim, gridDim;
__attribute__((device)) const int warpSize = 32;

#include_next <__clang_cuda_math_forward_declares.h>

// Without __float128, for which the wrapper defines the macro, too. libstdc++ has std::swap in both.
#define __CUDACC__
#pragma clang force_cuda_host_device begin
#include <type_traits>
#if __has_include(<bits/move.h>)
#include <bits/move.h>
#endif
#pragma clang force_cuda_host_device end
#undef __CUDACC__
