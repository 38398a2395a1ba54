// Two launches that follow each other are surrounded, and a kernel for both is registered at the end
// of the file, once for each two kernels: plain ones, instantiations, overloads, of unnamed namespaces, one kernel twice.
// RUN: %gpusched-opt --splice --name='dir/a "b".cu' %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s | %reparse -std=c++17 --cicc-prefix %build/bin/gpusched-cicc
// RUN: %gpusched-opt --splice %s | %reparse -std=c++11 --cicc-prefix %build/bin/gpusched-cicc
#include <algorithm>
#include <vector>

__global__ void add(int* a, int n) { a[blockIdx.x] += n; }
namespace space {
template <class T, int kSteps> __global__ void scale(T* a, float2 by) { a[blockIdx.x] *= kSteps * by.x; }
} // namespace space
namespace {
__global__ void hidden(int* a) { a[threadIdx.x] = 1; }
__global__ void hidden(float* a) { a[threadIdx.x] = 1; }
} // namespace

void run(int* a, float* b, int n, cudaStream_t s, cudaStream_t t) {
  // CHECK: {{^}}  { const ::gpusched::LaunchPair gpusched_pair(false); add<<<n / 32, 32, 0, s>>>(a, n);{{$}}
  // CHECK-NEXT: {{^}}  space::scale<float, 3><<<dim3(n, std::max(1, n)), 32, 4 * sizeof(int), t>>>(b, make_float2(1, 2)); }{{$}}
  add<<<n / 32, 32, 0, s>>>(a, n);
  space::scale<float, 3><<<dim3(n, std::max(1, n)), 32, 4 * sizeof(int), t>>>(b, make_float2(1, 2));
  if (n > 3) {
    // CHECK: { const ::gpusched::LaunchPair gpusched_pair(false); hidden<<<1, 32, 0, s>>>(a); hidden<<<1, 32, 0, t>>>(b); }
    hidden<<<1, 32, 0, s>>>(a); hidden<<<1, 32, 0, t>>>(b);
  }
  auto twice = [&] {
    // CHECK: { const ::gpusched::LaunchPair gpusched_pair(false); add<<<1, 32, 0, s>>>(a, 1);
    add<<<1, 32, 0, s>>>(a, 1);
    add<<<1, 32, 0, t>>>(a + 32, 2);
    // CHECK: { const ::gpusched::LaunchPair gpusched_pair(false); add<<<1, 32, 0, s>>>(a, 3);
    add<<<1, 32, 0, s>>>(a, 3);
    add<<<1, 32, 0, t>>>(a + 32, 4);
    // CHECK-NOT: LaunchPair
    add<<<1, 32, 0, s>>>(a, 5);
  };
  twice();
}
void streams(const std::vector<cudaStream_t>& all, const std::vector<int*>& parts) {
  // CHECK: { const ::gpusched::LaunchPair gpusched_pair(false); add<<<1, 32, 0, all[0]>>>(parts[0], 1);
  add<<<1, 32, 0, all[0]>>>(parts[0], 1);
  add<<<1, 32, 0, all[1]>>>(parts[1], int(parts.size()));
}
// CHECK: namespace { struct gpusched_pair1 { using First = decltype(&::add); static __host__ __device__ First first() { return &::add; } using Second = decltype(&::space::scale<float, 3>); static __host__ __device__ Second second() { return &::space::scale<float, 3>; } }; } static const ::gpusched::PairRegistrar<gpusched_pair1> gpusched_pair1_registrar("add + space::scale<float, 3>", "dir/a \"b\".cu", 21);
// CHECK: struct gpusched_pair2 { using First = void (*)(int *); {{.*}} using Second = void (*)(float *);
// CHECK: struct gpusched_pair3 { using First = decltype(&::add); {{.*}} using Second = decltype(&::add);
// CHECK-NOT: gpusched_pair4
