// Definitions under conditions on __CUDA_ARCH__. One for the host alone gets a stub of the twin; two
// of two architectures are both outlined, each with the barrier that it needs, and share flags.
// RUN: %gpusched-opt --name=a.cu %s | grep -v '^// ' | FileCheck %s --match-full-lines
// RUN: %gpusched-opt --arch=sm_90,sm_75 --name=a.cu %s | grep -v '^// ' | FileCheck %s --check-prefix=TWO
// RUN: %gpusched-opt %s | %reparse

// CHECK: #if __CUDA_ARCH__ >= 800
#if __CUDA_ARCH__ >= 800
// CHECK-NEXT: namespace { struct which__gs_call {{.*}}
__device__ int which() { return blockIdx.x; }
// CHECK-NEXT: {{.*}} k__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::which__gs_call which, int* a) {{.*}}k__gs_registrar(&k, &k__gs, "k", "a.cu", 12, 1, 49);
__global__ void k(int* a) { a[which()] = 1; }
template <class T> __global__ void t(T* a) { a[which()] = 1; }
// CHECK: #else
#else
// CHECK-NEXT: static __global__ void k2(int* a) {}
static __global__ void k2(int* a) {}
// CHECK-NEXT: __global__ void k(int* a) {{{.*}}return; __syncthreads(); a[0] = 2; } __global__ void k__gs(const ::gpusched_params gpusched_launch, int * a) { GPUSCHED_HOST_PASS_ONLY } static const ::gpusched::Registrar k__gs_registrar(&k, &k__gs, "k", "a.cu", 12, 1, 49);
__global__ void k(int* a) { if (threadIdx.x == 1) return; __syncthreads(); a[0] = 2; }
// CHECK-NEXT: template <class T> __global__ void t(T*) {} template < class T > __global__ void t__gs(const ::gpusched_params gpusched_launch, T * gpusched_p0) { GPUSCHED_HOST_PASS_ONLY }
template <class T> __global__ void t(T*) {}
// CHECK-NEXT: #endif
#endif
// CHECK-NEXT: void launch() {{.*}}
void launch() { t<<<1, 1>>>(static_cast<float*>(nullptr)); }
// CHECK-EMPTY:
// CHECK-EMPTY:
// CHECK-NEXT: static const ::gpusched::Registrar t__gs_registrar1(&::t<float>, &::t__gs<float>, {{.*}}
// CHECK-NOT: registrar

// TWO:      k__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::which__gs_call which, int* a) {{.*}} k__gs_registrar({{.*}} 12, 1, 51);
// TWO:      k__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::BodyBarrier __syncthreads, int* a) {{.*}}return;{{.*}} k__gs_registrar({{.*}} 12, 1, 51);
// TWO-NEXT: {{.*}} t__gs_body({{.*}}
// TWO-NOT:  HOST_PASS_ONLY
