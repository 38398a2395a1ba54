// Directives inside the signature that cannot be copied: a condition that begins before the name and
// ends after it, one that is no condition, one about the architecture around more than launch bounds.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__global__ void
#ifdef NEVER
other(
#else
// CHECK: GS002.cu:[[@LINE+1]]:1: remark: kernel 'split' kept native: [GS002]
split(
#endif
    int* a) { a[blockIdx.x] = 1; }

// CHECK: GS002.cu:[[@LINE+1]]:17: remark: kernel 'defines' kept native: [GS002]
__global__ void defines(int* a,
#define ONE 1
                        int b) { a[blockIdx.x] = ONE; }

// CHECK: GS002.cu:[[@LINE+1]]:17: remark: kernel 'newer' kept native: [GS002]
__global__ void newer(
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 500
    int* a
#endif
) { a[blockIdx.x] = 1; }

__global__
#if __CUDA_ARCH__ >= 500
static __launch_bounds__(32)
#endif
// CHECK: GS002.cu:[[@LINE+1]]:6: remark: kernel 'linked' kept native: [GS002]
void linked(int* a) { a[blockIdx.x] = 1; }

// CHECK: GS002.cu:[[@LINE+1]]:17: remark: kernel 'nothing' kept native: [GS002]
__global__ void nothing(
#ifdef NEVER
    int* a
#endif
) {}

#ifndef NEVER
__device__ int before;
__global__
#endif
// CHECK: GS002.cu:[[@LINE+1]]:6: remark: kernel 'behind' kept native: [GS002]
void behind(int* a) { a[blockIdx.x] = before; }
