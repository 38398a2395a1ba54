// Attributes in front of the specifiers, and a return type behind the parameters: of kernels and of
// functions that become objects.
// RUN: %gpusched-opt %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
// CHECK: {{^}}namespace { struct index__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; {{.*}}__device__ int operator()() const noexcept { return blockIdx.x; } }; } {{.*}}__device__ int index()
[[nodiscard, gnu::pure]] static __device__ int index() noexcept { return blockIdx.x; }
// CHECK: {{^}}static __device__ __forceinline__ void standard__gs_body({{.*}} {{\[ \[}} maybe_unused {{\] \]}} __global__ {{\[ \[}} gnu :: used {{\] \]}} void standard__gs(
[[maybe_unused]] __global__ [[gnu::used]] void standard(int* a) { a[index()] = 1; }
// CHECK: {{^}}static __device__ __forceinline__ void gnu__gs_body {{\[\[}}maybe_unused]] ({{.*}} __attribute__ ( ( used ) ) __global__ void gnu__gs(
__attribute__((used)) __global__ void gnu [[maybe_unused]] (int* a) { a[index()] = 1; }
// CHECK: {{^}}template <class T> static __device__ __forceinline__ void both__gs_body(
template <class T> [[gnu::used]] __attribute__((used)) __global__ void both(T* a) { a[index()] = 1; }

// CHECK: operator()(const T* a) const -> decltype(*a + 1) { return
template <class T> __device__ auto behind(const T* a) -> decltype(*a + 1) { return a[blockIdx.x]; }
struct Row {
  // CHECK: auto of__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int n) const -> int { return
  __device__ auto of(int n) const -> int { return n + blockIdx.x; }
};
// CHECK: {{^}}static __device__ __forceinline__ auto trailing__gs_body({{.*}}, int* a) -> void { {{.*}} __global__ auto trailing(int * a) -> void{
__global__ auto trailing(int* a) -> void { *a = behind(a) + Row().of(1); }

int main() { both<<<1, 1>>>(static_cast<float*>(nullptr)); }
