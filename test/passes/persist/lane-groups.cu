// Lanes leave before primitives of tiles and of groups that tiles are divided into: these are told
// who is there, in functions and members too. What the text does not show refuses the kernel.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out -- -std=c++17 | FileCheck %s --implicit-check-not=remark
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out -std=c++17
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
#define VOTE(tile, question) tile.any(question)

// OUT: struct sum__gs_call { {{.*}} ::gpusched::LaneGroups gpusched_groups; template
// OUT-NEXT: return gpusched_groups.among(group, [&](const auto& gpusched_group) { return cg::reduce(gpusched_group, v, cg::plus<int>()); });
template <class Group> __device__ int sum(const Group& group, int v) {
  return cg::reduce(group, v, cg::plus<int>());
}
// OUT: int first__gs({{.*}}const ::gpusched::LaneGroups gpusched_groups, int v)
// OUT-NEXT: return gpusched_groups.of(tile).shfl(v, 0);
struct Warp {
  cg::thread_block_tile<32> tile;
  __device__ int first(int v) const {
    return tile.shfl(v, 0);
  }
};

// OUT: void leaves__gs_body({{.*}}, const ::gpusched::LaneGroups gpusched_groups, const ::sum__gs_call sum,
// OUT: auto part = gpusched_groups.among(tile, [&](const auto& gpusched_group) { return cg::labeled_partition(gpusched_group, p[0]); });
// OUT-NEXT: gpusched_groups.among(part, [&](const auto& gpusched_group) { return cg::sync(gpusched_group); });
// OUT-NEXT: p[threadIdx.x] = sum(part, 1) + sum(tile, 2) + tile.thread_rank();
// OUT: ::gpusched::LaneGroups{false}, ::sum__gs_call{::blockIdx, ::gridDim, ::gpusched::LaneGroups{false}}
// OUT: gpusched_lanes{true}; {{.*}}leaves__gs_body({{.*}} ::gpusched::LaneGroups{true, true}, ::sum__gs_call{
__global__ void leaves(int* p, int n) {
  if (threadIdx.x >= n) return;
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  auto part = cg::labeled_partition(tile, p[0]);
  cg::sync(part);
  p[threadIdx.x] = sum(part, 1) + sum(tile, 2) + tile.thread_rank();
}
// A whole warp's tile needs no masks.
// OUT: gpusched_lanes{false}; {{.*}}whole__gs_body({{.*}} ::gpusched::LaneGroups{true},
__global__ void whole(int* p, int n) {
  Warp warp{cg::tiled_partition<32>(cg::this_thread_block())};
  if (threadIdx.x < n) p[threadIdx.x] = warp.first(p[threadIdx.x]) + warp.tile.all(n);
}
// Where nobody leaves, the text stays: all lanes of a tile get one sum.
// OUT: void stays__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* p)
// OUT-NEXT: auto tile
// OUT-NEXT: if (cg::reduce(tile, p[threadIdx.x], cg::plus<int>()) > 7) return;
// OUT-NEXT: p[threadIdx.x] = tile.any(p[0]);
__global__ void stays(int* p) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (cg::reduce(tile, p[threadIdx.x], cg::plus<int>()) > 7) return;
  p[threadIdx.x] = tile.any(p[0]);
}
// An operator of the program's own may give each lane another.
// OUT: gpusched_lanes{false}; {{.*}}differs__gs_body(
struct Minus { __device__ int operator()(int a, int b) const { return a - b; } };
__global__ void differs(int* p) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (cg::reduce(tile, p[threadIdx.x], Minus()) > 7) return;
  p[threadIdx.x] = tile.any(p[0]);
}
// CHECK: remark: kernel 'inMacro' kept native: [GS041] {{.*}}thread_block_tile::any
__global__ void inMacro(int* p, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (threadIdx.x < n) p[0] = VOTE(tile, p[threadIdx.x]);
}
// CHECK: remark: kernel 'inLambda' kept native: [GS041] {{.*}}: any
__global__ void inLambda(int* p, int n) {
  const auto any = [](cg::thread_block_tile<32> tile, int v) { return tile.any(v); };
  if (threadIdx.x < n) p[0] = any(cg::tiled_partition<32>(cg::this_thread_block()), p[threadIdx.x]);
}
// CHECK: remark: kernel 'scanned' kept native: [GS041]
__global__ void scanned(int* p, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (threadIdx.x < n) p[0] = cg::inclusive_scan(tile, p[threadIdx.x]);
}
// CHECK: remark: kernel 'pointed' kept native: [GS041] {{.*}}thread_block_tile::any
__global__ void pointed(int* p, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto* there = &tile;
  if (threadIdx.x < n) p[0] = there->any(p[threadIdx.x]);
}
