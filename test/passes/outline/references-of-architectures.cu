// A class is a reference if all architectures allow it, and copied if one of them changes it.
// RUN: %gpusched-opt --explain --arch=sm_90,sm_75 %s >%t.cu 2>%t.err && count 0 < %t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu
struct Shape {
  int strides[4];
  int* out;
};
__device__ int take(Shape& shape) {
#if __CUDA_ARCH__ < 900
  ++shape.strides[0];
#endif
  return shape.strides[0];
}
// CHECK: void below__gs_body({{.*}}, Shape &a, Shape &b, Shape &c) {
// CHECK: below__gs_body({{.*}}worker.grid(), ::gpusched::ArgumentBits::of(a).get(), ::gpusched::ArgumentBits::of(b).get(), c); gpusched_after:
__global__ void below(Shape a, Shape b, Shape c) {
#if __CUDA_ARCH__ < 900
  ++a.strides[0];
#endif
  c.out[blockIdx.x] = a.strides[0] + take(b) + c.strides[0];
}
// CHECK: void asks__gs_body({{.*}}, Shape a, Shape b) {
__global__ void asks(Shape a, Shape b) {
#if __CUDA_ARCH__ < 900
  using Type = decltype(a);
  a.out[blockIdx.x] = sizeof(Type);
#else
  using Type = decltype(b);
  b.out[blockIdx.x] = sizeof(Type);
#endif
}
