// A class in CUTLASS's manner: its call operator asks a function for the block's tile, leaves if the
// tile is outside, and waits. All threads of a block get the same tile, also through members that
// only name a part of it; and a loop that runs at least once waits. The others get the drain barrier.
// RUN: %gpusched-opt --explain %s -- -std=c++17 >%t.out 2>%t.err
// RUN: count 0 < %t.err
// RUN: grep -o '__global__ void [a-zA-Z]*__gs(const\|gpusched_worker[.][ad][a-z]*()' %t.out | FileCheck %s
// RUN: %reparse %t.out -std=c++17
struct Params { int rows, log; };
struct Tile {
  int at[2];
  __device__ int& part(int index) { return at[index]; }
  __device__ int& row() { return part(0); }
  __device__ int& counted() { return at[++at[1]]; }
};
struct Swizzle {
  __device__ static Tile tile(int log) { return Tile{{int(blockIdx.x) >> log, int(blockIdx.y)}}; }
};
template <int Form> struct Work {
  __device__ bool isOutside(const Params& params, Tile& tile) { return tile.row() > params.rows; }
  __device__ void operator()(const Params& params, int* a) {
    Tile tile = Swizzle::tile(params.log);
    if constexpr (Form == 1) tile.row() = threadIdx.x;
    if constexpr (Form == 2) if (params.rows <= tile.part(threadIdx.x % 2)) return;
    if constexpr (Form == 3) tile = Tile{{int(threadIdx.x), 0}};
    if constexpr (Form == 4) if (params.rows <= tile.counted()) return;
    if constexpr (Form == 5) if (isOutside(params, tile)) return;
    if (params.rows <= tile.row()) return;
    tile = Swizzle::tile(0);
    a[tile.row()] = params.rows;
    __syncthreads();
    a[threadIdx.x] = tile.row();
  }
};
// CHECK: void tiles__gs(
// CHECK-NEXT: advance
__global__ void tiles(Params params, int* a) { Work<0>()(params, a); }
// CHECK: void assigned__gs(
// CHECK-NEXT: drain
__global__ void assigned(Params params, int* a) { Work<1>()(params, a); }
// CHECK: void chosen__gs(
// CHECK-NEXT: drain
__global__ void chosen(Params params, int* a) { Work<2>()(params, a); }
// CHECK: void replaced__gs(
// CHECK-NEXT: drain
__global__ void replaced(Params params, int* a) { Work<3>()(params, a); }
// CHECK: void effects__gs(
// CHECK-NEXT: drain
__global__ void effects(Params params, int* a) { Work<4>()(params, a); }
// CHECK: void passed__gs(
// CHECK-NEXT: drain
__global__ void passed(Params params, int* a) { Work<5>()(params, a); }

struct Store {
  template <int Rounds> __device__ void fixed(int* a) {
    for (int i = 0; i < Rounds; ++i) { a[i + threadIdx.x] = i; __syncthreads(); }
  }
  __device__ void asked(int* a, int rounds) {
    for (int i = 0; i < rounds; ++i) { a[i + threadIdx.x] = i; __syncthreads(); }
  }
};
// CHECK: void eitherWaits__gs(
// CHECK-NEXT: advance
__global__ void eitherWaits(int* asked, int* a) {
  if (*asked > 3) Store().fixed<2>(a); else Store().fixed<4>(a);
}
// CHECK: void oneMayNot__gs(
// CHECK-NEXT: drain
__global__ void oneMayNot(volatile int* asked, int* a, int rounds) {
  if (*asked > 3) Store().asked(a, rounds); else Store().fixed<4>(a);
}
// CHECK: void oneDoesNot__gs(
// CHECK-NEXT: drain
__global__ void oneDoesNot(volatile int* asked, int* a) {
  if (*asked > 3) Store().fixed<0>(a); else Store().fixed<4>(a);
}

int main() {
  tiles<<<1, 32>>>({}, nullptr); assigned<<<1, 32>>>({}, nullptr); chosen<<<1, 32>>>({}, nullptr);
  replaced<<<1, 32>>>({}, nullptr); effects<<<1, 32>>>({}, nullptr); passed<<<1, 32>>>({}, nullptr);
  eitherWaits<<<1, 32>>>(nullptr, nullptr); oneMayNot<<<1, 32>>>(nullptr, nullptr, 1);
  oneDoesNot<<<1, 32>>>(nullptr, nullptr);
}
