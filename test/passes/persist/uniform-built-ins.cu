// A copy of blockIdx, blockDim or gridDim is the same for all threads of the block, one of threadIdx is not.
// RUN: %gpusched-opt --splice %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s | %reparse --cicc-prefix %build/bin/gpusched-cicc
// CHECK: ofBlock__gs({{.*}} ::gpusched::Drain::Nothing>(
// CHECK: ofSizes__gs({{.*}} ::gpusched::Drain::Nothing>(
// CHECK: ofThread__gs({{.*}} ::gpusched::Drain::Barriers>(
// CHECK: asReference__gs({{.*}} ::gpusched::Drain::Barriers>(
__global__ void ofBlock(int* out) {
  const auto block = blockIdx;
  if (block.x > 3)
    return;
  __syncthreads();
  out[block.x] = 1;
}
__global__ void ofSizes(int* out) {
  auto block = blockDim;
  const dim3 grid = gridDim;
  if (block.x > grid.y)
    return;
  __syncthreads();
  out[blockIdx.x] = 1;
}
__global__ void ofThread(int* out) {
  const auto thread = threadIdx;
  if (thread.x > 3)
    return;
  __syncthreads();
  out[blockIdx.x] = 1;
}
__global__ void asReference(int* out) {
  const auto& thread = threadIdx;
  if (thread.x > 3)
    return;
  __syncthreads();
  out[blockIdx.x] = 1;
}
int main() { ofBlock<<<1, 1>>>(nullptr), ofSizes<<<1, 1>>>(nullptr), ofThread<<<1, 1>>>(nullptr), asReference<<<1, 1>>>(nullptr); }
