// What holds nothing but its type is the same for all threads: an object of an empty class, whatever
// it was made from. And __builtin_unreachable() gives a function nothing to tell its threads apart by.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: %reparse %t.out
template <int value> struct Constant {
  __device__ constexpr operator int() const { return value; }
};
struct Tile {
  int* data;
  template <int> __device__ Constant<4> size() const { return {}; }
};
template <class Of> __device__ Constant<8> sizeOf(const Of&) { return {}; }
struct Lane {
  __device__ operator int() const { return threadIdx.x; }
};
struct Part { int value; };
template <class Of> __device__ Part partOf(const Of& of) { return {int(of.data[0])}; }
__device__ int over(const int& a, const int& b) {
  if (b != 0)
    return (a + b - 1) / b;
  __builtin_unreachable();
}
__device__ int exchange(int value) {
  int other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(other) : "r"(value));
  return other;
}

// CHECK-NOT: remark: kernel 'sizes'
__global__ void sizes(int* a, int n) {
  Tile tile{a + threadIdx.x};
  for (int i = 0; i < sizeOf(tile) - tile.size<1>(); ++i)
    a[i] = exchange(i);
}
// CHECK-NOT: remark: kernel 'divided'
__global__ void divided(int* a, int n) {
  constexpr int kRows = 64;
  const int last = over(n, kRows);
  if (kRows < n || int(blockIdx.x) >= last) return;
  a[last] = exchange(last);
}
// CHECK: remark: kernel 'parts' kept native: [GS041]
__global__ void parts(int* a) {
  Tile tile{a + threadIdx.x};
  for (int i = 0; i < partOf(tile).value; ++i)
    a[i] = exchange(i);
}
// CHECK: remark: kernel 'dividedByThread' kept native: [GS041]
__global__ void dividedByThread(int* a, int n) {
  const int last = over(n, threadIdx.x + 1);
  if (int(blockIdx.x) >= last) return;
  a[last] = exchange(last);
}
// CHECK: remark: kernel 'lanes' kept native: [GS041]
__global__ void lanes(int* a) {
  const Lane lane;
  if (lane > 3) return;
  a[0] = exchange(lane);
}
int main() {
  lanes<<<1, 32>>>(nullptr);
  sizes<<<1, 32>>>(nullptr, 0);
  divided<<<1, 32>>>(nullptr, 0);
  parts<<<1, 32>>>(nullptr);
  dividedByThread<<<1, 32>>>(nullptr, 0);
}
