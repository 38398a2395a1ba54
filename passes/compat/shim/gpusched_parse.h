// gpusched_parse.h - what nvcc gives every file implicitly and Clang does not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included after Clang's own CUDA wrapper and before the user's text, only for parsing: nothing
// here is ever compiled into a program, so functions are declared, not defined.
// Leaves alone: everything that the 22 wrapper already does.
#pragma once
#pragma clang system_header

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

// Clang's wrapper leaves it empty, which `#if __CUDACC__` does not take.
#undef __CUDACC__
#define __CUDACC__ 1

// In Clang the attribute exists for HIP only; for the analysis a managed variable is a device one.
#undef __managed__
#define __managed__ __device__

// Stands for the __shared__ of a variable whose constructor Clang would reject; see SharedObjects.h.
#define GPUSCHED_S __attribute__((annotate("gpusched_shared")))

// Attributes of nvcc that Clang does not know and that change nothing the analysis looks at.
#ifndef __nv_pure__
#define __nv_pure__
#endif

// Cache-hinted accesses that Clang's headers lack.
template <class T> __device__ T __ldca(const T*);
template <class T> __device__ T __ldlu(const T*);
template <class T> __device__ void __stcg(T*, T);
template <class T> __device__ void __stcs(T*, T);
template <class T> __device__ void __stwb(T*, T);

// Device functions newer than Clang's list.
__device__ float __tanhf(float);

// nvcc's atomic built-ins, which no header declares; the two enumerations are those of a header that
// Clang's wrapper leaves out.
enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};
template <class T> struct gpusched_same { typedef T type; };
template <class T> struct gpusched_same<const T> { typedef T type; };
template <class T> struct gpusched_same<volatile T> { typedef T type; };
template <class T> struct gpusched_same<const volatile T> { typedef T type; };
#define GPUSCHED_VALUE typename gpusched_same<T>::type
#define GPUSCHED_SCOPE int = __NV_THREAD_SCOPE_SYSTEM
template <class T> __device__ void __nv_atomic_load(T*, GPUSCHED_VALUE*, int, GPUSCHED_SCOPE);
template <class T> __device__ GPUSCHED_VALUE __nv_atomic_load_n(T*, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_store(T*, GPUSCHED_VALUE*, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_store_n(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_exchange(T*, GPUSCHED_VALUE*, GPUSCHED_VALUE*, int, GPUSCHED_SCOPE);
template <class T> __device__ GPUSCHED_VALUE __nv_atomic_exchange_n(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ bool __nv_atomic_compare_exchange(T*, GPUSCHED_VALUE*, GPUSCHED_VALUE*, bool, int, int, GPUSCHED_SCOPE);
template <class T> __device__ bool __nv_atomic_compare_exchange_n(T*, GPUSCHED_VALUE*, GPUSCHED_VALUE, bool, int, int, GPUSCHED_SCOPE);
template <class T> __device__ GPUSCHED_VALUE __nv_atomic_fetch_add(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ GPUSCHED_VALUE __nv_atomic_fetch_sub(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ GPUSCHED_VALUE __nv_atomic_fetch_and(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ GPUSCHED_VALUE __nv_atomic_fetch_or(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ GPUSCHED_VALUE __nv_atomic_fetch_xor(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ GPUSCHED_VALUE __nv_atomic_fetch_min(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ GPUSCHED_VALUE __nv_atomic_fetch_max(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_add(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_sub(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_and(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_or(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_xor(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_min(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
template <class T> __device__ void __nv_atomic_max(T*, GPUSCHED_VALUE, int, GPUSCHED_SCOPE);
__device__ void __nv_atomic_thread_fence(int, GPUSCHED_SCOPE);
#undef GPUSCHED_VALUE
#undef GPUSCHED_SCOPE

// nvcc has host overloads of the global min and max; Clang's are device-only.
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
inline unsigned min(unsigned a, int b) { return a < unsigned(b) ? a : unsigned(b); }
inline unsigned max(unsigned a, int b) { return a < unsigned(b) ? unsigned(b) : a; }
inline unsigned min(int a, unsigned b) { return unsigned(a) < b ? unsigned(a) : b; }
inline unsigned max(int a, unsigned b) { return unsigned(a) < b ? b : unsigned(a); }
inline long min(long a, long b) { return a < b ? a : b; }
inline long max(long a, long b) { return a < b ? b : a; }
inline unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
inline unsigned long max(unsigned long a, unsigned long b) { return a < b ? b : a; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a < b ? b : a; }
inline float min(float a, float b) { return a < b ? a : b; }
inline float max(float a, float b) { return a < b ? b : a; }
inline double min(double a, double b) { return a < b ? a : b; }
inline double max(double a, double b) { return a < b ? b : a; }
inline double min(float a, double b) { return a < b ? a : b; }
inline double max(float a, double b) { return a < b ? b : a; }
inline double min(double a, float b) { return a < b ? a : b; }
inline double max(double a, float b) { return a < b ? b : a; }

// nvcc defines neither, whatever its host compiler; programs and their headers ask for Clang's CUDA
// with them. Clang's own headers come before.
#undef __CUDA__
#undef __CLANG_RDC__
