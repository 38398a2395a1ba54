// A kernel template that two relocatable objects instantiate has one twin in the program, as it has one kernel.
// RUN: env GPUSCHED_BIN=%build/bin %nvcc -arch=sm_90 -rdc=true --cicc-prefix %root/test/execute/Inputs/cicc-with-twins -c %s -o %t.first.o
// RUN: env GPUSCHED_BIN=%build/bin %nvcc -arch=sm_90 -rdc=true --cicc-prefix %root/test/execute/Inputs/cicc-with-twins -DSECOND -c %s -o %t.second.o
// RUN: %nvcc -arch=sm_90 -rdc=true %t.first.o %t.second.o -o %t
// RUN: %gpusched run --device=cpu -- %t
template <class T> __global__ void scale(T* a) { a[blockIdx.x] *= 2; }
void second(int* a);
#ifdef SECOND
void second(int* a) { scale<<<2, 1>>>(a); }
#else
int main() {
  int* a = nullptr;
  cudaMalloc(&a, 2 * sizeof(int));
  scale<<<2, 1>>>(a);
  second(a);
}
#endif
