// Launches of one stream, that a macro made, or that some instantiation does not allow, and those of kernels that stay native, are
// outlined, may wait for another block, or differ by architecture, are as they were. So are all of device code and of modules.
// RUN: %gpusched-opt --splice %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s | %reparse --cicc-prefix %build/bin/gpusched-cicc
// RUN: %gpusched-opt %s | grep -v '^ *// ' | not grep LaunchPair
// RUN: %gpusched-cc -O1 -arch=sm_90 -cubin %s -o %t.cubin
// RUN: %gpusched-cc -arch=sm_90 --gpusched-explain -c %s -o %t.o 2>&1 | grep -F "33: launches of 'set' and 'set': may be made as one"
// RUN: %llvm/bin/llvm-readelf -s %t.cubin | not grep pairedKernels
// RUN: %llvm/bin/llvm-nm %t.o | grep pairedKernels
#define TWICE(kernel, a) kernel<<<1, 32, 0, s>>>(a); kernel<<<1, 32, 0, t>>>(a)
#define LAUNCH(kernel) kernel<<<1, 32, 0, s>>>
__global__ void set(int* a) { a[blockIdx.x] = 1; }
__global__ void waits(volatile int* a) {
  while (*a == 0) {
  }
}
__global__ void locks(int* a) {
  while (atomicCAS(a, 0, 1) != 0) {
  }
  a[1 + blockIdx.x] = 2;
}
template <class T> __global__ void shaped(T* a) { a[blockIdx.x] = T(); }
template <> __global__ void shaped<float>(float* a) { a[blockIdx.x] = 2; }
__global__ void declared(int* a);
#if __CUDA_ARCH__ >= 800
__global__ void differs(int* a) { a[0] = 8; }
#else
__global__ void differs(int* a) { a[0] = 7; }
#endif
// CHECK-LABEL: void control(
// CHECK: { const ::gpusched::LaunchPair gpusched_pair(false); set<<<1, 32, 0, s>>>(a);
void control(int* a, cudaStream_t s, cudaStream_t t) {
  set<<<1, 32, 0, s>>>(a);
  set<<<1, 32, 0, t>>>(a + 1);
}
// CHECK-LABEL: void none(
// CHECK-NOT: LaunchPair
void none(int* a, float* b, cudaStream_t s, cudaStream_t t) {
  TWICE(set, a);
  LAUNCH(set)(a);
  set<<<1, 32, 0, t>>>(a);
  if (a) (void)0; // so that no pair begins in front
  set<<<1, 32, 0, s>>>(a);
  waits<<<1, 32, 0, t>>>(a);
  waits<<<1, 32, 0, s>>>(a);
  set<<<1, 32, 0, t>>>(a);
  if (a) (void)0;
  set<<<1, 32, 0, s>>>(a);
  locks<<<1, 32, 0, t>>>(a);
  if (a) (void)0;
  set<<<1, 32, 0, s>>>(a);
  shaped<float><<<1, 32, 0, t>>>(b);
  set<<<1, 32, 0, s>>>(a);
  declared<<<1, 32, 0, t>>>(a);
  set<<<1, 32, 0, s>>>(a);
  differs<<<1, 32, 0, t>>>(a);
  if (a) (void)0;
  set<<<1, 32>>>(a);
  set<<<1, 32, 0, s>>>(a);
  set<<<1, 64, 0, (s)>>>(a + 1);
  set<<<1, 32, 0, 0>>>(a);
  set<<<1, 64, 0, nullptr>>>(a + 1);
}
int* asked(int* a);
inline int* asked(long* a) { return reinterpret_cast<int*>(a + 1); }
// One instantiation asks what is of another file.
template <class T> void some(T* a, cudaStream_t s, cudaStream_t t) {
  shaped<T><<<1, 32, 0, s>>>(a);
  set<<<1, 32, 0, t>>>(asked(a));
}
template void some(int*, cudaStream_t, cudaStream_t);
template void some(long*, cudaStream_t, cudaStream_t);
// A generic lambda's text is looked at once, whatever it is called with.
void generic(int* a, cudaStream_t s, cudaStream_t t) {
  const auto run = [=](auto value) {
    set<<<1, 32, 0, s>>>(a);
    set<<<1, 32, 0, t>>>(decltype(value)(a));
    set<<<1, 32, 0, s>>>(a);
    value = decltype(value)(value);
    set<<<1, 32, 0, t>>>(a);
  };
  run(a);
}
