// A grid group that is only asked for places and sizes is asked as the logical grid.
// RUN: %gpusched-opt --explain %s 2>%t.err >%t.cu
// RUN: FileCheck %s <%t.err
// RUN: count 4 <%t.err
// RUN: grep -v '^//' %t.cu | FileCheck --check-prefix=TEXT %s
// RUN: %reparse %t.cu
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// TEXT: { cg::grid_group grid = cg::this_grid(); a[::gpusched::LogicalGrid{blockIdx, gridDim}.thread_rank()] = 1; } __global__
__global__ void ranks(int* a) { cg::grid_group grid = cg::this_grid(); a[grid.thread_rank()] = 1; }
// TEXT: for (unsigned long long i = ::gpusched::LogicalGrid{blockIdx, gridDim}.block_rank(); i < n; i += ::gpusched::LogicalGrid{blockIdx, gridDim}.num_blocks())
template <class T> __global__ void strides(T* a, int n) {
  for (unsigned long long i = cg::this_grid().block_rank(); i < n; i += cg::this_grid().num_blocks())
    a[i] = T();
}
template __global__ void strides(float*, int);
// TEXT: struct place__gs_call
// TEXT: return ::gpusched::LogicalGrid{blockIdx, gridDim}.thread_rank();
__device__ unsigned long long place(const cg::grid_group& grid) { return grid.thread_rank(); }
__global__ void inCallee(int* a) { a[place(cg::this_grid())] = 1; }
// TEXT: __global__ void uniform__gs({{.*}}.advance();
__global__ void uniform(int* a, int n) {
  const cg::grid_group grid = cg::this_grid();
  if (grid.size() > n) return;
  __syncthreads();
  a[0] = 1;
}
// TEXT: __global__ void native(int* a) { a[0] = cg::this_grid().is_valid(); }
// CHECK: kernel 'native' kept native: [GS025]
__global__ void native(int* a) { a[0] = cg::this_grid().is_valid(); }
#define RANK(GRID) GRID.thread_rank()
// CHECK: kernel 'macro' kept native: [GS020] {{.*}}through a macro
__global__ void macro(int* a) { cg::grid_group grid = cg::this_grid(); a[RANK(grid)] = 1; }
template <class Group> __device__ int any(Group group) { return group.thread_rank(); }
// CHECK: kernel 'anyGroup' kept native: [GS025]
__global__ void anyGroup(int* a) { a[any(cg::this_grid())] = any(cg::this_thread_block()); }
// CHECK: kernel 'hidden' kept native: [GS024]
__global__ void hidden(int* a) {
  const auto rank = [](cg::grid_group grid) { return grid.thread_rank(); };
  a[rank(cg::this_grid())] = 1;
}
