// NativeBlock.cuh - the built-ins for functions that the host compiles as well.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   __host__ __device__ int f(int n) {
//     return f__gs_call{::gpusched::NativeBlock::index(), ::gpusched::NativeBlock::grid()}(n); }
//
// The host has no such variables: naming them there does not link. Nor has it a text that reads
// them, so what it is told does not matter.
#pragma once

namespace gpusched {

struct NativeBlock {
#ifdef __CUDA_ARCH__
  static __host__ __device__ __forceinline__ ::uint3 index() { return ::blockIdx; }
  static __host__ __device__ __forceinline__ ::dim3 grid() { return ::gridDim; }
#else
  static __host__ __device__ __forceinline__ ::uint3 index() { return ::uint3(); }
  static __host__ __device__ __forceinline__ ::dim3 grid() { return ::dim3(); }
#endif
};

} // namespace gpusched
