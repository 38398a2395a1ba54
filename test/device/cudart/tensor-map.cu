// A tensor map made by cuTensorMapEncodeTiled, found by its entry point, moves swizzled boxes in and
// out; what the header forbids is refused.
// RUN: %nvcc -arch=sm_90 -std=c++17 -o %t %s && %gpusched run --device=cpu -- %t | FileCheck %s
// CHECK: load 0 wrong, store 0 wrong
// CHECK-NEXT: refused 1 1 1 1 1, replaced 0
#include "Inputs/Check.h"

#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int kRows = 70, kColumns = 100, kBoxRows = 8, kBoxColumns = 32;

/// Copies one box from `in` to `out`, adding one to what is in the tensor.
__global__ void addOne(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out,
                       int* loaded) {
  __shared__ alignas(1024) int tile[kBoxRows * kBoxColumns];
  __shared__ Barrier ready;
  const int corner[2] = {int(blockIdx.x) * kBoxColumns, int(blockIdx.y) * kBoxRows};
  if (threadIdx.x == 0) {
    init(&ready, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &in, corner,
                              cuda::device::barrier_native_handle(ready));
    token = cuda::device::barrier_arrive_tx(ready, 1, sizeof tile);
  } else {
    token = ready.arrive();
  }
  ready.wait(std::move(token));
  for (int i = threadIdx.x; i < kBoxRows * kBoxColumns; i += blockDim.x) {
    const int row = i / kBoxColumns, column = i % kBoxColumns;
    const int swizzled = (column / 4 ^ row % 8) * 4 + column % 4;
    if (corner[1] + row < kRows + kBoxRows && corner[0] + column < kColumns + kBoxColumns)
      loaded[(corner[1] + row) * (kColumns + kBoxColumns) + corner[0] + column] =
          tile[row * kBoxColumns + swizzled];
    tile[i] += 1;
  }
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, corner, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

using Encode = decltype(&cuTensorMapEncodeTiled);

struct Map {
  cuuint64_t sizes[2] = {kColumns, kRows}, strides[1] = {kColumns * sizeof(int)};
  cuuint32_t box[2] = {kBoxColumns, kBoxRows}, steps[2] = {1, 1};
  CUresult encode(Encode function, CUtensorMap* map, void* address,
                  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE) {
    return function(map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, address, sizes, strides, box, steps,
                    interleave, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
};

template <class Function> Function find(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK_OK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
  return reinterpret_cast<Function>(function);
}

int main() {
  const Encode encode = find<Encode>("cuTensorMapEncodeTiled");
  const auto replace = find<decltype(&cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
  constexpr int kCount = kRows * kColumns, kWide = kColumns + kBoxColumns;
  int *in, *out, *loaded;
  CHECK_OK(cudaMallocManaged(&in, kCount * sizeof(int)));
  CHECK_OK(cudaMallocManaged(&out, kCount * sizeof(int)));
  CHECK_OK(cudaMallocManaged(&loaded, kWide * (kRows + kBoxRows) * sizeof(int)));
  for (int i = 0; i < kCount; ++i)
    in[i] = i * 7, out[i] = -1;
  Map map;
  CUtensorMap from, to;
  CHECK_IS(map.encode(encode, &from, in), CUDA_SUCCESS);
  CHECK_IS(map.encode(encode, &to, in), CUDA_SUCCESS);
  CHECK_IS(replace(&to, out), CUDA_SUCCESS);
  const dim3 grid((kColumns + kBoxColumns - 1) / kBoxColumns, (kRows + kBoxRows - 1) / kBoxRows);
  addOne<<<grid, 64>>>(from, to, loaded);
  CHECK_OK(cudaDeviceSynchronize());
  int wrongLoads = 0, wrongStores = 0;
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kWide && column < int(grid.x) * kBoxColumns; ++column)
      wrongLoads += loaded[row * kWide + column] !=
                    (column < kColumns ? in[row * kColumns + column] : 0);
  for (int i = 0; i < kCount; ++i)
    wrongStores += out[i] != in[i] + 1;
  std::printf("load %d wrong, store %d wrong\n", wrongLoads, wrongStores);

  CUtensorMap other;
  const bool interleaved =
      map.encode(encode, &other, in, CU_TENSOR_MAP_INTERLEAVE_16B) == CUDA_ERROR_NOT_SUPPORTED;
  const bool misaligned = map.encode(encode, &other, in + 1) == CUDA_ERROR_INVALID_VALUE;
  map.strides[0] = 100;
  const bool stride = map.encode(encode, &other, in) == CUDA_ERROR_INVALID_VALUE;
  map = {};
  map.box[0] = 64; // 256 bytes, more than the swizzle spans
  const bool wide = map.encode(encode, &other, in) == CUDA_ERROR_INVALID_VALUE;
  map = {};
  map.box[1] = 0;
  const bool empty = map.encode(encode, &other, in) == CUDA_ERROR_INVALID_VALUE;
  std::printf("refused %d %d %d %d %d, replaced %d\n", interleaved, misaligned, stride, wide, empty,
              int(replace(&other, nullptr) == CUDA_SUCCESS));
}
