// Launches in templates are surrounded once, where all instantiations allow it; each two kernels have
// a kernel for both. Members of class templates too; what nobody instantiates has none.
// RUN: %gpusched-opt --splice %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s | %reparse --cicc-prefix %build/bin/gpusched-cicc
template <class T, bool kFlag> __global__ void shaped(T* a) { a[blockIdx.x] = T(kFlag); }
__global__ void set(int* a, int n) { a[blockIdx.x] = n; }

template <class T> void both(T* a, int* b, cudaStream_t s, cudaStream_t t) {
  // CHECK: {{^}}  { const ::gpusched::LaunchPair gpusched_pair(false); shaped<T, true><<<1, 32, 0, s>>>(a);{{$}}
  // CHECK-NEXT: {{^}}  set<<<1, 32, 0, t>>>(b, int(sizeof(T))); }{{$}}
  shaped<T, true><<<1, 32, 0, s>>>(a);
  set<<<1, 32, 0, t>>>(b, int(sizeof(T)));
}
template <class T> struct Runner {
  T* data;
  T* moved() const { return data + 1; }
  void run(cudaStream_t s, cudaStream_t t) {
    // CHECK: { const ::gpusched::LaunchPair gpusched_pair(false); shaped<T, false><<<1, 32, 0, s>>>(data);
    shaped<T, false><<<1, 32, 0, s>>>(data);
    shaped<T, true><<<1, 32, 0, t>>>(moved());
  }
  void never(cudaStream_t s, cudaStream_t t) {
    // CHECK-NOT: LaunchPair
    shaped<T, false><<<1, 32, 0, s>>>(data);
    shaped<T, false><<<1, 32, 0, t>>>(moved());
  }
};
void all(int* a, float* b, double* c, cudaStream_t s, cudaStream_t t) {
  both(a, a + 1, s, t);
  both(b, a + 1, s, t);
  Runner<double>{c}.run(s, t);
}
// CHECK-DAG: decltype(&::shaped<int, true>); {{.*}} decltype(&::set);
// CHECK-DAG: decltype(&::shaped<float, true>); {{.*}} decltype(&::set);
// CHECK-DAG: decltype(&::shaped<double, false>); {{.*}} decltype(&::shaped<double, true>);
// CHECK-NOT: gpusched_pair4
