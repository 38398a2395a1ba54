// The object of a function with default arguments stands behind its declaration. What it holds is
// not known there, so it stands at the definition, with the arguments' values.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s && FileCheck --check-prefix=REMARK %s < %t.err
// RUN: %reparse %t.cu

// CHECK: {{^}}template <class T> __device__ void reduce(T* out, int n, float by = -1.5f, bool* done = nullptr);{{$}}
template <class T> __device__ void reduce(T* out, int n, float by = -1.5f, bool* done = nullptr);
// CHECK: {{^}}__device__ int other(int n, int by = sizeof(float) * 2);{{$}}
__device__ int other(int n, int by = sizeof(float) * 2);
// CHECK: __device__ int known(int n = 2); namespace { struct known__gs_call {
__device__ int known(int n = 2);

__device__ int row(int n) { return n * blockIdx.x; }

// CHECK: namespace { struct reduce__gs_call {{.*}} row; template <class T> __device__ void operator()(T* out, int n, float by = -1.5f, bool* done = nullptr /* of all */) const {
template <class T> __device__ void reduce(T* out, int n, float by, bool* done /* of all */) {
  out[row(n)] = T(by) + (done == nullptr);
}
__device__ int other(int n, int by) { return row(n) + by; }
// CHECK: __device__ int known__gs_call::operator()(int n) const {
__device__ int known(int n) { return n * gridDim.x; }

__global__ void sums(float* out) { reduce(out, known()); }

// REMARK: remark: kernel 'refused' kept native: [GS020] {{.*}}calls 'row' {{.*}}; which is defined after its caller
// REMARK-NOT: remark:
__global__ void refused(int* out) { out[0] = other(1); }

int main() {
  sums<<<1, 1>>>(nullptr);
  refused<<<1, 1>>>(nullptr);
}
