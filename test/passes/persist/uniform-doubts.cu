// What looks the same for all threads, but is not: variables that change in the middle of an
// expression, library functions that ask an object, memory or the hardware, votes of some lanes.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --allow-empty
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
// CHECK-NOT: remark
#include <cub/block/block_scan.cuh>
#include <cuda/std/array>
#include <cuda/std/optional>
#define REST __syncthreads(); a[threadIdx.x] = 1
// OUT: void assigned__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void assigned(int* a) { int x = 0, y = (x = threadIdx.x) + 1; if (x > 40) return; REST; a[0] = y; }
// OUT: void counted__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void counted(int* a) { int i = 0; if (threadIdx.x > 40 && i++ == 0) a[0] = 1; if (i) return; REST; }
// OUT: void element__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void element(int* a) { cuda::std::array<int, 2> v{int(threadIdx.x), 1}; if (v.at(0) > 40) return; REST; }
// OUT: void valueOr__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void valueOr(int* a, cuda::std::optional<int> o) { cuda::std::optional<int> v(threadIdx.x); if (v.value_or(3) > 40) return; REST; }
// OUT: void rowMajor__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void rowMajor(int* a) { int t = cub::RowMajorTid(64, 1, 1); if (t > 40) return; REST; }
// OUT: void heap__gs_body({{.*}}LanePrimitive__shfl_sync __shfl_sync
__global__ void heap(int* a) { int* p = static_cast<int*>(malloc(4)); *p = threadIdx.x; if (*p > 40) return; *a = __shfl_sync(~0u, *p, 3); }
// OUT: void halves__gs_body({{.*}}LanePrimitive__shfl_sync __shfl_sync
__global__ void halves(int* a) {
  const unsigned half = threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u;
  if (__any_sync(half, a[threadIdx.x])) return;
  *a = __shfl_sync(~0u, *a, 3);
}
// The result of an assignment is the variable itself.
__device__ void setThread(int& x) { x = threadIdx.x; }
// OUT: void step__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void step(int* a) { int x = 0; ++x = threadIdx.x; if (x > 40) return; REST; }
// OUT: void assignedTwice__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void assignedTwice(int* a) { int x = 0; (a[0]++, (x += 2)) -= threadIdx.x; if (x) return; REST; }
// OUT: void passedOn__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void passedOn(int* a, int n) { int x = 0, y = 0; setThread(n ? ++x : y = 1); if (x) return; REST; }
// OUT: void referred__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void referred(int* a) { int x = 0; int& r = --x; r = threadIdx.x; if (x) return; REST; }
struct Pair { int x, y; };
// OUT: void memberOf__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void memberOf(int* a, Pair from) { Pair pair; (pair = from).y = threadIdx.x; if (pair.y) return; REST; }
// Where the result is only read, or nobody asks for it, all threads still agree.
// OUT: void onlyRead__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a
__global__ void onlyRead(int* a, int n) {
  int x = 0, y = x = n;
  for (int i = 0; i < n; ++i, x += 2) n ? x = 1 : ++y;
  if ((x = y) > ++n || (++x, y -= 1) > 3) return;
  REST;
}
// Votes of the lanes that are there, or of a mask that all have, are of one mind.
// OUT: void common__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim,
// OUT: "common", {{.*}}, [[@LINE+1]], 1, 49);
__global__ void common(int* a) {
  const unsigned all = __ballot_sync(~0u, 1);
  if (__any_sync(all, a[threadIdx.x]) || __all_sync(__activemask(), a[1])) return;
  *a = __shfl_sync(~0u, *a, 3);
}
