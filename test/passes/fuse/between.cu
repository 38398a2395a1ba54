// Between the two may stand what asks CUDA nothing: values, and variables, which are used behind the
// two as well. Calls may ask, and so may what a class does when it is made, copied or destroyed.
// RUN: %gpusched-opt --splice %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s | %reparse --cicc-prefix %build/bin/gpusched-cicc
struct Plain { int a, b; };
struct Counted {
  int* count;
  __host__ __device__ Counted(int* count) : count(count) {}
  __host__ __device__ Counted(const Counted& other) : count(other.count) {}
};
struct Ends {
  int* count;
  __host__ __device__ ~Ends() {}
};
__global__ void set(int* a, int n) { a[blockIdx.x] = n; }
__global__ void plain(Plain p, int* a) { a[p.a] = p.b; }
__global__ void counted(Counted c) { c.count[0] = 1; }
int size();

void pairs(int* a, int n, Plain p, const Plain* q, cudaStream_t s, cudaStream_t t) {
  dim3 grid(3);
  // CHECK: ::gpusched::LaunchPair::begin(false); set<<<1, 32, 0, s>>>(a, 1);{{$}}
  set<<<1, 32, 0, s>>>(a, 1);
  const int rows = n / 4, columns = n % 4;
  grid.x = rows;
  // CHECK: set<<<grid, 32, 0, t>>>(a + columns, other++ - n); ::gpusched::LaunchPair::end();{{$}}
  int other = rows;
  set<<<grid, 32, 0, t>>>(a + columns, other++ - n);
  // CHECK: {{^}}  { const ::gpusched::LaunchPair gpusched_pair(false); set<<<1, 32, 0, s>>>(a, 2);{{$}}
  set<<<1, 32, 0, s>>>(a, 2);
  ++n;
  // CHECK: plain<<<1, 32, 0, t>>>(q[n], a); }{{$}}
  plain<<<1, 32, 0, t>>>(q[n], a);
}
// CHECK-LABEL: void none(
// CHECK-NOT: LaunchPair
void none(int* a, int n, Counted c, Ends e, cudaStream_t s, cudaStream_t t) {
  set<<<1, 32, 0, s>>>(a, 1);
  if (cudaGetLastError() == cudaSuccess)
    set<<<1, 32, 0, t>>>(a, 2);
  set<<<1, 32, 0, s>>>(a, 3);
  set<<<1, 32, 0, t>>>(a, size());
  size();
  set<<<1, 32, 0, s>>>(a, 4);
  counted<<<1, 32, 0, t>>>(c);
  size();
  set<<<1, 32, 0, s>>>(a, 5);
  counted<<<1, 32, 0, t>>>(Counted(a));
  size();
  set<<<1, 32, 0, s>>>(Ends{a}.count, 6);
  set<<<1, 32, 0, t>>>(a, 7);
  for (int i = 0; i < n; ++i)
    set<<<1, 32, 0, s>>>(a, i);
  set<<<1, 32, 0, t>>>(a, 8);
  static int once = 3;
  set<<<1, 32, 0, t>>>(a, once);
  Ends ends{a};
  set<<<1, 32, 0, t>>>(a, [&] { return once; }());
}
