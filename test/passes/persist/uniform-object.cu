// An object made of uniform values is uniform, also where its constructor takes them by reference
// and loads: a block then leaves as a whole, and assembly behind may name the whole warp. Not so if
// the object keeps the reference: it shows what the variable has become.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --check-prefix=REMARK
// RUN: %reparse %t.out --expt-relaxed-constexpr
#include <algorithm>
struct Lengths { const int* starts; int length; };
template <bool Varying> struct Extent {
  template <class L> __device__ Extent(const L& lengths, int batch)
      : start(Varying ? lengths.starts[batch] : 0),
        length(Varying ? lengths.starts[batch + 1] - start : lengths.length) {}
  const int start, length;
};
struct View {
  __device__ View(const int& value) : value(value) {}
  const int& value;
};

__device__ int exchange(int value) {
  int other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(other) : "r"(value));
  return other;
}
template <class L> __device__ void row(const L& lengths, int* a, int batch, int row) {
  const Extent<true> extent(lengths, batch);
  if (row * 4 >= extent.length) return;
  a[extent.start + threadIdx.x] = exchange(row);
}

// REMARK-NOT: remark: kernel 'rows'
__global__ void rows(const __grid_constant__ Lengths lengths, int* a) {
  row(lengths, a, blockIdx.y, blockIdx.x);
}
// REMARK: remark: kernel 'viewed' kept native: [GS041]
__global__ void viewed(int* a, int n) {
  int place = n;
  const View view(place);
  place = threadIdx.x;
  if (view.value > 3) return;
  a[place] = exchange(place);
}
// REMARK: remark: kernel 'own' kept native: [GS041]
__global__ void own(Lengths lengths, int* a) {
  const Extent<true> extent(lengths, threadIdx.x);
  if (extent.length > 3) return;
  a[extent.start] = exchange(extent.start);
}

// The library's functions read what they take by reference as well.
// REMARK-NOT: remark: kernel 'least'
__global__ void least(int* a, int n) {
  int last = n / 4;
  if (blockIdx.x > 0) last = std::min(last, n / int(blockIdx.x));
  if (last <= 2) return;
  a[last] = exchange(last);
}
// REMARK: remark: kernel 'leastOfThreads' kept native: [GS041]
__global__ void leastOfThreads(int* a, int n) {
  const int last = std::min(int(threadIdx.x), n);
  if (last <= 2) return;
  a[last] = exchange(last);
}

int main() {
  rows<<<1, 32>>>({}, nullptr);
  viewed<<<1, 32>>>(nullptr, 0);
  own<<<1, 32>>>({}, nullptr);
  least<<<1, 32>>>(nullptr, 0);
  leastOfThreads<<<1, 32>>>(nullptr, 0);
}
