// What PTX alone does not show to be safe stays native, each with its reason; the others of the file have their twins.
// RUN: %nvcc -ptx -arch=sm_90a -std=c++17 %s -o %t.ptx
// RUN: %build/bin/gpusched-ptx --explain %t.ptx -o %t.twins.ptx 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: %cuda/bin/ptxas -arch=sm_90a %t.twins.ptx -o %t.cubin
// RUN: grep -c "entry.*__gs(" %t.twins.ptx | grep -qx 1

// CHECK-DAG: kernel 'plain(int*)' has a twin
__global__ void plain(int* a) { a[threadIdx.x] = blockIdx.x; }

// CHECK-DAG: kernel 'ends(int*)' stays native: it ends its thread (exit)
__global__ void ends(int* a) {
  if (threadIdx.x == 3)
    asm volatile("exit;");
  a[threadIdx.x] = 1;
}

// CHECK-DAG: kernel 'clustered(int*)' stays native: it is of a cluster
__global__ void __cluster_dims__(2) clustered(int* a) { a[threadIdx.x] = 1; }

// CHECK-DAG: kernel 'rank(unsigned int*)' stays native: it is of a cluster (mov.u32 %r1, %cluster_ctarank)
__global__ void rank(unsigned* a) { asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(a[threadIdx.x])); }

// CHECK-DAG: kernel 'sizes(unsigned int*)' stays native: it asks for the size of its shared memory
__global__ void sizes(unsigned* a) { asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(a[threadIdx.x])); }

// CHECK-DAG: kernel 'divides(int*)' stays native: it divides registers among its warps (setmaxnreg
__global__ void divides(int* a) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 40;");
  a[threadIdx.x] = 1;
}

// CHECK-DAG: kernel 'pointed(int*, int (*)(int))' stays native: it calls through a pointer
__global__ void pointed(int* a, int (*function)(int)) { a[threadIdx.x] = function(threadIdx.x); }

// CHECK-DAG: kernel 'aligned(int*)' stays native: its dynamic shared memory is aligned to 2048 bytes
extern __shared__ __align__(2048) int tile[];
__global__ void aligned(int* a) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(unsigned(__cvta_generic_to_shared(tile))));
  a[threadIdx.x] = tile[threadIdx.x];
}
