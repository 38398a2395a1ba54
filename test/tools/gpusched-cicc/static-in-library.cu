// With -rdc the names of static kernels begin with their file's; their twins find them all the same.
// RUN: %gpusched-cc --gpusched-strict --gpusched-explain -rdc=true -arch=sm_90 -c %s -o %t.o 2>&1 | not grep 'outlined instead'
// RUN: nm %t.o | grep __gs_registrar
static __global__ void k(int *out) { out[blockIdx.x] = 1; }
template <class T> static __global__ void of(T *out) { out[blockIdx.x] = 2; }
void launch(int *out) {
  k<<<1, 1>>>(out);
  of<<<1, 1>>>(out);
}
