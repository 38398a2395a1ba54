// gpusched_parse.h - what nvcc gives every file implicitly and Clang does not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included after Clang's own CUDA wrapper and before the user's text, only for parsing: nothing
// here is ever compiled into a program, so functions are declared, not defined.
// Leaves alone: everything that the 22 wrapper already does.
#pragma once

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

// In Clang the attribute exists for HIP only; for the analysis a managed variable is a device one.
#undef __managed__
#define __managed__ __device__

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
