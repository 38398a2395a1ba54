// A kernel for two launches gets the PTX of both, its own parameters behind those that say which block is
// whose, and the bounds that hold for both; none where the parameters of both are too many. One that cannot be, here for too much shared memory, is left with one
// thread a block; asked to explain, cicc says why.
// RUN: %gpusched-cc --gpusched-strict --gpusched-explain -arch=sm_90 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: %gpusched-cc --gpusched-strict -arch=sm_90 -c %s -o %t.o 2>&1 | not grep stay
// EXPLAIN: launches of 'large' and 'large': may be made as one
// EXPLAIN: gpusched-cicc: launches of '_Z5largePi' and '_Z5largePi' stay two: both together have more static shared memory than a block may
// EXPLAIN-NOT: stay two
// RUN: mkdir -p %t.keep && %gpusched-cc --gpusched-strict -arch=sm_90 --keep --keep-dir %t.keep -c %s -o %t.o
// RUN: cat %t.keep/*.ptx | FileCheck %s
// RUN: mkdir -p %t.shown && %gpusched-cc --gpusched-strict -arch=sm_90 -lineinfo -src-in-ptx --keep --keep-dir %t.shown -c %s -o %t.o
// RUN: sed '/^\/\//d; /^ *$/d; /\.loc/d' %t.shown/pairs.ptx | FileCheck %s
// RUN: not grep -E '^;|gpusched_paired_body|mov.u64.*, (_Z5small|_Z5shape)' %t.keep/pairs.ptx
// CHECK-LABEL: .entry {{.*}}pairedKernels{{.*}}pair1
// CHECK: _param_4
// CHECK-NEXT: )
// CHECK-NEXT: .maxntid 128
// CHECK-NEXT: .minnctapersm 2
// CHECK: // gpusched_pair_of
// CHECK: ld.param.u64 {{.*}}pair1{{.*}}_param_1];
// CHECK: mov.u32 {{.*}}, gpusched_ctaid_x;
// CHECK: ret;
// CHECK: ld.param.u64 {{.*}}pair1{{.*}}_param_3];
// CHECK: ld.param.u32 {{.*}}pair1{{.*}}_param_4];
// CHECK: mov.u32 {{.*}}, gpusched_nctaid_y;
// CHECK-LABEL: .entry {{.*}}pairedKernels{{.*}}pair2
// CHECK: )
// CHECK-NEXT: .maxntid 1
// CHECK-NEXT: {
// CHECK-NEXT: trap;
// CHECK-NEXT: }
// CHECK-LABEL: .entry {{.*}}pairedKernels{{.*}}pair3
// CHECK: )
// CHECK-NEXT: .maxntid 64
// CHECK-NEXT: {
// CHECK-NOT: gpusched_pair4
__global__ void __launch_bounds__(256, 3) small(int* a, int n) {
  if (threadIdx.x < n)
    a[blockIdx.x] = n;
}
template <class T> __global__ void __launch_bounds__(128, 2) shape(T* a, T value) {
  a[blockIdx.x] = value + gridDim.y;
}
__global__ void large(int* a) {
  __shared__ int all[8000];
  all[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = all[a[threadIdx.x]];
}

__global__ void __launch_bounds__(64) bounded(int* a) { a[blockIdx.x] = 1; }
struct Wide {
  int values[600];
};
__global__ void wide(Wide w, int* a) { a[blockIdx.x] = w.values[blockIdx.x]; }

void run(int* a, const Wide& w, cudaStream_t s, cudaStream_t t) {
  small<<<3, 32, 0, s>>>(a, 3);
  shape<int><<<3, 32, 0, t>>>(a + 3, 4);
  large<<<1, 32, 0, s>>>(a);
  large<<<1, 32, 0, t>>>(a + 32);
  small<<<3, 32, 0, s>>>(a, 3);
  bounded<<<3, 32, 0, t>>>(a + 3);
  wide<<<3, 32, 0, s>>>(w, a);
  wide<<<3, 32, 0, t>>>(w, a + 3);
}
