// Members defined outside their class: declared a second time in it, with the parameters, and
// defined with them. Templates of both kinds, a partial specialisation, a nested class, static ones,
// constructors and call operators, default arguments, members that wait, attributes by macro.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu -arch=sm_90 -std=c++17
#define DEVICE inline __device__
__device__ int offset() { return blockIdx.x; }

namespace ns {
template <class T, int W> struct Tile {
  // CHECK: __device__ T at(int i, int by = W) const; __device__ T at__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int i , int by = W) const;
  __device__ T at(int i, int by = W) const;
  // CHECK-NEXT: template <class U> __device__ static void put(U*, T); template < class U > __device__ static void put__gs(const ::uint3 blockIdx, const ::dim3 gridDim, U * gpusched_p0 , T gpusched_p1) ;
  template <class U> __device__ static void put(U*, T);
  // CHECK-NEXT: {{^}}  DEVICE void plain();{{$}}
  DEVICE void plain();
};
// CHECK: T Tile<T, W>::at__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int i, int by) const { const ::offset__gs_call offset = ::offset__gs_call{blockIdx, gridDim};
// CHECK-NEXT: return i * by + offset();
// CHECK-NEXT: } template < class T , int W > __device__ T Tile < T , W > ::at(int i , int by) const{ return at__gs(::blockIdx, ::gridDim, i, by); }
template <class T, int W> __device__
T Tile<T, W>::at(int i, int by) const {
  return i * by + offset();
}
// CHECK: template <class T, int W> template <class U> __device__ void Tile<T, W>::put__gs(const ::uint3 blockIdx, const ::dim3 gridDim, U* out, T v) { out[blockIdx.x] = v; } template < class T , int W > template < class U > __device__ void Tile < T , W > ::put(U * out , T v) { return put__gs<U>(::blockIdx, ::gridDim, out, v); }
template <class T, int W> template <class U> __device__ void Tile<T, W>::put(U* out, T v) { out[blockIdx.x] = v; }
template <class T, int W> DEVICE void Tile<T, W>::plain() {}
// CHECK: struct Tile<T*, W> { __device__ int at(int i); __device__ int at__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int i) ; };
template <class T, int W> struct Tile<T*, W> { __device__ int at(int i); };
// CHECK: int Tile<T*, W>::at__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int) { return gridDim.x; }
template <class T, int W> __device__ int Tile<T*, W>::at(int) { return gridDim.x; }
} // namespace ns

class Outer {
public:
  struct Inner {
    int base;
    // CHECK: DEVICE explicit Inner(int n); DEVICE explicit Inner(const ::uint3 blockIdx, const ::dim3 gridDim, int n) ;
    DEVICE explicit Inner(int n);
    // CHECK: int operator()(int) const; __device__ int call__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int gpusched_p0) const;
    __device__ int operator()(int) const;
  };
  // CHECK: static DEVICE int sum(Inner inner); static DEVICE int sum__gs(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::BodyBarrier __syncthreads, Inner inner) ;
  static DEVICE int sum(Inner inner);
};
// CHECK: DEVICE int Outer::sum__gs(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::BodyBarrier __syncthreads, Inner inner) { __syncthreads(); return inner.call__gs(blockIdx, gridDim, 1); } DEVICE int Outer ::sum(Inner inner) { return sum__gs(::blockIdx, ::gridDim, ::gpusched::BodyBarrier{false}, inner); }
DEVICE int Outer::sum(Inner inner) { __syncthreads(); return inner(1); }
// CHECK: DEVICE Outer::Inner::Inner(const ::uint3 blockIdx, const ::dim3 gridDim, int n) { base = n + blockIdx.x; } DEVICE Outer :: Inner ::Inner(int n) : Inner(::blockIdx, ::gridDim, n) {}
DEVICE Outer::Inner::Inner(int n) { base = n + blockIdx.x; }
// CHECK: int Outer::Inner::call__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int i) const { return base + i + gridDim.x; } __device__ int Outer :: Inner ::operator()(int i) const{
__device__ int Outer::Inner::operator()(int i) const { return base + i + gridDim.x; }

__global__ void k(int* out, int n) {
  ns::Tile<int, 4> tile;
  // CHECK: out[0] = tile.at__gs(blockIdx, gridDim, n) + ns::Tile<int*, 2>().at__gs(blockIdx, gridDim, 1);
  out[0] = tile.at(n) + ns::Tile<int*, 2>().at(1);
  // CHECK: ns::Tile<int, 4>::put__gs(blockIdx, gridDim, out, n); tile.plain();
  ns::Tile<int, 4>::put(out, n); tile.plain();
  // CHECK: if (threadIdx.x < n) out[2] = Outer::sum__gs(blockIdx, gridDim, __syncthreads, Outer::Inner(blockIdx, gridDim, 3));
  if (threadIdx.x < n) out[2] = Outer::sum(Outer::Inner(3));
}

struct Strong { int at; __device__ Strong(int n); };
__device__ Strong::Strong(int n) { at = n + blockIdx.x; }
// REMARK: kernel 'strong' kept native: [GS020] {{.*}}calls 'Strong' (blockIdx {{.*}}); which is a constructor defined outside its class, without inline
__global__ void strong(int* out) { out[0] = Strong(1).at; }

struct Two { __device__ int left(), right(); };
__device__ int Two::left() { return 0; }
__device__ int Two::right() { return gridDim.x; }
// REMARK: kernel 'two' kept native: [GS020] {{.*}}calls 'right' (gridDim {{.*}}); whose declaration cannot be repeated: the signature has an unusual form
__global__ void two(int* out) { out[0] = Two().right(); }

#define MEMBERS __device__ int made();
// CHECK: struct Made { __device__ int made(); __device__ int made__gs(const ::uint3 blockIdx, const ::dim3 gridDim) ; };
struct Made { MEMBERS };
__device__ int Made::made() { return gridDim.x; }
__global__ void made(int* out) { out[0] = Made().made(); }

template <class T> struct Odd { __device__ int at() const; };
template <class T> __device__ int Odd<T>::at() const { return blockIdx.x; }
template <> __device__ int Odd<char>::at() const { return 7; }
// REMARK: kernel 'odd' kept native: [GS020] {{.*}}calls 'at' ({{.*}}); which has explicit specialisations
__global__ void odd(int* out) { out[0] = Odd<int>().at(); }
