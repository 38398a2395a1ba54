// Call operators and constructors that read the built-ins get them as parameters too; the old ones
// stay and hand on the native built-ins. One call may mean another class in each instantiation.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: count 0 < %t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu
template <class T> struct Seed {
  T value;
  int at;
  // CHECK: __device__ explicit Seed(const ::uint3 blockIdx, const ::dim3 gridDim, T value) : value(value), at(this->value + blockIdx.x) { at *= 2; } __device__ explicit Seed(T value) : Seed(::blockIdx, ::gridDim, value) {}
  __device__ explicit Seed(T value) : value(value), at(this->value + blockIdx.x) { at *= 2; }
  // CHECK-NEXT: __device__ Seed(const ::uint3 blockIdx, const ::dim3 gridDim) : Seed(blockIdx, gridDim, T(3)) {} __device__ Seed() : Seed(::blockIdx, ::gridDim) {}
  __device__ Seed() : Seed(T(3)) {}
};

struct Rows {
  // CHECK: __device__ int call__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int n) const { return blockIdx.y * n; } __device__ int operator()(int n) const{ return call__gs(::blockIdx, ::gridDim, n); }
  __device__ int operator()(int n) const { return blockIdx.y * n; }
};
struct Columns {
  // CHECK: template <class T> __device__ T call__gs(const ::uint3 blockIdx, const ::dim3 gridDim, T n) { return gridDim.x * n; } template < class T > __device__ T operator()(T n) { return call__gs<T>(::blockIdx, ::gridDim, n); }
  template <class T> __device__ T operator ()(T n) { return gridDim.x * n; }
  // CHECK-NEXT: __device__ int operator()() { return 1; }
  __device__ int operator()() { return 1; }
};

// CHECK: Op op; out[n] = op.call__gs(blockIdx, gridDim, n) + Seed<int>{blockIdx, gridDim, n}.at + Op().call__gs(blockIdx, gridDim, 2);
template <class Op> __global__ void apply(int* out, int n) { Op op; out[n] = op(n) + Seed<int>{n}.at + Op()(2); }
// CHECK: Seed<T> seed(blockIdx, gridDim, n); out[n] = seed.at + Seed<T>(blockIdx, gridDim).at + Columns{}() + Seed<int>(blockIdx, gridDim, n).at;
template <class T> __global__ void seeds(T* out, int n) { Seed<T> seed(n); out[n] = seed.at + Seed<T>().at + Columns{}() + Seed<int>(n).at; }

int main() {
  apply<Rows><<<1, 1>>>(nullptr, 1);
  apply<Columns><<<1, 1>>>(nullptr, 1);
  seeds<<<1, 1>>>((float*)nullptr, 1);
}
