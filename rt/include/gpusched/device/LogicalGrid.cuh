// LogicalGrid.cuh - what stands for a cooperative grid_group that is only asked for places and
// sizes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   grid.thread_rank()  ->  ::gpusched::LogicalGrid{blockIdx, gridDim}.thread_rank()
//
// Names, types and order are those of cooperative_groups::grid_group; the values are those of the
// logical block. It cannot synchronise.
#pragma once

namespace gpusched {

struct LogicalGrid {
  uint3 blockIndex;
  dim3 gridSize;

  __device__ unsigned long long num_blocks() const {
    return static_cast<unsigned long long>(gridSize.x) * gridSize.y * gridSize.z;
  }
  __device__ unsigned long long num_threads() const { return num_blocks() * threadsOfBlock(); }
  __device__ unsigned long long size() const { return num_threads(); }
  __device__ unsigned long long block_rank() const {
    return (static_cast<unsigned long long>(blockIndex.z) * gridSize.y + blockIndex.y) *
               gridSize.x +
           blockIndex.x;
  }
  __device__ unsigned long long thread_rank() const {
    return block_rank() * threadsOfBlock() + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
           threadIdx.x;
  }
  __device__ dim3 group_dim() const { return gridSize; }
  __device__ dim3 dim_blocks() const { return gridSize; }
  __device__ dim3 block_index() const { return dim3(blockIndex.x, blockIndex.y, blockIndex.z); }
  __device__ dim3 dim_threads() const {
    return dim3(gridSize.x * blockDim.x, gridSize.y * blockDim.y, gridSize.z * blockDim.z);
  }
  __device__ dim3 thread_index() const {
    return dim3(blockIndex.x * blockDim.x + threadIdx.x, blockIndex.y * blockDim.y + threadIdx.y,
                blockIndex.z * blockDim.z + threadIdx.z);
  }

  __device__ unsigned long long threadsOfBlock() const {
    return static_cast<unsigned long long>(blockDim.x) * blockDim.y * blockDim.z;
  }
};

} // namespace gpusched
