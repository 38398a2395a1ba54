// Kernels of all kinds of resource use, for the tests of this folder.
struct Four {
  float v[4];
};
extern __shared__ int dynamic[];
__device__ __noinline__ int shared(int* p) {
  __shared__ int tile[64];
  tile[threadIdx.x] = p[3];
  __syncthreads();
  return tile[p[2]];
}
__global__ void plain(int* p) { p[0] = 3; }
__global__ void __launch_bounds__(128, 2) tile(float* y, const float* x, float a, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] += a * s[127 - n];
}
__global__ void local(int* a, int n) {
  int l[100];
  for (int i = 0; i < n; i++)
    l[i % 100] = a[i];
  a[0] = l[n % 100];
}
__global__ void dynamicOnly(int* p) {
  dynamic[threadIdx.x] = 1;
  __syncthreads();
  p[0] = dynamic[3];
}
__global__ void inCallee(int* p) { p[0] = shared(p); }
__global__ void __maxnreg__(24) limited(Four f, char c, double* d) { d[0] = f.v[2] + c; }
__global__ void barriers(int* p) { asm("bar.sync 7;"); }
