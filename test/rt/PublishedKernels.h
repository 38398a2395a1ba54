// PublishedKernels.h - the 18 kernels of the K-Scheduler thesis, as test data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers: S. Kim, "Multi-Task Placement Techniques based on Profiling General Purpose GPUs", MSc
// thesis, Sookmyung Women's University, 2020, tables 6 and 7 (NVIDIA Titan Xp). Stall reasons
// in percent, in the order execution, fetch, memory, others, sync, texture; then eligible warps
// per cycle and the published class. Rows do not add up to 100 in the source, and the printed
// others and texture of lbm are equal (one is a misprint there).
#pragma once

#include "rt/schema/Profile.h"

struct PublishedKernel {
  const char* id;
  double execution, fetch, memory, others, sync, texture;
  double epc;
  gpusched::KernelClass kernelClass;
};

inline constexpr gpusched::KernelClass kC = gpusched::KernelClass::Compute;
inline constexpr gpusched::KernelClass kM = gpusched::KernelClass::Memory;
inline constexpr gpusched::KernelClass kL = gpusched::KernelClass::L1;

inline constexpr PublishedKernel kPublishedKernels[] = {
    {"lm", 94.3, 0.53, 0.15, 4.54, 0.46, 0.0, 0.17, kC},
    {"bs", 6.36, 1.89, 73.81, 3.88, 0.0, 0.2, 4.04, kM},
    {"cutcp", 18.23, 13.83, 0.91, 52.74, 7.31, 0.0, 5.67, kC},
    {"stencil", 10.45, 1.99, 59.08, 7.88, 12.31, 0.0, 5.68, kM},
    {"spmv", 15.59, 0.92, 61.31, 15.48, 0.0, 5.01, 0.72, kM},
    {"lbm", 2.41, 1.03, 14.9, 46.26, 0.0, 46.26, 0.59, kL},
    {"ft", 13.86, 3.69, 26.25, 38.6, 17.3, 0.0, 0.55, kC},
    {"qs", 22.43, 2.12, 0.87, 43.26, 0.0, 0.0, 10.06, kC},
    {"nw", 29.17, 4.94, 37.16, 6.43, 20.82, 0.23, 0.31, kM},
    {"hw", 11.86, 1.3, 78.18, 13.29, 0.0, 0.01, 2.32, kM},
    {"dx", 46.11, 7.43, 11.08, 3.9, 20.27, 0.0, 3.75, kC},
    {"bo", 13.03, 9.25, 0.0, 27.94, 43.05, 0.0, 5.93, kC},
    {"cp", 35.96, 27.29, 0.02, 33.42, 0.0, 0.0, 3.41, kC},
    {"sg", 53.14, 3.46, 13.38, 4.94, 20.21, 0.0, 4.02, kC},
    {"rd", 31.12, 4.97, 35.69, 3.06, 12.89, 0.0, 0.53, kM},
    {"cov", 2.1, 0.57, 96.56, 0.68, 0.0, 0.0, 0.08, kM},
    {"sy", 0.35, 0.24, 71.45, 2.12, 0.0, 25.79, 0.12, kM},
    {"conv", 20.12, 1.34, 16.55, 30.17, 0.0, 31.64, 0.86, kL},
};
