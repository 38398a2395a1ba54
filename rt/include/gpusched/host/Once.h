// Once.h - a mark for functions that run once a program or once a kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every object has them, since it may be linked by anyone, and at -O3 they cost a small file more
// of the host compiler's time than all of its own launches. Elsewhere these functions are
// optimised.
#pragma once

#if defined(__CUDACC__) && defined(__GNUC__) && !defined(__clang__)
#define GPUSCHED_ONCE __attribute__((optimize("O0")))
#else
#define GPUSCHED_ONCE
#endif
