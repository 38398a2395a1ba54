// Calls with a namespace in front, by a macro of its own too, and thread_block::group_index(), which is
// blockIdx.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: FileCheck %s --check-prefix=REFUSED < %t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

namespace a { namespace b {
template <int N> __device__ int index(int n) { return blockIdx.x * N + n; }
__device__ int grid() { return gridDim.x; }
} }
__device__ int outer() { return ::a::b::grid(); }
// CHECK: __device__ int operator()() const { return grid(); } }; }

// CHECK: p[index.template operator()<2>(1)] = grid() + outer();
__global__ void k(int* p) { p[a::b::index<2>(1)] = ::a::b::grid() + ::outer(); }

#define INNER ::a::b
#define ASK(index) INNER::index
// CHECK: p[index.template operator()<3>(1)] = grid();
__global__ void named(int* p) { p[INNER::index<3>(1)] = INNER :: grid(); }
// REFUSED: remark: kernel 'asked' kept native: [GS020] {{.*}} which a macro calls with template arguments or a namespace
__global__ void asked(int* p) { p[0] = ASK(grid)(); }

__device__ int row(const cg::thread_block& block) { return block.group_index().y; }
// CHECK: { return ::dim3(blockIdx).y; }
__global__ void groups(int* p) {
  cg::thread_block block = cg::this_thread_block();
  // CHECK: const int at = ::dim3(blockIdx).x + ::dim3(blockIdx).x + row(block);
  const int at = block.group_index().x + cg::this_thread_block().group_index().x + row(block);
  p[at] = 0;
}
int main() { k<<<1, 1>>>(nullptr); named<<<1, 1>>>(nullptr); asked<<<1, 1>>>(nullptr); groups<<<1, 1>>>(nullptr); }
