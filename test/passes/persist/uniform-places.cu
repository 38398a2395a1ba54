// What lies where a uniform address leads is uniform, also where the address was taken with & or came from a
// member function that is not const and yet only reads: a block then leaves as a whole. Not so a
// thread's own variables, and objects that a member function changes or hands out.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --implicit-check-not=remark
// RUN: %reparse %t.out
struct Lane { int begin, end, sizes[4]; };
struct Rows {
  int *data, pitch;
  __device__ int* row(int i) { return &data[i * pitch]; }
  __device__ int operator()(int i) { return data[i * pitch]; }
  __device__ int* setting() { return &pitch; }
  __device__ int turn(int by) { return pitch += by; }
  __device__ Rows& self() { return *this; }
};
struct View { int& value; };
__device__ Lane common;

__device__ int exchange(int value) {
  int other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(other) : "r"(value));
  return other;
}

__global__ void element(Lane* lanes, int* a) {
  const Lane* const lane = &lanes[blockIdx.y];
  if (lane->end == 0) return;
  a[threadIdx.x] = exchange(lane->begin);
}
__global__ void part(Lane* lanes, int* a) {
  const int *size = &lanes[blockIdx.y].sizes[2], *end = &(*lanes).end, *begin = &common.begin;
  if (*size + *end + *begin == 0) return;
  a[threadIdx.x] = exchange(1);
}
__global__ void tile(int* a) {
  __shared__ int sums[4];
  const int* const sum = &sums[1];
  if (threadIdx.x < 4) sums[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if (*sum == 0) return;
  a[threadIdx.x] = exchange(1);
}
__global__ void reads(Rows rows, int* a) {
  if (*rows.row(blockIdx.x) + rows(blockIdx.y) + rows.pitch == 0) return;
  a[threadIdx.x] = exchange(1);
}

// CHECK: [[#@LINE+3]]:3: remark: kernel 'laneOfThread' kept native: [GS041]
__global__ void laneOfThread(Lane* lanes, int* a) {
  const Lane* const lane = &lanes[threadIdx.x];
  if (lane->end == 0) return;
  a[threadIdx.x] = exchange(1);
}
// CHECK: remark: kernel 'own' kept native: [GS041]
__global__ void own(int* a) {
  int mine[2] = {};
  const int* const place = &mine[1];
  mine[1] = threadIdx.x;
  if (*place == 0) return;
  a[threadIdx.x] = exchange(1);
}
// CHECK: remark: kernel 'ownPart' kept native: [GS041]
__global__ void ownPart(int* a) {
  Lane lane = {};
  const int* const place = &lane.sizes[1];
  lane.sizes[1] = threadIdx.x;
  if (*place == 0) return;
  a[threadIdx.x] = exchange(1);
}
// CHECK: remark: kernel 'behindReference' kept native: [GS041]
__global__ void behindReference(int* a) {
  int mine = 0;
  const View view{mine};
  const int* const place = &view.value;
  mine = threadIdx.x;
  if (*place == 0) return;
  a[threadIdx.x] = exchange(1);
}
// CHECK: remark: kernel 'handsOut' kept native: [GS041]
__global__ void handsOut(Rows rows, int* a) {
  *rows.setting() = threadIdx.x;
  if (rows.pitch == 0) return;
  a[threadIdx.x] = exchange(1);
}
// CHECK: remark: kernel 'changes' kept native: [GS041]
__global__ void changes(Rows rows, int* a) {
  rows.turn(threadIdx.x);
  if (rows.pitch == 0) return;
  a[threadIdx.x] = exchange(1);
}
// CHECK: remark: kernel 'handsItself' kept native: [GS041]
__global__ void handsItself(Rows rows, int* a) {
  Rows* const same = &rows.self();
  same->pitch = threadIdx.x;
  if (rows.pitch == 0) return;
  a[threadIdx.x] = exchange(1);
}
