// extern "C", static, (void), overloads, namespaces, forward declarations and default arguments.
// RUN: %gpusched-opt %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
__global__ void later(int* a, int n = 3);

// CHECK: {{^}}static __device__ __forceinline__ void plain__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim) {} extern "C" __global__ void plain() { plain__gs_body(::blockIdx, ::gridDim); } extern "C" __global__ void plain__gs(const ::gpusched_params gpusched_launch)
extern "C" __global__ void plain(void) {}
extern "C" {
// CHECK: {{^}}static __device__ __forceinline__ void inside__gs_body(
// CHECK-SAME: static __global__ void inside(int * a , int n = 2)
static __global__ void inside(int* a, int n = 2) { a[blockIdx.x] = n; }
}
namespace outer {
namespace {
// CHECK: void same__gs_body({{.*}}static_cast<void (*)(int *)>(&same), &same__gs, "outer::same"
// CHECK: void same__gs2_body({{.*}} void same(float * a) { same__gs2_body(
__global__ void same(int* a) { a[0] = blockIdx.x; } // one
__global__ void same(float* a) { a[0] = blockIdx.x; } // two
} // namespace
} // namespace outer
__global__ void later(int* a, int n) { a[blockIdx.x] = n; }

int main() {
  plain<<<1, 1>>>();
  inside<<<1, 1>>>(nullptr);
  later<<<1, 1>>>(nullptr);
  outer::same<<<1, 1>>>(static_cast<float*>(nullptr));
}
