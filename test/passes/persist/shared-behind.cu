// The worker's words are behind the kernel's dynamic shared memory where static memory leaves no
// room, and where mbarriers or bulk copies say that the dynamic memory's address may matter.
// RUN: %gpusched-opt %s >%t.out
// RUN: grep -v '^ *// ' %t.out | FileCheck %s
// RUN: %reparse %t.out
// CHECK: void full__gs({{.*}} ::gpusched::BatchWorkerBehind<16> gpusched_worker(
// CHECK-SAME: Registrar full__gs_registrar({{.*}}, 1, 65553);
__global__ void full(int* a) {
  __shared__ int all[48 * 256];
  for (int i = threadIdx.x; i < 48 * 256; i += blockDim.x)
    all[i] = a[i];
  __syncthreads();
  a[blockIdx.x] = all[0];
}
// One instantiation has no room: all of them have one text.
// CHECK: void sized__gs({{.*}} ::gpusched::AheadWorkerBehind<16> gpusched_worker(
template <int N> __global__ void sized(int* a) { __shared__ int all[N]; all[threadIdx.x] = a[blockIdx.x]; a[0] = all[1]; }
template __global__ void sized<32>(int*);
template __global__ void sized<12260>(int*);
// CHECK: void fits__gs({{.*}} ::gpusched::AheadWorker gpusched_worker(
__global__ void fits(int* a) { __shared__ int all[12256]; all[threadIdx.x] = a[blockIdx.x]; a[0] = all[1]; }

// The most aligned array says where the dynamic memory ends; a macro may declare it.
#define TILES(T) extern __shared__ __align__(1024) T tiles[]
__device__ void begin(unsigned word) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(word)); }
TILES(unsigned char);
extern __shared__ int words[];
// CHECK: void copies__gs({{.*}} const ::gpusched::MbarriersBehind<1024> gpusched_mbarriers; ::gpusched::AheadWorkerBehind<1024> gpusched_worker(
// CHECK-SAME: ::gpusched::MbarrierNotes{true, gpusched_mbarriers.table()}
// CHECK-SAME: Registrar copies__gs_registrar({{.*}}, 1, 196657);
__global__ void copies(int* a) { __shared__ unsigned long long bar; begin(__cvta_generic_to_shared(&bar)); tiles[words[0]] = a[blockIdx.x]; }
// CHECK: void bulk__gs({{.*}} ::gpusched::AheadWorkerBehind<16> gpusched_worker(
// CHECK-SAME: Registrar bulk__gs_registrar({{.*}}, 1, 65585);
__global__ void bulk(int* a) {
  asm volatile("cp.async.bulk.commit_group;");
  a[blockIdx.x] = words[threadIdx.x];
}
// CHECK: void plain__gs({{.*}} ::gpusched::AheadWorker gpusched_worker(
// CHECK-SAME: Registrar plain__gs_registrar({{.*}}, 1, 49);
__global__ void plain(int* a) { a[blockIdx.x] = tiles[threadIdx.x]; }
