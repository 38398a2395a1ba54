// The object of a function of an unnamed namespace gets no second one around it: nvcc gives both
// one name, which would be ambiguous in its stubs of kernels there.
// RUN: %gpusched-opt %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
// RUN: %gpusched-cc --gpusched-strict --gpusched-profile=none -arch=sm_90 -c %s -o %t.o
namespace {
// CHECK: {{^}}struct index__gs_call { {{.*}} return blockIdx.x; } }; __device__ int index() {
__device__ int index() { return blockIdx.x; }
// CHECK: {{^}}__device__ int late(); struct late__gs_call { {{.*}}operator()() const ; };
__device__ int late();
__global__ void k(int* p) { p[index()] = late(); }
__device__ int late() { return gridDim.x; }
namespace inner {
// CHECK: {{^}}struct inside__gs_call {
__device__ int inside() { return blockIdx.x; }
__global__ void n(int* p) { p[inside()] = 0; }
} // namespace inner
} // namespace
int main() {
  k<<<1, 1>>>(nullptr);
  inner::n<<<1, 1>>>(nullptr);
}
