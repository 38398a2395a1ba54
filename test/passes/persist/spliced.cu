// Where gpusched-cicc reads the PTX, a kernel keeps its text, and so does the function that it calls; its twin
// calls the loop that gpusched-cicc copies into it, with the kernel's PTX. The loop is told which waits threads may have left, whether
// barriers are asked questions, what copies may be on their way, and where mbarriers are noted. Whether warps of a body
// without loops share nothing, or what templates wait for, the PTX says (leastLoop).
// RUN: %gpusched-opt --splice %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s | %reparse --cicc-prefix %build/bin/gpusched-cicc
// CHECK: {{^}}__device__ int index(int n) { return blockIdx.x * n; }{{$}}
// CHECK-NOT: index__gs
// CHECK: {{^}}__global__ void plain(int* out, int n) { out[blockIdx.x] = index(n); } __global__ void plain__gs(const ::gpusched_params gpusched_launch, int * out , int n) { ::gpusched::leastLoop<::gpusched::AheadWorker, ::gpusched::Drain::Nothing>(gpusched_launch); }
// CHECK: } __global__ void drains__gs({{.*}} { ::gpusched::splicedLoop<::gpusched::AheadWorker, ::gpusched::Drain::Barriers>(gpusched_launch); }
// CHECK: counts__gs({{.*}} ::gpusched::Drain::CountedBarriers>(
// CHECK: asks__gs({{.*}} ::gpusched::Drain::Lanes>(
// CHECK: asksSome__gs({{.*}} ::gpusched::Drain::AnyLanes>(
// CHECK: begins__gs({{.*}} ::gpusched::splicedLoop<::gpusched::AheadWorker, ::gpusched::Drain::Nothing, ::gpusched::Copies::None, ::gpusched::Mbarriers>(
// CHECK: copies__gs({{.*}} ::gpusched::splicedLoop<::gpusched::AheadWorker, ::gpusched::Drain::Nothing, ::gpusched::Copies::Async>(
// CHECK: template <class T> __global__ void shaped(T* out) { out[blockIdx.y] = T(); } template < class T > __global__ void shaped__gs({{.*}} ::gpusched::leastLoop
// CHECK: made__gs({{.*}} ::gpusched::leastLoop
// CHECK: repeats__gs({{.*}} ::gpusched::splicedLoop<::gpusched::BatchWorker, ::gpusched::Drain::Nothing>(
// CHECK-NOT: spins__gs
__device__ int index(int n) { return blockIdx.x * n; }
__global__ void plain(int* out, int n) { out[blockIdx.x] = index(n); }
__global__ void drains(int* out, int n) {
  if (threadIdx.x > 7)
    return;
  __syncthreads();
  out[blockIdx.x] = n;
}
__global__ void counts(int* out, int n) {
  if (threadIdx.x > 7)
    return;
  out[blockIdx.x] = __syncthreads_count(n);
}
__global__ void asks(int* out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = __shfl_sync(0xffffffffu, n, 0);
}
__global__ void asksSome(int* out, int n, unsigned lanes) {
  if (threadIdx.x < n)
    asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, %2;" : "=r"(out[threadIdx.x]) : "r"(n), "r"(lanes));
}
__global__ void begins(unsigned word) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(word)); }
__global__ void copies(unsigned to, const int* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
}
template <class T> __global__ void shaped(T* out) { out[blockIdx.y] = T(); }
#define KERNEL(name) __global__ void name(int* out) { out[blockIdx.x] = 1; }
KERNEL(made)
__global__ void repeats(int* out, int n) {
  for (int i = 0; i < n; ++i)
    out[blockIdx.x] += i;
}
__global__ void spins(volatile int* out) {
  atomicAdd(const_cast<int*>(out), 1);
  while (*out < gridDim.x) {
  }
}
void launch(int* a) {
  plain<<<1, 1>>>(a, 1);
  shaped<<<1, 1>>>(a);
  made<<<1, 1>>>(a);
  repeats<<<1, 1>>>(a, 2);
  drains<<<1, 32>>>(a, 1);
  counts<<<1, 32>>>(a, 1);
  asks<<<1, 32>>>(a, 1);
  asksSome<<<1, 32>>>(a, 1, 1);
  begins<<<1, 1>>>(0);
  copies<<<1, 1>>>(0, a);
  spins<<<1, 1>>>(a);
}
