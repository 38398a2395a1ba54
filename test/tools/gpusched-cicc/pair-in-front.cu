// nvcc may put a kernel for two launches in front of the kernels: these are declared then, which is no definition of
// them, and once their bodies are in it nothing declares them any more.
// RUN: mkdir -p %t.keep && %gpusched-cc --gpusched-strict --gpusched-explain -arch=sm_90 --keep --keep-dir %t.keep -c %s -o %t.o 2>&1 | not grep outlined
// RUN: not grep '^;' %t.keep/pair-in-front.ptx
// RUN: FileCheck %s < %t.keep/pair-in-front.ptx
// CHECK-NOT: .entry {{.*}}k2
// CHECK: .entry {{.*}}pairedKernels
// CHECK: mov.u32 {{.*}}, gpusched_ctaid_x;
namespace ns {
template <class T> __global__ void k2(const T* a, T* b, int size) {
  b[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = a[1] * size + blockIdx.z;
}
} // namespace ns
void g(float* a, float* b, int size, cudaStream_t s, cudaStream_t t) {
  ns::k2<float><<<3, 128, 128 * sizeof(float), s>>>(a, b, size);
  ns::k2<float><<<3, 128, 128 * sizeof(float), t>>>(a, b, size);
}
