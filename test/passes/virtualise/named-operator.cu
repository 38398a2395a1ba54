// A call operator that reads the built-ins, called by its name: the name becomes that of the member
// that takes them. A lambda of device code sees them as it is.
// RUN: %gpusched-opt --explain %s -- -std=c++20 >%t.cu 2>%t.err
// RUN: count 0 < %t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu -std=c++20
template <class T> struct Pack {
  T value;
  template <int dim> __device__ T operator()(T n) { return blockIdx.x * dim + n; }
  __device__ T operator()(T n, int dim) {
    // CHECK: case 0: return this->call__gs<0>(blockIdx, gridDim, n);
    // CHECK-NEXT: case 1: return (*this).template call__gs < (1) >(blockIdx, gridDim, n);
    // CHECK-NEXT: case 2: return call__gs<2>(blockIdx, gridDim, n) + call__gs(blockIdx, gridDim);
    switch (dim) {
    case 0: return this->operator()<0>(n);
    case 1: return (*this).template operator () < (1) >(n);
    case 2: return operator()<2>(n) + operator()();
    }
    return value;
  }
  __device__ T operator()() { return gridDim.y; }
};
struct Plain {
  template <int dim> __device__ int operator()(int n) const { return n + dim; }
};
struct Wide : Pack<int> {
  // CHECK: int n, Plain plain) { return Pack<int>::call__gs(blockIdx, gridDim, n, 1) + plain.operator()<2>(n); }
  __device__ int both(int n, Plain plain) { return Pack<int>::operator()(n, 1) + plain.operator()<2>(n); }
};

// CHECK: void packs__gs_body(
// CHECK-NEXT: Pack<T> pack{n};
// CHECK-NEXT: out[blockIdx.x] = pack.call__gs(blockIdx, gridDim, n, 2) + pack.call__gs(blockIdx, gridDim, n, 1) + pack.template call__gs<7>(blockIdx, gridDim, n);
template <class T> __global__ void packs(T* out, T n) {
  Pack<T> pack{n};
  out[blockIdx.x] = pack(n, 2) + pack.operator()(n, 1) + pack.template operator()<7>(n);
}

// CHECK: void lambdas__gs_body(
// CHECK-NEXT: auto both = [=]<int by>(int n) { return blockIdx.x * by + n; };
// CHECK-NEXT: out[0] = both.operator()<3>(2);
__global__ void lambdas(int* out) {
  auto both = [=]<int by>(int n) { return blockIdx.x * by + n; };
  out[0] = both.operator()<3>(2);
}

__global__ void wide(int* out) { out[0] = Wide{}.both(3, {}); }

int main() {
  packs<<<1, 1>>>((float*)nullptr, 1.f);
  lambdas<<<1, 1>>>(nullptr);
  wide<<<1, 1>>>(nullptr);
}
