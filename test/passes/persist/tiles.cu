// A tile's primitives name the tile's lanes: whole tiles may leave. Where parts of one do, or what
// names a whole warp stands beside them, the primitives are told who is there.
// RUN: %gpusched-opt --explain %s 2>%t.err >%t.cu && count 0 < %t.err
// RUN: grep -v '^// ' %t.cu | FileCheck %s && %reparse %t.cu
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <int lanes> __device__ int tileIndex() {
  static_assert((lanes & (lanes - 1)) == 0);
  return (long{threadIdx.x} + long{blockDim.x} * blockIdx.x) / lanes;
}
template <class Tile> __device__ int sumOf(const Tile& tile, int value) {
  for (int distance = 1; distance < tile.size(); distance *= 2)
    value += tile.shfl_xor(value, distance);
  return value;
}
template <int lanes> __global__ void rowSums(const int* rows, int n, int* sums) {
  const auto tile = cg::tiled_partition<lanes>(cg::this_thread_block());
  const int row = tileIndex<lanes>();
  if (row >= n)
    return;
  int ends = 0;
  for (int i = rows[row]; tile.any(i < rows[row + 1]); i += lanes)
    ends += __popc(tile.ballot(i + tile.thread_rank() < rows[row + 1]));
  if (tile.shfl(ends, 0) > 7)
    return;
  sums[row] = sumOf(tile, ends);
}
// CHECK: "ranked", {{.*}}, [[@LINE+1]], 2, 53);
__global__ void ranked(int* a, int n) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if ((threadIdx.x >> 3) * 2 >= n || int(tile.meta_group_rank()) == n)
    return;
  tile.sync();
  a[threadIdx.x] = tile.match_any(a[threadIdx.x]);
}
// CHECK: gpusched_lanes{true}; {{.*}} parts__gs_body(
__global__ void parts(unsigned* out, int n) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (threadIdx.x / 4 >= n)
    return;
  out[0] = tile.ballot(1);
}
// CHECK: gpusched_lanes{true}; {{.*}} larger__gs_body(
__global__ void larger(unsigned* out, int n) {
  const auto small = cg::tiled_partition<4>(cg::this_thread_block());
  const auto large = cg::tiled_partition<16>(cg::this_thread_block());
  if (threadIdx.x / 4 >= n)
    return;
  out[0] = small.ballot(1) + large.ballot(1);
}
// CHECK: gpusched_lanes{true}; {{.*}} besides__gs_body(
__global__ void besides(unsigned* out, int n) {
  const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  const unsigned odd = __ballot_sync(~0u, out[threadIdx.x] % 2);
  if (threadIdx.x / 4 >= n)
    return;
  out[0] = tile.ballot(odd != 0);
}
// CHECK: gpusched_lanes{true}; {{.*}} asked__gs_body(
__global__ void asked(int* out, int n) {
  const auto small = cg::tiled_partition<4>(cg::this_thread_block());
  const auto large = cg::tiled_partition<8>(cg::this_thread_block());
  if (small.any(out[threadIdx.x] > n))
    return;
  large.sync();
  out[0] = 1;
}
// CHECK: "rowSums<4>", {{.*}}, 3, 5);
// CHECK: "rowSums<32>", {{.*}}, 3, 5);
template __global__ void rowSums<4>(const int*, int, int*);
template __global__ void rowSums<32>(const int*, int, int*);
